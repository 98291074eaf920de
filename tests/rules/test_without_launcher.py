from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.rules._support.example import verl
from tests.rules.helpers import marked, quiet

SLUG = "without-launcher"
SFT = "-m verl.trainer.sft_trainer data.train_files=a.parquet\n"


@pytest.mark.parametrize(
    "script",
    [
        verl(),
        f"torchrun --nproc_per_node=1 {SFT}",
        f"python3 -m torch.distributed.run --nproc_per_node=1 {SFT}",
        f"accelerate launch {SFT}",
        f"srun python3 {SFT}",
        f"docker run -e RANK=0 image python3 {SFT}",
        f"$PYTHON {SFT}",
        f"export RANK=0 WORLD_SIZE=1 LOCAL_RANK=0\npython3 {SFT}",
        f"LOCAL_RANK=0 python3 {SFT}",
        f"python3 {SFT.replace('sft_trainer', 'sft_trainer_ray')}",
        f"python3 {SFT.replace('verl.trainer', 'mine')}",
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        f"python3 {SFT}",
        f"CUDA_VISIBLE_DEVICES=0 nohup python {SFT}",
        f"uv run --extra gpu python {SFT}",
        f"conda run -n verl python {SFT}",
        f"# verl: 0.4.1\npython {SFT.replace('sft', 'fsdp_sft')}",
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


READS = b'rank = int(os.environ["LOCAL_RANK"])\n'
SETS = b'os.environ.setdefault("RANK", "0")\n'


@pytest.mark.parametrize(
    ("group", "trainer", "count"),
    [
        (READS, b"pass\n", 1),
        (SETS + READS, b"pass\n", 0),  # deettoh/budget-r1's
        (READS, b'os.environ["RANK"] = "0"\n', 0),
        (b"pass\n", b"pass\n", 0),
    ],
)
def test_a_copy_that_starts_alone(group: bytes, trainer: bytes, count: int) -> None:
    files = {
        "verl/trainer/config/sft_trainer.yaml": b"data: {train_files: null}\n",
        "verl/trainer/sft_trainer.py": trainer,
        "verl/utils/distributed.py": group,
    }
    options = CheckOptions(place=InCheckout(Checkout(files)))
    report = check_script(ScriptFile(path="run.sh", data=f"python3 {SFT}".encode()), options)
    assert len([one for one in report.findings if one.id == "RLB121"]) == count
