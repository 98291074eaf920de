export TRL_EXPERIMENTAL_SILENCE=1
python -m torch.distributed.run --standalone --nproc_per_node=2 train.py
