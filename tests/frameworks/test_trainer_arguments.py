"""What TRL's trainers take by name, and the options that it renamed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bot.frameworks.settings.option_table import OptionTable
from bot.frameworks.settings.releases import releases, timeline
from bot.frameworks.tables import table

RENAMES: dict[str, list[str]] = json.loads(
    Path("schemas/frameworks/trl/renames.json").read_text("utf-8")
)["renames"]
FORMER = """
class KTOTrainer(Trainer):
    @deprecate_kwarg("tokenizer", "0.14.0", "processing_class", raise_if_both_names=True)
    def __init__(self, model, args=None, *, peft_config=None):
        pass

class Other:
    def __init__(self, tokenizer):
        pass
"""
WRAPPER = """
from ..experimental.kto import KTOTrainer as _KTOTrainer

class KTOTrainer(_KTOTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
"""
EXPERIMENTAL = """
class KTOTrainer(Trainer):
    def __init__(self, model, args=None, train_dataset=None):
        pass
"""


@pytest.mark.parametrize("former", sorted(RENAMES))
def test_an_option_that_was_renamed_is_gone_from_a_module_that_has_the_new_one(
    former: str,
) -> None:
    options = timeline("trl")
    assert options is not None
    found = set[str | None]()
    for module in options.modules_having(former):
        for release in {*releases("trl")} - {*options.having(former, module)}:
            known = table("trl", release, module)
            found.add(known.renamed(former) if isinstance(known, OptionTable) else None)
    assert found & {*RENAMES[former]}


@pytest.mark.usefixtures("generate")
def test_the_signature_of_a_trainer_is_read_and_that_of_the_class_that_it_hands_on_to() -> None:
    reader: ModuleType = sys.modules["dataclass_releases"]
    found = reader.trainer_arguments({"trl/trainer/kto_trainer.py": FORMER})
    assert {name: row[3] for name, row in found["KTOTrainer"].items()} == {
        "args": None,
        "model": None,
        "peft_config": None,
        "tokenizer": "processing_class",
    }
    found = reader.trainer_arguments(
        {
            "trl/experimental/kto/kto_trainer.py": EXPERIMENTAL,
            "trl/trainer/kto_trainer.py": WRAPPER,
        }
    )
    assert list(found["KTOTrainer"]) == ["args", "model", "train_dataset"]
