"""Questions as people ask them, with what they mean: each was once taken for another one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.base.errors import UserError
from bot.base.messages import sentence_of
from bot.recommend.question import parse_question
from tests.command import rlbot


def _refusal(words: str) -> str:
    with pytest.raises(UserError) as raised:
        parse_question([words])
    return sentence_of(raised.value)


TRACE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total "
    "capacity of"
)
OF_CARD = (
    "GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.9 GiB memory "
    "in use. Of the allocated memory 70.10 GiB is allocated by PyTorch, and 3.20 GiB is reserved "
    "by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation "
    "for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("how do I fine tune Qwen3-8B on 2x4090", {"task": "sft", "gpus": 2}),
        ("supervised fine tuning qwen3-8b 4xA100", {"task": "sft"}),
        ("fine-tuned qwen3-8b 2x4090", {"task": "sft"}),
        ("instruction tuning 13b a100", {"task": "sft"}),
        ("Ryzen 7950X 4090 7b lora", {"cards": ["rtx4090"], "response": None}),
        ("Threadripper 7970X, 2x3090, 8b lora", {"gpus": 2, "response": None}),
        ("i9-14900K + 5090 + 96GB DDR5, qwen3 14b", {"cards": ["rtx5090"], "ram": 96}),
        ("port 8000 4090 7b lora", {"cards": ["rtx4090"], "response": None}),
        ("550 driver 3090 7b lora", {"cards": ["rtx3090"], "gpus": None, "response": None}),
        ("driver 550 4090 7b lora", {"cards": ["rtx4090"], "gpus": None}),
        ("Ubuntu 22 4090 7b lora", {"cards": ["rtx4090"], "gpus": None}),
        ("CUDA 12.4, torch 2.6, 4090 qwen3 8b", {"cards": ["rtx4090"], "gpus": None}),
        ("PCIe 4.0 x16 4x3090 8b lora", {"gpus": 4}),
        ("12 epochs 4090 7b lora", {"cards": ["rtx4090"], "gpus": None}),
        ("2x3090, 10GbE, qwen3 8b lora", {"gpus": 2, "left_out": ()}),
        ("2x4090 (48GB total) Qwen3-14B lora", {"cards": ["rtx4090"], "gpus": 2}),
        ("8b model on 2 gpus, 48gb total", {"cards": ["rtx4090"], "gpus": 2}),
        ("I have 24 GB VRAM total", {"cards": ["rtx4090"], "gpus": 1}),
        ("qwen3 8b on 3090, is 64gb of ddr5 enough?", {"cards": ["rtx3090"], "ram": 64}),
        ("RTX 3090 24GB x 2, DDR4 64GB qwen3 8b", {"cards": ["rtx3090"], "gpus": 2, "ram": 64}),
        ("2 PCs, each with 2 x 3090 qwen3-8b lora", {"gpus": 4}),
        ("2 workstations, each 2x3090, qwen3-8b lora", {"gpus": 4}),
        ("3 PCs with one 3090 each qwen3-8b lora", {"gpus": 3}),
        ("half a node of H100s qwen3 8b", {"gpus": 4}),
        ("a dozen 3090s qwen3 8b", {"gpus": 12}),
        ("nnodes=4 gpus_per_node=8 qwen3 8b h100", {"gpus": 32}),
        ("vast.ai 4x 3090 qwen3 8b", {"model": "Qwen3-8B", "left_out": ("vast.ai",)}),
        ("search-r1 qwen2.5 3b 8xH100", {"model": "Qwen2.5-3B", "left_out": ("search-r1",)}),
        ("rsLoRA r=128 qwen3 8b 2xA100", {"model": "Qwen3-8B", "method": "lora", "rank": 128}),
        ("Qwen3-32B-FP8 4xH100", {"model": "Qwen3-32B", "left_out": ("FP8",)}),
        ("Qwen2.5-72B-Instruct-AWQ 8xh100", {"model": "Qwen2.5-72B-Instruct"}),
        ("unsloth/Qwen3-14B-bnb-4bit on 4090", {"model": "unsloth/Qwen3-14B"}),
        ("qwen3 8b int4 lora 24g", {"method": "qlora"}),
        ("qwen3 8b grpo without quantization 4090", {"unwanted": ("qlora",), "left_out": ()}),
        ("8-bit adam full finetune 3b 4090", {"method": "full", "left_out": ("8bit-adam",)}),
        ("500M model sft 3060", {"model": "Qwen2.5-0.5B"}),
        ("Qwen3-8B 8\u00d7A100; 2048 \u2192 2048", {"prompt": 2048, "response": 2048}),
        ("qwen3-8b 8xA100 grpo 2048->4096", {"prompt": 2048, "response": 4096}),
        ("qwen3-8b 8xH100 prompts up to 3000 tokens", {"prompt": 3000, "response": None}),
        ("qwen3-8b 8xH100 prompt length up to 3000", {"prompt": 3000, "response": None}),
        ("qwen3 8b 8xH100, 512 in 3584 out", {"prompt": 512, "response": 3584}),
        ("4000 token answers, 500 token questions 8xh100", {"prompt": 500, "response": 4000}),
        ("--prompt_max_len 1024 --generate_max_len 2048", {"prompt": 1024, "response": 2048}),
        ("max_completion_length 512 qwen3 8b 4090", {"response": 512}),
        ("max_model_len 8192 qwen3 8b 8xh100", {"prompt": 1024, "response": 7168}),
        ("Qwen3-8B + GRPO + LoRA + 2x4090 + 1k/2k", {"gpus": 2, "prompt": 1024, "response": 2048}),
        ("8B grpo but not verl 4xA100", {"framework": "openrlhf", "task": "grpo"}),
        ("I don't want to use DPO, but GRPO, 7b, 4xA100", {"task": "grpo"}),
        ("Atlas 800T A2 grpo qwen2.5 7b", {"cards": ["910b"], "gpus": 8}),
        ("910B3 8\u5361 qwen3 8b", {"cards": ["910b"], "gpus": 8}),
        ("\u6607\u817e Atlas 900 A3 qwen3-30b", {"cards": ["910c"], "gpus": None}),
        ("12GB card sft 3b", {"cards": ["rtx3060"]}),
        ("4\u57573090 8b lora", {"gpus": 4}),
        ("8\u5361H100 \u4e0a\u4e0b\u65872\u4e07tokens qwen3 8b", {"response": 20000}),
        ("Qwen3-8B 8xH100 dapo 8k", {"task": "dapo", "response": 8192}),
        ("qwen3-8b grpo gsm8k 4k 8xH100", {"response": 4096}),
        ("Qwen2.5-Math 4k 7B sft 8xA100", {"model": "Qwen2.5-Math-7B", "response": 4096}),
        ("8b 4xA100 train_batch_size=256 max_prompt_length=512", {"batch": 256, "prompt": 512}),
        ("qwen3-8b grpo 8xH100 with 800 GB SSD", {"cards": ["h100"], "left_out": ()}),
        ("16 cores, 4090, qwen3-8b lora sft", {"cards": ["rtx4090"], "gpus": None}),
        ("4 nodes with 32 GPUs in total, H100, qwen3-32b", {"gpus": 32}),
        ("two 4xA100 nodes, qwen3-8b grpo", {"gpus": 8}),
        ("\u6279\u6b21256\uff0cqwen3-8b 8\u5361H100", {"batch": 256, "gpus": 8, "response": None}),
        ("\u6bcf\u6b65256\u6761prompt\uff0cqwen3-8b 8\u5361H100", {"batch": 256, "prompt": None}),
        ('{"gpu": "A100-80GB", "count": 2, "model": "Qwen3-14B", "beta": 0.1}', {"gpus": 2}),
        ("qwen3-8b sft 8xH100, 800 training steps", {"response": None, "left_out": ()}),
        ("4090 for \u20ac1,800, qwen3-8b lora sft", {"response": None}),
        ("qwen3-8b sft 2xA100 1500 words", {"response": None, "left_out": ("1500-words",)}),
        ("5090 Qwen3-8B grpo 1.5k/2.5k", {"prompt": 1536, "response": 2560}),
        (
            "python3 -m verl.trainer.main_ppo data.max_response_length=1024 qwen3-8b 8xh100",
            {"framework": "verl", "response": 1024},
        ),
        ("4090 \u6da1\u8f6e\u5361 8\u5f20 qwen3-14b", {"cards": ["rtx4090"], "gpus": 8}),
        ("\u6570\u636e\u96c62000\u6761prompt\uff0cqwen3-8b", {"batch": None, "prompt": None}),
        ("max context 8k of which 2k prompt, 8b grpo", {"prompt": 2048, "response": 6144}),
        ("context length 16384 with prompt 2048, 8b", {"prompt": 2048, "response": 14336}),
        ("total length 8192, prompt 1024, qwen3-8b", {"prompt": 1024, "response": 7168}),
        (
            "\u603b\u957f8192\uff0c\u63d0\u793a2048\uff0cqwen3-8b",
            {"prompt": 2048, "response": 6144},
        ),
        ("max_model_len=8192 max_response_length=4096 8b", {"prompt": 4096, "response": 4096}),
        ("context 4096, prompt 1024, 8b sft 4090", {"response": 4096}),
        ("a total of 8192 tokens, qwen3-8b 8xh100", {"prompt": 1024, "response": 7168}),
        ("4 pcs of A100 80GB, llama-3.1-8b grpo", {"gpus": 4}),
        ("NVIDIA A100-PCIE-40GB, 2 pcs, qwen3-8b", {"cards": ["a100-40"], "gpus": 2}),
        ("4090 and 5090 in one PC, qwen3-8b lora", {"gpus": None}),
        ("4 GPUs in 2 boxes, 4090, qwen3-8b lora", {"gpus": 4}),
        ("RTX 4090 24 gig qwen3-4b lora", {"cards": ["rtx4090"], "gpus": None}),
        ("une RTX 4090 24 Go, qwen3-4b lora grpo", {"cards": ["rtx4090"], "gpus": 1}),
        ("3090 + 4090 qwen3-8b lora grpo", {"cards": ["rtx3090", "rtx4090"], "response": None}),
        ("lora: no, qwen3-8b, 4xA100, grpo", {"method": "full", "unwanted": ("lora",)}),
        ("quantization: none, qwen3-8b lora sft 4xA100", {"method": "lora"}),
        ("qwen3-8b-grpo-8xh100-lora", {"model": "qwen3-8b", "gpus": 8, "method": "lora"}),
        ("grpo-qwen3-14b-8xa100-40gb-8k", {"cards": ["a100-40"], "response": 8192}),
        ("qwen2.5-7b_grpo_4xa100_1k_2k", {"prompt": 1024, "response": 2048, "gpus": 4}),
        ("prompts can be 3000 tokens, qwen3-8b 8xH100", {"prompt": 3000, "response": None}),
        ("prompts no longer than 3000 tokens, 8xH100", {"prompt": 3000, "response": None}),
        ("prompts shorter than 2k, responses shorter than 6k", {"prompt": 2048, "response": 6144}),
        ("\u8f93\u5165\u8f93\u51fa\u54042k\uff0cqwen3-8b", {"prompt": 2048, "response": 2048}),
        ("in 2026 with 8xH100, qwen3-8b grpo", {"gpus": 8, "response": None}),
        ("\u8bad\u7ec33000\u6b65\uff0cqwen3-8b 8\u5361H100", {"gpus": 8, "response": None}),
        ("qwen3-8b 8xH100 call me at 5551234", {"response": None, "left_out": ("call", "5551234")}),
        ("qwen3-8b grpo 8xH100, 700 W, 1319 test questions", {"response": None, "left_out": ()}),
        ("qwen3-8b sft 8xH100 alpaca 52k", {"response": None}),
        ("qwen3-8b dpo 4xA100 60k pairs, max length 2048", {"response": 2048}),
        ("qwen3-8b 8xH100, 2000 prompts in the dataset", {"batch": None, "prompt": None}),
        ("A100 PCIe 4\u5361 qwen3-14b grpo", {"gpus": 4}),
        ("\u53ccA6000 qwen3-14b lora", {"cards": ["a6000"], "gpus": 2}),
        (
            "\u4e00\u517196G\u663e\u5b58\uff0c4\u5f20\u5361\uff0cqwen3-14b",
            {"cards": ["rtx4090"], "gpus": 4},
        ),
        ("\u4e03\u5341\u4ebf\u53c2\u6570\u6a21\u578b 4090", {"model": "Qwen2.5-7B"}),
        ("7 billion model, 4x4090, lora", {"model": "Qwen2.5-7B", "gpus": 4}),
        ("our RTX 4090 shall train qwen2.5-7b", {"gpus": 1}),
        ("on a 24GB GPU, qwen3-4b full grpo", {"cards": ["rtx4090"], "gpus": 1}),
        ("qwen 2.5 7b on 2.5 k tokens sft 3090", {"response": 2560}),
        ("we can't get H100, so 8xH20 qwen3-32b", {"cards": ["h20"], "gpus": 8}),
        (
            (
                "8xH100 8b actor_rollout_ref.rollout.n=8 data.max_prompt_length=1024 "
                "data.max_response_length=8192 data.train_batch_size=512"
            ),
            {"prompt": 1024, "response": 8192, "batch": 512, "left_out": ()},
        ),
        (
            "8xh100 algorithm.adv_estimator=rloo actor_rollout_ref.model.path=Qwen/Qwen3-14B",
            {"task": "rloo", "model": "Qwen/Qwen3-14B"},
        ),
        (
            (
                '{"model": "Qwen/Qwen3-14B", "gpu": "H100", "num_gpus": 8, "algo": "grpo", '
                '"prompt_len": 2048, "response_len": 8192}'
            ),
            {"model": "Qwen/Qwen3-14B", "gpus": 8, "prompt": 2048, "response": 8192},
        ),
        ("--max_length 2048 qwen3-8b sft 4xA100", {"response": 2048}),
        ("--model Qwen3-8B --task grpo 4xA100", {"model": "Qwen3-8B", "task": "grpo"}),
        ("torchrun --nproc_per_node=8 qwen3-8b h100", {"gpus": 8}),
        ("CUDA_VISIBLE_DEVICES=0,1,2,3 4090 qwen3-8b lora", {"gpus": 4}),
        ("#SBATCH --gres=gpu:a100:4 qwen2.5-7b grpo", {"cards": ["a100"], "gpus": 4}),
        ("A100:8 qwen3-8b grpo", {"cards": ["a100"], "gpus": 8}),
        ("batch of 512 prompts, 16 responses each, 8xh100", {"batch": 512, "gpus": 8}),
        ("128 prompts x 16 rollouts qwen3-8b 8xh100", {"batch": 128, "gpus": 8}),
        ("3\u4e2a\u6708\u5185\uff0c4\u5f20A6000\uff0cqwen3-8b", {"gpus": 4}),
        ("8xH100,Qwen3-8B,GRPO,2048,8192", {"prompt": 2048, "response": 8192}),
        ("3090 plus 128 gigs of RAM, 14b", {"cards": ["rtx3090"], "ram": 128}),
        ("dora r 32 llama 3.1 8b 4090", {"rank": 32, "model": "Llama-3.1-8B"}),
        ("RTX 4090 24564MiB qwen3-8b", {"cards": ["rtx4090"]}),
        ("8*Ascend 910B qwen3-8b", {"cards": ["910b"], "gpus": 8}),
        ("qwen3-8b 50% 4xh100 0.4", {"gpus": 4, "left_out": ("0.4",)}),
        ("\u79df\u5361\uff1aautodl 4090 \u8dd1 7b grpo", {"cards": ["rtx4090"], "task": "grpo"}),
        ("deux RTX 4090, quel mod\u00e8le puis-je entra\u00eener ?", {"gpus": 2, "left_out": ()}),
        ("J'ai deux 3090 et 64 Go de RAM, Qwen3 8B", {"gpus": 2, "ram": 64, "left_out": ()}),
        ("une seule 4090, LoRA sur Mistral 7B", {"gpus": 1, "left_out": ()}),
        ("zwei A100, kann ich damit Qwen3-8B mit GRPO trainieren?", {"gpus": 2, "left_out": ()}),
        ("Wie viele H100 brauche ich f\u00fcr Qwen3-32B?", {"gpus": None, "left_out": ()}),
        ("vier H100 f\u00fcr Llama-3.1-70B LoRA", {"gpus": 4, "model": "Llama-3.1-70B"}),
        ("tengo dos 3090, \u00bfpuedo entrenar un 8B con lora?", {"gpus": 2, "left_out": ()}),
        ("due 3090 per qwen3 8b", {"gpus": 2, "left_out": ()}),
        ("\u0434\u0432\u0435 3090, 8B lora", {"gpus": 2, "cards": ["rtx3090"]}),
        ("4090 2\uc7a5\uc73c\ub85c 8B LoRA \uac00\ub2a5?", {"gpus": 2, "method": "lora"}),
        ("out of memory due to 8b on a 3090", {"gpus": 1}),
        ("can 30B be done with dual RTX 3090's?", {"gpus": 2, "cards": ["rtx3090"]}),
        ("64GB DDR4-3600, RTX 3090 FE, mistral 7b", {"ram": 64, "left_out": ()}),
        ("VRAM (e.g., 40GB \u00d7 8 cards = 320GB total VRAM) grpo", {"gpus": 8}),
        ("reward modelling 8b on 2x A6000", {"task": "rm", "left_out": ()}),
        ("Zwei 3090 mit NVLink und 128 GB Arbeitsspeicher, 14B", {"gpus": 2, "ram": 128}),
        ("une 4070 pour un mod\u00e8le de 7 milliards de param\u00e8tres", {"model": "Qwen2.5-7B"}),
        ("grpo 7B w/ 4 L40S, currently OOM at 40GB", {"gpus": 4, "cards": ["l40s"]}),
        ("Qwen2.5-VL-7B on 4xA100, images of 1280x720", {"gpus": 4, "response": None}),
        ("4090 24gb + 2x32gb ddr5, 8b lora", {"cards": ["rtx4090"], "ram": 64}),
        ("what is the biggest Qwen I can GRPO on 2 x 3090", {"model": None, "left_out": ("Qwen",)}),
        ("train a 3B on two 4070 Ti Supers", {"gpus": 2, "cards": ["rtx4070tisuper"]}),
        ("dpo llama-3.1-8b 2 a6000 beta 0.1", {"gpus": 2, "left_out": ("beta=0.1",)}),
        ("2 DGX H100, 70b full grpo", {"gpus": 16, "cards": ["h100"]}),
        (
            "I can't wait for the H100s, what can I finetune on two 3090?",
            {"cards": ["rtx3090"], "gpus": 2, "left_out": ("h100s",)},
        ),
        ("we used to have 2xA100 but now a single L40S, 7b grpo", {"cards": ["l40s"], "gpus": 1}),
        ("upgrading from a 3090 to a 5090, qwen3 4b lora", {"cards": ["rtx5090"], "gpus": 1}),
        ("the paper used 8 H100, I have 2xA6000, 7b grpo", {"cards": ["a6000"], "gpus": 2}),
        ("the tutorial ran on a T4 but I own a 4080, qwen3-4b sft", {"cards": ["rtx4080"]}),
        ("waiting for my 5090, qwen3 4b qlora", {"cards": ["rtx5090"], "left_out": ()}),
        ("my friend has 4xA100, llama 3.1 8b", {"cards": ["a100"], "gpus": 4, "left_out": ()}),
        ("qwen2.5-vl-7b 4xA100 1200 image tokens per sample", {"images": 1200, "response": None}),
        ("qwen2.5-vl-7b 4xA100 image tokens: 2k, 3k prompts", {"images": 2048, "prompt": 3072}),
        (f"{TRACE} 79.15 {OF_CARD} Qwen2.5-7B GRPO on 8 GPUs", {"cards": ["h100"], "gpus": 8}),
        (f"{TRACE} 23.64 {OF_CARD} qwen3-8b lora 2x4090", {"cards": ["rtx4090"], "gpus": 2}),
        (
            (
                "openrlhf.cli.train_ppo_ray --ref_num_nodes 1 --ref_num_gpus_per_node 8 "
                "--actor_num_nodes 1 --actor_num_gpus_per_node 8 --vllm_num_engines 4 "
                "--colocate_all_models --pretrain Qwen/Qwen3-8B --rollout_batch_size 512 "
                "--micro_train_batch_size 2 --zero_stage 3 --packing_samples a100"
            ),
            {"framework": "openrlhf", "model": "Qwen/Qwen3-8B", "gpus": 8, "batch": 512},
        ),
        (
            (
                "trl sft --model_name_or_path Qwen/Qwen3-8B --max_length 2048 --use_peft "
                "--lora_r 16 --per_device_train_batch_size 2 --gradient_accumulation_steps 8 3090"
            ),
            {"framework": "trl", "model": "Qwen/Qwen3-8B", "rank": 16, "response": 2048},
        ),
        ("8b on 4x spot H100", {"gpus": 4, "left_out": ()}),
        ("Qwen3-8B, flash attention 2, lora r=16, 3090", {"rank": 16, "left_out": ()}),
    ],
)
def test_what_is_meant(words: str, meant: dict[str, Any]) -> None:
    question = parse_question([words])
    read = {name: getattr(question, name) for name in meant}
    if "cards" in meant:
        read["cards"] = [card.token for card in question.cards]
    assert read == meant


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("under $5/h, which GPUs for grpo on 7b?", "Prices are not known here ($5)"),
        ("5000 usd 7b lora", "Prices are not known here (5000usd)"),
        ("\u9884\u7b973\u4e07\uff0c\u8bad\u7ec38B", "Prices are not known here (30000)"),
        ("3\u4e07\u9884\u7b97 8B", "Prices are not known here (30000)"),
        ("\u9884\u7b975000\u5143 7b lora 3090", "Prices are not known here (5000)"),
        ("\u6bcf\u5c0f\u65f61.8\u5143\uff0cqwen3-8b lora", "Prices are not known here (1.8)"),
        ("\u6bcf\u67082000\u5757 8b lora", "Prices are not known here (2000)"),
        ("A100 80GB at $2/h, 8b", "Prices are not known here ($2)"),
        ("1xH100 at $2.99/hr or 2xA100 at $1.89/hr, 8b", "not known here ($2.99, $1.89)"),
        ("H100 at 2.5 per hour 7b", "Prices are not known here (2.5)"),
        ("8xH100 @ $2.49/hr/GPU 8b", "Prices are not known here ($2.49)"),
        ("A100 \u00e0 1,19 \u20ac/h, 7b", "Prices are not known here (1.19\u20ac)"),
        ("for 2 dollars per gpu-hour, 8xH100, 8b", "Prices are not known here (2dollars)"),
        ("8xh100 8b per gpu batch 4", "Micro and mini batches are chosen here"),
        ("8xh100 8b batch size 4 per gpu", "Micro and mini batches are chosen here"),
        ("8xh100 8b per_device_train_batch_size=4", "Micro and mini batches are chosen here"),
        ("8xh100 8b mini batch 64", "batch=128 is the sequences of a step over all GPUs."),
        ("8xh100 8b group size 16", "How many responses a prompt gets is no part"),
        ("8xh100 8b 16 rollouts per prompt", "How many responses a prompt gets is no part"),
        ("8xh100 8b tp=4", "Parallel sizes and accumulation are chosen here"),
        ("8xh100 8b PP2", "Parallel sizes and accumulation are chosen here"),
        ("8xh100 8b grad_accum=8", "Parallel sizes and accumulation are chosen here"),
        ("8xh100 8b megatron", "Megatron is no choice of its own"),
        ("8xh100 8b deepspeed zero3", "DeepSpeed is no choice of its own"),
    ],
)
def test_what_changes_no_answer_gets_a_sentence_beside_it(words: str, sentence: str) -> None:
    question = parse_question([words])
    assert sentence in " ".join(question.asides)
    assert (question.response, question.left_out) == (None, ())


def test_a_setting_that_is_not_known_is_left_out_and_said() -> None:
    assert parse_question(["8xh100 8b beta=0.04"]).left_out == ("beta=0.04",)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("qwen3 8b vs llama 3.1 8b on 4x4090", "one of them, please."),
        ("llama 3.1 8b or qwen3 8b lora 4x4090", "one of them, please."),
        ("mistral 7b versus gemma 2 9b 2xA6000 lora", "one of them, please."),
        ("qwen3 8b, qwen3 14b lora 4x4090", "names qwen3 8b, 14b: one of them, please."),
        ("qwen3 8b/14b lora 4x4090", "names qwen3 8b, 14b: one of them, please."),
        ("Qwen3 8B & Qwen3 14B lora", "names Qwen3 8B, 14B: one of them, please."),
        ("qwen3 8b grpo lroa 2x3090", 'did you mean "lora"?'),
        ("Can I run Qwen3-32B inference on a 4090?", "inference is none: ask about sft"),
        ("serve llama 70b with vllm on 2xA100", "What training takes is answered here"),
        ("train gpt2 from scratch on 3060", "There is no prediction for pretraining"),
        ("embedding model 0.6b 3090", "There is no prediction for embedding models"),
        ("online DPO 8b 4090", "There is no prediction for online DPO"),
        ("GaLore 7b 4090", "No script here trains with GaLore"),
        ("LoRA of 7B on 16GB M1?", "a Mac share one memory"),
    ],
)
def test_what_has_no_answer(words: str, sentence: str) -> None:
    assert sentence in _refusal(words)


def test_a_name_of_several_words_is_still_one() -> None:
    """A further training is named as it is written, also beside a blank."""
    for words, model in (
        ("deepseek r1 distill qwen 7b 4090", "DeepSeek-R1-Distill-Qwen-7B"),
        ("deepseek 70b lora 8xh100", "DeepSeek-R1-Distill-Llama-70B"),
        ("qwen2.5 coder 32b 8xh100", "Qwen2.5-Coder-32B"),
        ("minimax m2 8xh200", "MiniMax-M2"),
        ("qwen3 30b a3b thinking 2507 8xh100", "Qwen3-30B-A3B-Thinking-2507"),
    ):
        assert parse_question([words]).model == model


@pytest.mark.parametrize(
    "words",
    [
        "what's the max context for qwen3 8b on 8xA100 grpo?",
        "max context length qwen3-8b lora sft 4090",
        "how long a sequence fits qwen3-8b on 4090",
        "\u75283090\u8bad\u7ec30.5B\u7684GRPO\uff0c\u6700\u5927\u957f\u5ea6\u591a\u5c11\uff1f",
    ],
)
def test_the_longest_lengths_are_answered_where_they_are_asked_for(words: str) -> None:
    question = parse_question([words])
    assert question.asks_longest
    assert (question.response, question.left_out) == (None, ())
    answer = json.loads(rlbot("recommend", words, "--format", "json").out)
    fitting = [one for one in answer["methods"] if one["verdict"] != "no"]
    assert fitting
    assert all(one["longest"] >= 2048 for one in fitting)


def test_a_maximum_with_its_number_is_a_length() -> None:
    for words in ("max length 4096 qwen3 8b", "max context of 4096 qwen3 8b", "maxlen 4096 8b"):
        question = parse_question([words])
        assert (question.response, question.asks_longest) == (4096, False), words


def test_a_number_of_several_cards_is_of_each() -> None:
    said = rlbot("recommend", "4x3090 or 4090 for 7b?").out
    assert "4 of each card" in said


def test_a_refusal_is_in_the_language_of_the_question() -> None:
    chinese = rlbot("recommend", "\u516b\u5361H100 qwen3-8b kto")
    assert chinese.status == 2
    assert "\u6ca1\u6709" in chinese.err
    japanese = rlbot("recommend", "H100 8\u679a\u3067Qwen3-32B\u306eGRPO")
    assert "grpo of Qwen3-32B" in japanese.out
