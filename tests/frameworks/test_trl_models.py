"""The model that a program gives TRL's trainer in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.check.estimate import estimate_script
from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.memory.readers.lengths import Measured
from bot.report import Estimate, ScriptReport
from tests.command import rlbot

HEAD = """\
import torch
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
"""
SFT = "args = SFTConfig(output_dir='o', max_length=1024, per_device_train_batch_size=1)\n"
LOAD = "model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B', dtype=torch.bfloat16)\n"
TRAIN = "SFTTrainer(model=model, args=args).train()\n"
GRPO = "a = GRPOConfig(beta=0.1)\n"
LORA = "lora = LoraConfig(r=16, target_modules='all-linear')\n"
OF_MODEL = (
    *("model_name_or_path", "dtype", "torch_dtype", "attn_implementation", "load_in_4bit"),
    *("load_in_8bit", "use_peft", "lora_r", "lora_target_modules", "reward_model_name_or_path"),
)


def options(text: str, name: str = "train.py") -> CheckOptions:
    place = InCheckout(Checkout({name: text.encode()}))
    return CheckOptions(place=place, device="h100", evidence="off", launches=True)


def lint(text: str) -> ScriptReport:
    return check_script(ScriptFile(path="train.py", data=text.encode()), options(text))


def model_of(text: str) -> dict[str, object]:
    """What is known of the model, by the options of TRL's scripts."""
    (launch,) = lint(HEAD + text).launches
    return {key: value for key, value in launch.settings.items() if key in OF_MODEL}


def estimate(text: str, gpus: int | None = 1) -> Estimate:
    script = ScriptFile(path="train.py", data=(HEAD + text).encode())
    made = estimate_script(script, options(HEAD + text), gpus=gpus).estimate
    assert made is not None
    return made


STORED = "model = PeftModel.from_pretrained(model, 'adapter', is_trainable=True)\n"


def test_an_adapter_of_an_earlier_training_is_trained_on() -> None:
    """FinQA-tool-calling-GRPO-GSPO: fine-tuned first, then by GRPO."""
    found = model_of(SFT + LOAD + STORED + TRAIN)
    assert found == {
        "model_name_or_path": "Qwen/Qwen2.5-0.5B",
        "dtype": "bfloat16",
        "use_peft": True,
    }
    made = estimate(SFT + LOAD + STORED + TRAIN)
    assert "an adapter of rank 16 in all linear layers" in "; ".join(made.assumptions)
    lora = LORA.replace("'all-linear'", "'all-linear', lora_dropout=0.1")
    first = lora + TRAIN.replace("args=args", "args=args, peft_config=lora")
    assert made.stages == estimate(SFT + LOAD + first).stages


COUNT = "n = sum(p.numel() for p in model.parameters() if p.requires_grad)\n"
GRADS = """\
for name, p in model.named_parameters():
    if 'lora' in name:
        p.requires_grad = True
"""


LOOK = f"""\
import argparse
p = argparse.ArgumentParser()
p.add_argument('--look', action='store_true')
given = p.parse_args()
def look():
    {LOAD.replace("model =", "other =")}
if given.look:
    look()
"""


def test_a_model_that_no_run_loads_is_none_beside() -> None:
    """Qwen3-VL-SFT-RL-Tutorial: `--check-image` looks at a picture, and ends."""
    assert model_of(LOOK + SFT + LOAD + TRAIN)["dtype"] == "bfloat16"
    assert model_of(LOOK.replace("given.look", "more") + SFT + LOAD + TRAIN) == {}
    assert model_of(LOOK.replace("if given.look:", "if not given.look:") + SFT + LOAD + TRAIN) == {}


@pytest.mark.parametrize(
    "text",
    [
        LOAD + COUNT,
        LOAD + "for p in model.parameters():\n    p.requires_grad = True\n",
        LOAD + LORA + "model = get_peft_model(model, lora)\n" + GRADS + COUNT,
        LOAD + STORED.replace(", is_trainable=True", "") + GRADS,  # CAS_NLP_MODULE4_GRPO
    ],
)
def test_parameters_that_are_counted_are_not_frozen(text: str) -> None:
    found = model_of(SFT + text + TRAIN)
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"
    assert found.get("use_peft", False) is ("PeftModel" in text or "lora" in text)


def test_a_merged_adapter_leaves_the_model() -> None:
    """text2sql-grpo: only where its option names an adapter."""
    merged = STORED.replace("model =", "own =") + "model = own.merge_and_unload()\n"
    assert "use_peft" not in model_of(SFT + LOAD + merged + TRAIN)
    option = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lora')\n"
        "given = p.parse_args()\n"
    )
    inner = "".join(f"    {line}\n" for line in merged.splitlines())
    found = model_of(option + SFT + LOAD + f"if given.lora:\n{inner}" + TRAIN)
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


def test_targets_may_stand_in_a_text() -> None:
    names = "names = [x.strip() for x in 'q_proj, v_proj,'.split(',') if x.strip()]\n"
    lora = "lora = LoraConfig(r=4, target_modules=names)\n"
    found = model_of(
        SFT + LOAD + names + lora + TRAIN.replace("args=args", "args=args, peft_config=lora")
    )
    assert found["lora_target_modules"] == ["q_proj", "v_proj"]


@pytest.mark.parametrize(
    "text",
    [
        SFT + LOAD + STORED + "model = get_peft_model(model, LoraConfig())\n" + TRAIN,
        SFT + LOAD + STORED.replace("True", "args.trains") + TRAIN,
        SFT + LOAD + STORED.replace(", is_trainable=True", "") + COUNT + TRAIN,
        SFT + LOAD + LORA + "model = get_peft_model(model, lora)\n"
        "for p in model.lm_head.parameters():\n    p.requires_grad = True\n" + TRAIN,
        SFT + LOAD + "for p in model.parameters():\n    p.requires_grad = more\n" + TRAIN,
        SFT + LOAD + "model.requires_grad_(False)\n" + TRAIN,
        SFT + TRAIN,
        SFT + TRAIN.replace("model=model, ", ""),
        SFT + LOAD + TRAIN + LOAD.replace("0.5B", "7B") + TRAIN,
        SFT + LOAD + "if args.lora:\n    model = get_peft_model(model, LoraConfig())\n" + TRAIN,
        SFT
        + LOAD
        + "try:\n    model = get_peft_model(model, LoraConfig())\nexcept OSError: ...\n"
        + TRAIN,
        SFT + LOAD + "model = wrap(model)\n" + TRAIN,
        SFT + LOAD + "a = b if a else b\nb = a if b else a\nmodel = a\n" + TRAIN,
        SFT + LOAD + "model = PeftModel.from_pretrained(model, 'adapter')\n" + TRAIN,
        SFT + LOAD + "model = model.to(torch.float16)\n" + TRAIN,
        SFT + LOAD + "for p in model.parameters():\n    p.requires_grad = False\n" + TRAIN,
        SFT + "for model in (a, b):\n    pass\n" + TRAIN,
        SFT + LOAD.replace("AutoModelForCausalLM", "FastModel") + TRAIN,
        SFT + LOAD.replace("AutoModelForCausalLM", "AutoPeftModelForCausalLM") + TRAIN,
        SFT + "model = AutoModelForCausalLM.from_pretrained()\n" + TRAIN,
        SFT + LOAD + "model = get_peft_model(model)\n" + TRAIN,
        SFT + TRAIN.replace("=model", "=self.model"),
        SFT + TRAIN.replace("=model", "=config['model']"),
        SFT.replace("output_dir='o'", "output_dir='o', model_init_kwargs={**more, 'a': 1}")
        + TRAIN.replace("=model", "='Qwen/Qwen2.5-0.5B'"),
        SFT + LOAD.replace("dtype=", "config=own, dtype=") + TRAIN,
        SFT + LOAD.replace("dtype=", "**more, dtype=") + TRAIN,
        SFT + LOAD.replace("dtype=", "quantization_config=GPTQConfig(4), dtype=") + TRAIN,
        SFT + LOAD.replace("model =", "judge =") + LOAD + TRAIN,
        SFT + LOAD + TRAIN.replace("args=args", "args=args, peft_config=made()"),
        SFT
        + LOAD
        + TRAIN.replace("args=args", "args=args, peft_config=LoraConfig(rank_pattern={})"),
        SFT
        + LOAD
        + "def f(m):\n    return m\n    return 0\n"
        + TRAIN.replace("=model", "=f(model)"),
        SFT + LOAD + "def f(m):\n    return f(m)\n" + TRAIN.replace("=model", "=f(model)"),
        "class SFTTrainer: pass\n" + SFT + TRAIN.replace("model=", "model_name="),
        "from own import SFTTrainer\n" + SFT + LOAD + TRAIN,
        GRPO + "GRPOTrainer('a/b', reward_funcs=['judge/a', 'judge/b'], args=a)\n",
        "a = DPOConfig(beta=0.1)\n" + LOAD + "DPOTrainer(model, ref_model=load(), args=a)\n",
    ],
)
def test_a_model_that_is_not_sure_is_not_known(text: str) -> None:
    assert model_of(text) == {}
    assert estimate(text).outcome == "no prediction"


NAMED = {"model_name_or_path": "Qwen/Qwen2.5-0.5B", "dtype": "float32"}
HALF = NAMED | {"dtype": "bfloat16"}
ADAPTED = HALF | {"use_peft": True, "lora_r": 16, "lora_target_modules": ["all-linear"]}
QUANTIZED = "bnb = BitsAndBytesConfig(load_in_4bit=True)\n"
INSIDE = "    m = AutoModelForCausalLM.from_pretrained(name, torch_dtype='auto')\n    return m, 0\n"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (SFT + "SFTTrainer('Qwen/Qwen2.5-0.5B', args=args)\n", NAMED),
        (SFT + "NAME = 'Qwen/Qwen2.5-0.5B'\n" + TRAIN.replace("model=model", "model=NAME"), NAMED),
        (
            SFT.replace("output_dir='o'", "output_dir='o', model_init_kwargs={'dtype': 'bfloat16'}")
            + TRAIN.replace("=model", "='Qwen/Qwen2.5-0.5B'"),
            HALF,
        ),
        (SFT + LOAD + TRAIN, HALF),
        (
            SFT + LOAD.replace("('Qwen/Qwen2.5-0.5B'", "(str(Path('Qwen/Qwen2.5-0.5B'))") + TRAIN,
            HALF,
        ),
        (SFT + LOAD.strip() + ".to('cuda')\n" + TRAIN, HALF),
        (SFT + "model: object\n" + LOAD.replace("model =", "model: object =") + TRAIN, HALF),
        (
            SFT
            + LOAD.replace("torch.bfloat16", "torch.bfloat16 if ok() else torch.float16")
            + TRAIN.replace("model=model", "model"),
            HALF,
        ),
        (SFT + LOAD + LORA + TRAIN.replace("args=args", "args=args, peft_config=lora"), ADAPTED),
        (SFT + LOAD + LORA + "model = get_peft_model(model, lora)\n" + TRAIN, ADAPTED),
        (
            "USE_LORA = True\n"
            + SFT
            + LOAD
            + LORA
            + "if USE_LORA:\n    model = get_peft_model(model, lora)\n"
            + TRAIN,
            ADAPTED,
        ),
        (
            "KIND = 'full'\n"
            + SFT
            + LOAD
            + LORA
            + "if KIND == 'lora':\n    model = get_peft_model(model, lora)\n"
            + "elif not KIND:\n    model = None\n"
            + TRAIN.replace("args=args", "args=args, peft_config=lora if KIND != 'full' else None"),
            HALF,
        ),
        (
            SFT + LOAD + TRAIN.replace("args=args", "args=args, peft_config=LoraConfig()"),
            HALF | {"use_peft": True, "lora_r": 8},
        ),
        (
            SFT
            + QUANTIZED
            + LOAD.replace("dtype=", "quantization_config=bnb, dtype=")
            + LORA
            + TRAIN.replace("args=args", "args=args, peft_config=lora"),
            ADAPTED | {"load_in_4bit": True},
        ),
        (
            SFT
            + "def load(name='Qwen/Qwen2.5-0.5B', *, four=False):\n"
            + INSIDE
            + "def main():\n    model, rest = load()\n    "
            + TRAIN
            + "if __name__ == '__main__':\n    main()\n",
            HALF | {"dtype": "auto"},
        ),
        (
            "class Own:\n    NAME = 'Qwen/Qwen2.5-0.5B'\n    rank: int = 4\n"
            + SFT
            + LOAD.replace("'Qwen/Qwen2.5-0.5B'", "Own.NAME")
            + "own = Own(rank=16)\n"
            + "lora = LoraConfig(r=own.rank, target_modules='all-linear')\n"
            + TRAIN.replace("args=args", "args=args, peft_config=lora"),
            ADAPTED,
        ),
        (SFT + LOAD + TRAIN + "base = AutoModelForCausalLM.from_pretrained('merged')\n", HALF),
        # khu-kimjunseo/DPO_for_CodeGen
        (SFT + LOAD + "model = model.half().cuda()\n" + TRAIN, HALF | {"dtype": "float16"}),
        (SFT + LOAD + "model = model.float()\n" + TRAIN, HALF | {"dtype": "float32"}),
        (
            "def test():\n    other = AutoModelForCausalLM.from_pretrained('x')\n"
            + SFT
            + LOAD
            + TRAIN
            + "test()\n",
            HALF,
        ),
        (
            GRPO
            + "def short(c): ...\njudges = [short, 'Qwen/Qwen2.5-1.5B']\n"
            + "GRPOTrainer('Qwen/Qwen2.5-0.5B', args=a, reward_funcs=judges)\n",
            NAMED | {"reward_model_name_or_path": "Qwen/Qwen2.5-1.5B"},
        ),
        (
            "a = DPOConfig(beta=0.1)\n"
            + LOAD
            + LOAD.replace("model =", "ref =")
            + "DPOTrainer(model, ref_model=ref, args=a)\n",
            HALF,
        ),
    ],
)
def test_the_model_is_followed(text: str, known: dict[str, object]) -> None:
    assert model_of(text) == known


@pytest.mark.parametrize("cast", ["to(torch.float16)", "half(1)", "double()"])
def test_other_casts_are_not_followed(cast: str) -> None:
    assert model_of(SFT + LOAD + f"model = model.{cast}\n" + TRAIN) == {}


@pytest.mark.parametrize(
    ("given", "length"),
    [
        ("2 * 1024", 2048),
        ("2**11", 2048),
        ("size", 4096),
        ("size - SHORT", 3584),
        ("Own.LONG", 1024),
        ("read()", None),
        ("size / 0", None),
        ("9**9**9", None),
        ("changed", None),
    ],
)
def test_a_setting_may_be_calculated(given: str, length: int | None) -> None:
    text = "SHORT = 512\nclass Own:\n    LONG = 1024\n\ndef main():\n    size = 4096\n"
    text += "    changed = 1\n    for changed in read():\n        pass\n    "
    text += SFT.replace("1024", given) + "    " + LOAD + "    " + TRAIN
    (launch,) = lint(HEAD + text).launches
    known = launch.settings["max_length"]
    assert (known if isinstance(known, int) else None) == length


def test_an_option_of_the_program_may_name_the_model() -> None:
    program = (
        HEAD
        + "import argparse\np = argparse.ArgumentParser()\n"
        + "p.add_argument('--model', default='Qwen/Qwen2.5-0.5B')\na = p.parse_args()\n"
        + SFT
        + TRAIN.replace("=model", "=a.model")
    )
    script = ScriptFile(path="run.sh", data=b"python train.py --model Qwen/Qwen3-0.6B\n")
    (launch,) = check_script(script, options(program)).launches
    assert launch.settings["model_name_or_path"] == "Qwen/Qwen3-0.6B"
    (launch,) = lint(program).launches
    assert launch.settings["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


@pytest.mark.parametrize(("release", "key"), [("0.20.0", "torch_dtype"), ("1.16.0", "dtype")])
def test_the_type_has_the_name_of_the_release(release: str, key: str) -> None:
    text = f"# trl: {release}\n" + HEAD + SFT.replace("max_length", "logging_steps") + LOAD + TRAIN
    report = lint(text)
    assert report.launches[0].settings[key] == "bfloat16"
    assert [one.message for one in report.findings if one.severity == "error"] == []


def weights(made: Estimate) -> float:
    (stage,) = (one for one in made.stages if one.stage == "update")
    return stage.components["weights"]


HALF_BILLION = 494_032_768 / 2**30


def test_a_model_without_a_type_is_loaded_as_transformers_does() -> None:
    """Two bytes a parameter since transformers 5 takes the type of the files, four before."""
    text = SFT + LOAD.replace(", dtype=torch.bfloat16", "") + TRAIN
    assert weights(estimate("# trl: 0.24.0\n" + text)) == pytest.approx(HALF_BILLION * 4, abs=0.02)
    assert weights(estimate("# trl: 1.16.0\n" + text)) == pytest.approx(HALF_BILLION * 2, abs=0.02)
    named = "# trl: 1.16.0\n" + SFT + "SFTTrainer('Qwen/Qwen2.5-0.5B', args=args)\n"
    assert weights(estimate(named)) == pytest.approx(HALF_BILLION * 4, abs=0.02)


def test_what_peft_prepares_is_in_fp32_and_recomputed() -> None:
    quantized = LOAD.replace("dtype=", "load_in_4bit=True, dtype=")
    text = SFT.replace("output_dir", "gradient_checkpointing=False, output_dir") + quantized + LORA
    train = TRAIN.replace("args=args", "args=args, peft_config=lora")
    plain = estimate(text + train)
    prepared = estimate(text + "model = prepare_model_for_kbit_training(model)\n" + train)
    embedding = 151_936 * 896 * 2 / 2**30
    assert weights(prepared) - weights(plain) == pytest.approx(embedding, rel=0.05)
    assert "gradient_checkpointing=True" in prepared.applied
    assert "gradient_checkpointing=True" not in plain.applied


@pytest.mark.parametrize(
    ("prepares", "recomputed"),
    [
        ("model, use_gradient_checkpointing=True)\n", True),
        ("model, use_gradient_checkpointing=more)\n", True),
        ("model, use_gradient_checkpointing=False)\n", False),
        # SharjilSharma/FineTuningProject
        ("model)\nmodel.gradient_checkpointing_disable()\n", False),
        ("model)\nif False:\n    model.gradient_checkpointing_disable()\n", True),
        (
            "model, use_gradient_checkpointing=False)\nmodel.gradient_checkpointing_enable()\n",
            True,
        ),
    ],
)
def test_what_peft_prepares_may_have_its_layers_kept(prepares: str, recomputed: bool) -> None:
    quantized = LOAD.replace("dtype=", "load_in_4bit=True, dtype=")
    text = SFT.replace("output_dir", "gradient_checkpointing=False, output_dir") + quantized + LORA
    train = TRAIN.replace("args=args", "args=args, peft_config=lora")
    made = estimate(f"{text}model = prepare_model_for_kbit_training({prepares}{train}")
    assert ("gradient_checkpointing=True" in made.applied) is recomputed


def test_a_model_may_be_told_to_recompute() -> None:
    text = "# trl: 0.20.0\n" + SFT + LOAD + "model.gradient_checkpointing_enable()\n" + TRAIN
    assert "gradient_checkpointing=True" in estimate(text).applied
    assert "gradient_checkpointing=True" not in estimate(text.replace("_enable", "_other")).applied


def test_no_trainer_turns_off_what_a_model_was_told() -> None:
    """As in YeeDEA/jetson-orin-llm and Vedang-P/chess-slm-benchmark."""
    off = SFT.replace("output_dir", "gradient_checkpointing=False, output_dir")
    told = LOAD + "model.gradient_checkpointing_enable()\n"
    kept = estimate("# trl: 1.14.0\n" + off + LOAD + TRAIN)
    made = estimate("# trl: 1.14.0\n" + off + told + TRAIN)
    assert "gradient_checkpointing=True" in made.applied
    assert made.peak_gib is not None
    assert kept.peak_gib is not None
    assert made.peak_gib < kept.peak_gib


VL = (
    "model = AutoModelForImageTextToText.from_pretrained(\n"
    "    'Qwen/Qwen2.5-VL-3B-Instruct', dtype=torch.bfloat16\n)\n"
)


@pytest.mark.parametrize(
    "freezes",
    [
        # davidbchang/visual-attention-intervention
        "for p in model.visual.parameters():\n    p.requires_grad = False\n",
        "for p in model.model.visual.parameters():\n    p.requires_grad_(False)\n",
        "model.visual.requires_grad_(False)\n",
        (
            "for name, p in model.named_parameters():\n"
            "    if 'visual' in name:\n        p.requires_grad = False\n"
        ),
    ],
)
def test_a_vision_tower_alone_may_be_frozen(freezes: str) -> None:
    """Its 0.67 billion parameters have no gradients and no moments."""
    trained, frozen = (
        estimate("# trl: 1.0.0\n" + SFT + VL + more + TRAIN) for more in ("", freezes)
    )
    assert weights(frozen) == pytest.approx(weights(trained), abs=0.01)
    held = [
        next(one for one in made.stages if one.stage == "optimizer").components["optimizer"]
        for made in (trained, frozen)
    ]
    assert held[0] - held[1] == pytest.approx(0.67e9 * 4 / 2**30, rel=0.05)


@pytest.mark.parametrize(
    "freezes",
    [
        "for p in model.visual.parameters():\n    p.requires_grad = more\n",
        "if more:\n    model.visual.requires_grad_(False)\n",
        "model.visual.merger.requires_grad_(False)\n",
        (
            "for name, p in model.named_parameters():\n"
            "    if 'visual' not in name:\n        p.requires_grad = False\n"
        ),
        (
            "for name, p in model.named_parameters():\n"
            "    if 'visual' in name:\n        continue\n    p.requires_grad = False\n"
        ),
        "model.visual.requires_grad_(False)\nmodel.lm_head.requires_grad_(False)\n",
    ],
)
def test_what_else_is_frozen_is_not_known(freezes: str) -> None:
    assert model_of(SFT + VL + freezes + TRAIN) == {}


def test_how_layers_would_be_recomputed_changes_nothing_where_they_are_not() -> None:
    how = "gradient_checkpointing_kwargs={'use_reentrant': False}, output_dir"
    off = SFT.replace("output_dir", f"gradient_checkpointing=False, {how}").replace("=1)", "=512)")
    assert estimate("# trl: 1.10.0\n" + off + LOAD + TRAIN).outcome == "likely OOM"


def test_targets_that_only_a_run_decides_are_all_linear_layers() -> None:
    """BTGenTP/FineTuningOnTelecomCluster: `[t for t in wanted if t in present]`"""
    lora = "peft_config=LoraConfig(r=64, target_modules={})"
    text = SFT + LOAD + TRAIN.replace("args=args", f"args=args, {lora}")
    unknown = estimate(text.format("[t for t in wanted if t in present]"))
    clause = "an adapter in all linear layers, as lora_target_modules is not known"
    assert clause in unknown.assumptions
    every = estimate(text.format("'all-linear'"))
    assert clause not in every.assumptions
    some = estimate(text.format("['q_proj']"))
    assert unknown.peak_gib == every.peak_gib
    assert (every.peak_gib or 0) > (some.peak_gib or 0)


def test_layers_are_spread_over_gpus_as_a_map_says() -> None:
    text = SFT + LOAD.replace("dtype=", "device_map='auto', dtype=") + TRAIN
    assert estimate(text).reason is None
    assert "the layers of the model over 2 GPUs" in estimate(text, gpus=2).assumptions
    assert estimate(text.replace("'auto'", "'sequential'"), gpus=2).reason == (
        "device_map spreads the layers of the model over the GPUs, which is not modelled; with "
        "--gpus 1 all are on one."
    )
    for one in ("{'': 0}", "{'': int(rank())}", "None"):
        assert estimate(text.replace("'auto'", one), gpus=2).reason is None


def test_a_process_without_a_launcher_is_taken_for_one_gpu() -> None:
    made = estimate(SFT + LOAD.replace("dtype=", "device_map='auto', dtype=") + TRAIN, gpus=None)
    assert (made.gpus, made.reason) == (1, None)
    assert "one GPU, since no launcher starts more processes" in made.assumptions


def test_the_command_takes_a_program_that_makes_trls_settings(tmp_path: Path) -> None:
    text = HEAD + SFT.replace("max_length", "max_lenth") + LOAD + TRAIN
    (tmp_path / "train.py").write_text(text)
    found = rlbot("lint", "train.py", cwd=tmp_path)
    assert found.status == 1
    assert "5:34  error    RLB020  there is no max_lenth here" in found.out
    (tmp_path / "train.py").write_text(HEAD + SFT + LOAD + TRAIN)
    assert rlbot("lint", "train.py", cwd=tmp_path).status == 0
    made = rlbot("estimate", "train.py", "--device", "rtx4090", "--gpus", "1", cwd=tmp_path)
    assert made.out.startswith("train.py on 1 × RTX4090 (23.6 GiB usable): fits, ")


def test_a_folder_without_scripts_has_its_programs_checked(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(HEAD + SFT + LOAD + TRAIN)
    (tmp_path / "src" / "data.py").write_text("class Config: ...\n")
    (tmp_path / "src" / "own.py").write_text("class SFTConfig(Base): ...\n")
    found = rlbot("lint", ".", "--verbose", cwd=tmp_path)
    assert (found.status, found.out.count(".py\n")) == (0, 1)
    made = rlbot("estimate", ".", "--device", "rtx4090", cwd=tmp_path)
    assert made.out.startswith("train.py on 1 × RTX4090 (23.6 GiB usable): fits, ")
    (tmp_path / "run.sh").write_text("python3 -m trl.scripts.sft --model_name_or_path a/b\n")
    assert "train.py" not in rlbot("lint", ".", cwd=tmp_path).out


def test_a_program_whose_settings_are_not_followed_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEAD + "SFTTrainer('a/b', args=SFTConfig(**given))\n")
    found = rlbot("lint", "train.py", cwd=tmp_path)
    assert found.status == 3
    assert "the settings of TRL stand in Python, SFTConfig(…) in train.py" in found.out


BARE = """from datasets import load_dataset
from trl import GRPOTrainer
from trl.rewards import accuracy_reward
dataset = load_dataset("trl-lib/DeepMath-103K", split="train")
trainer = GRPOTrainer(
    model="Qwen/Qwen2-0.5B-Instruct", reward_funcs=accuracy_reward, train_dataset=dataset
)
trainer.train()
"""


def test_a_trainer_without_settings_has_trls_defaults(tmp_path: Path) -> None:
    """TRL's quick start, as biosharp18/CS245-project has it."""
    (tmp_path / "train.py").write_text(BARE)
    assert rlbot("lint", "train.py", cwd=tmp_path).status == 0
    made = rlbot("estimate", "train.py", "--device", "h100", "--gpus", "1", cwd=tmp_path)
    assert made.out.startswith("train.py on 1 × H100 (79.3 GiB usable): fits, ")


@pytest.mark.parametrize(
    "program",
    [
        BARE.replace("reward_funcs", "args=made(), reward_funcs"),
        BARE.replace("reward_funcs", "**more, reward_funcs"),
        BARE.replace("reward_funcs", "max_seq_length=512, reward_funcs"),  # Of an old release.
        BARE.replace("model=", "").replace("reward_funcs=", ""),  # The third may be settings.
        BARE.replace("from trl import", "from own.trainer import"),
        BARE.replace("from trl import GRPOTrainer", "class GRPOTrainer: pass"),
        BARE + "other = GRPOTrainer('a/b', reward_funcs=accuracy_reward)\n",
    ],
)
def test_a_trainer_that_may_have_settings_starts_nothing_that_is_known(
    tmp_path: Path, program: str
) -> None:
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "run.sh").write_text("python train.py\n")
    report = json.loads(rlbot("lint", "run.sh", "--format", "json", cwd=tmp_path).out)
    (script,) = report["scripts"]
    assert script["launches"] == []
    (reason,) = script["unchecked"]
    assert "the script runs python3 train.py" in reason["reason"].replace("python t", "python3 t")


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"def f{n}():\n    AutoModel.from_pretrained('a')\n" for n in range(2_000)),
        "m = 'a/b'\n" + "m = m.to('cuda')\n" * 4_000,
        "x0 = True\n"
        + "".join(f"if x{n}:\n    x{n + 1} = 1\nelse:\n    x{n + 1} = 0\n" for n in range(400))
        + "m = 'a/b' if x400 else 'c/d'\n",
        "".join(f"def f{n}(m):\n    return f{n + 1}(m)\n" for n in range(2_000))
        + "m = f0('a/b')\n",
    ],
)
def test_a_program_that_is_made_to_be_slow_is_left(text: str) -> None:
    """Each took minutes, or would have, before there were bounds."""
    assert model_of(SFT + text + TRAIN.replace("=model", "=m")) == {}


def test_a_name_that_another_file_has_is_said() -> None:
    """The name stands in no statement of the program, and had no place."""
    text = "from own import NAME\n" + SFT + LOAD.replace("'Qwen/Qwen2.5-0.5B'", "NAME") + TRAIN
    reason = estimate(text).reason or ""
    assert reason.startswith(
        "model_name_or_path is ${?NAME}, which only running decides: give --set "
        "model_name_or_path=VALUE. With"
    )


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (LOAD + "model = shrink(model)\n", "shrink"),
        (
            "if wide:\n    model = 'Qwen/Qwen2.5-3B'\nelse:\n    model = 'Qwen/Qwen2.5-7B'\n",
            "model",
        ),
        (LOAD + "if wide:\n    lora = LoraConfig(r=8)\n", "lora"),
    ],
)
def test_what_is_not_followed_is_named(more: str, part: str) -> None:
    """It was said that `--model_name_or_path` is not known, which is no option of theirs."""
    train = TRAIN.replace("args=args", "args=args, peft_config=lora") if part == "lora" else TRAIN
    made = estimate(SFT + more + train)
    assert made.reason is not None
    assert made.reason == (
        f"The program's model is not followed beyond `{part}`: give --set model_name_or_path=NAME "
        "and --set use_peft=true or false."
    )


def test_an_evaluation_that_only_a_run_knows_of_is_counted() -> None:
    text = (
        SFT.replace("output_dir='o'", "eval_strategy='steps' if held_out else 'no'") + LOAD + TRAIN
    )
    made = estimate(text)
    assert "an evaluation, which only a run knows of" in made.assumptions
    assert [stage.stage for stage in made.stages] == ["update", "optimizer", "evaluation"]


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("model = None\nif model is None:\n    model = 'Qwen/Qwen2.5-3B'\n", "Qwen/Qwen2.5-3B"),
        ("model = 'Qwen/Qwen2.5-7B'\nif model is None:\n    model = 'a/b'\n", "Qwen/Qwen2.5-7B"),
        ("if model is None:\n    model = 'Qwen/Qwen2.5-3B'\n", None),
        ("for model in names:\n    pass\nmodel = model or 'Qwen/Qwen2.5-3B'\n", None),
    ],
)
def test_a_condition_sees_what_stands_above_it(more: str, name: str | None) -> None:
    """The condition was asked of itself, to the end of the stack."""
    assert model_of(SFT + more + TRAIN).get("model_name_or_path") == name


def test_a_name_in_an_expression_of_a_function_is_that_of_its_line() -> None:
    text = (
        "def main():\n    size = '3B'\n    name = f'Qwen/Qwen2.5-{size}'\n    size = '7B'\n"
        f"    {SFT}    SFTTrainer(model=name, args=args).train()\nmain()\n"
    )
    assert model_of(text)["model_name_or_path"] == "Qwen/Qwen2.5-3B"


def test_a_loop_comes_back_above_what_it_changes() -> None:
    text = (
        "size = '3B'\nfor _ in range(2):\n    args = SFTConfig(output_dir=size)\n    size = '7B'\n"
        "SFTTrainer(model='Qwen/Qwen2.5-3B', args=args).train()\n"
    )
    (launch,) = lint(HEAD + text).launches
    assert str(launch.settings["output_dir"]).startswith("${?")


def test_a_program_outside_of_any_repository_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rlbot estimate ~/other/train.py`: the script was said to start nothing known."""
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    program = tmp_path / "there/train.py"
    program.write_text(HEAD + SFT + LOAD + TRAIN)
    monkeypatch.chdir(tmp_path / "here")
    result = rlbot("estimate", program, "--device", "h100", cwd=tmp_path / "here")
    assert result.out.startswith("train.py on 1 × H100")


def test_responses_without_a_limit_have_the_length_that_is_given() -> None:
    text = (
        "args = GRPOConfig(max_completion_length=left, num_generations=4)\n"
        f"{LOAD}GRPOTrainer(model=model, args=args, reward_funcs=score).train()\n"
    )
    script = ScriptFile(path="train.py", data=(HEAD + text).encode())
    without = estimate_script(script, options(HEAD + text), gpus=1).estimate
    assert without is not None
    assert "Give --response-tokens" in (without.reason or "")
    run = Measured(response_mean=100.0)
    made = estimate_script(script, options(HEAD + text), gpus=1, run=run).estimate
    assert made is not None
    assert made.outcome == "fits"


def test_a_mapping_made_of_names_is_one() -> None:
    """FlexCode29/financial-grpo: its options have their defaults of one."""
    text = (
        "import argparse\nDEFAULTS = dict(model_name='Qwen/Qwen2.5-3B', rank=8)\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--model_name', default=DEFAULTS['model_name'])\n"
        "parsed = parser.parse_args()\n"
        f"{SFT}SFTTrainer(model=parsed.model_name, args=args).train()\n"
    )
    assert model_of(text)["model_name_or_path"] == "Qwen/Qwen2.5-3B"


@pytest.mark.parametrize(
    ("trainer", "arguments"),
    [
        ("SFTTrainer", "import transformers\nargs = transformers.TrainingArguments"),
        ("DPOTrainer", "from transformers import TrainingArguments\nargs = TrainingArguments"),
    ],
)
def test_arguments_of_transformers_are_those_of_its_trainers(trainer: str, arguments: str) -> None:
    text = f"{arguments}('o', per_device_train_batch_size=2)\n".replace(
        "('o', ", "(output_dir='o', "
    )
    train = f"{trainer}(model=model, args=args, max_length=512, beta=0.3).train()\n"
    (launch,) = lint(HEAD + text + LOAD + train).launches
    assert launch.settings["per_device_train_batch_size"] == 2
    assert launch.settings["max_length"] == 512


def test_mxfp4_weights_that_are_made_whole_are_in_16_bits() -> None:
    """TRL's guide to gpt-oss: `Mxfp4Config(dequantize=True)`."""
    whole = "from transformers import Mxfp4Config\nq = Mxfp4Config(dequantize={})\n" + LOAD.replace(
        "dtype=", "quantization_config=q, dtype="
    )
    assert estimate(SFT + whole.format(True) + TRAIN).stages == estimate(SFT + LOAD + TRAIN).stages
    assert "quantization_config" in (estimate(SFT + whole.format(False) + TRAIN).reason or "")


FOUR = LOAD.replace("dtype=", "quantization_config=BitsAndBytesConfig(load_in_4bit=True), dtype=")


@pytest.mark.parametrize(
    ("more", "prepared"),
    [
        ("prepare_model_for_kbit_training(model)\n", True),
        ("if args.bf16 is None:\n    prepare_model_for_kbit_training(model)\n", True),
        ("if False:\n    prepare_model_for_kbit_training(model)\n", False),
        ("def unused(m):\n    return prepare_model_for_kbit_training(m)\n", False),
    ],
)
def test_a_model_is_prepared_where_it_is_not_taken_back(more: str, prepared: bool) -> None:
    """A guide to QLoRA of Gemma 2 2B: 5.1 GiB were said, and 7.4 taken."""
    train = LORA + TRAIN.replace("args=args", "args=args, peft_config=lora")
    as_usual = estimate(SFT + FOUR + "model = prepare_model_for_kbit_training(model)\n" + train)
    without = estimate(SFT + FOUR + train)
    assert as_usual.stages != without.stages
    assert estimate(SFT + FOUR + more + train).stages == (as_usual if prepared else without).stages


@pytest.mark.parametrize(
    ("given", "four"),
    [
        ("load_in_8bit=False", True),
        ("", True),
        ("load_in_8bit=True", None),
        ("load_in_4bit=n", ...),
    ],
)
def test_a_configuration_of_bitsandbytes_that_says_nothing_has_four_bits(
    given: str, four: object
) -> None:
    """mini_temporal: `BitsAndBytesConfig(load_in_8bit=False)`, and 12 GiB for a model of 8.5B."""
    load = FOUR.replace("load_in_4bit=True", given)
    found = model_of(SFT + load + TRAIN).get("load_in_4bit")
    assert str(found).startswith("${?") if four is ... else found is four, found


def test_adapters_of_other_parameters_than_experts_have_no_figure() -> None:
    lora = "lora = LoraConfig(r=8, target_parameters=['model.embed_tokens.weight'])\n"
    made = estimate(SFT + LOAD + lora + TRAIN.replace("args=args", "args=args, peft_config=lora"))
    said = (
        "Adapters of parameters are modelled of experts alone (gate_up_proj, down_proj), not of "
        "model.embed_tokens.weight."
    )
    assert made.reason == said


JUDGE = "judge = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-7B')\n"
FREEZE = "for p in judge.parameters():\n    p.requires_grad_(False)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"def judged():\n    {JUDGE}    {FREEZE.replace('    p', '        p')}",
        "if False:\n    model.requires_grad_(False)\n",
        # himanshu-nakrani/finetuning_MI300X
        "for p in model.parameters():\n    p.requires_grad_(True)\n",
    ],
)
def test_what_is_frozen_of_another_model_leaves_the_trained_one_whole(text: str) -> None:
    assert model_of(SFT + LOAD + text + TRAIN) == model_of(SFT + LOAD + TRAIN)


@pytest.mark.parametrize(
    "text",
    [
        "def freeze(m):\n    for p in m.parameters(): p.requires_grad_(False)\nfreeze(model)\n",
        "[p.requires_grad_(False) for p in model.model.parameters()]\n",
        "for name, p in model.named_parameters():\n    p.requires_grad_(False)\n",
        "class Kept:\n    def set(self, m):\n        self.m = m\n        m.requires_grad_(False)\n",
    ],
)
def test_what_may_be_frozen_of_the_trained_model_is_not_followed(text: str) -> None:
    assert "model" in str(estimate(SFT + LOAD + text + TRAIN).reason)


@pytest.mark.parametrize("adapts", [STORED, f"{LORA}model = get_peft_model(model, lora)\n"])
def test_what_is_frozen_before_an_adapter_is_put_on_it_is_so_anyway(adapts: str) -> None:
    """vektori-ai/vektori-trace"""
    frozen = "for p in model.parameters():\n    p.requires_grad_(False)\n"
    made = model_of(SFT + LOAD + frozen + adapts + TRAIN)
    assert made == model_of(SFT + LOAD + adapts + TRAIN) != {}
    assert "model" in str(estimate(SFT + LOAD + adapts + frozen + TRAIN).reason)
    assert "model" in str(estimate(SFT + LOAD + frozen + TRAIN).reason)


def test_a_reference_that_is_frozen_is_one_more_copy() -> None:
    """sudsho/grpo-rlvr-reasoning"""
    load = LOAD.replace("model =", "ref =")
    text = "args = DPOConfig(max_length=512, per_device_train_batch_size=1)\n" + LOAD + load
    trained = "DPOTrainer(model=model, ref_model=ref, args=args).train()\n"
    frozen = "for p in ref.parameters():\n    p.requires_grad_(False)\n"
    assert estimate(text + frozen + trained).stages == estimate(text + trained).stages != ()


def test_a_model_that_may_be_moved_is_the_same() -> None:
    """jorahn/rookworld-trl"""
    moved = "if not hasattr(model, 'hf_device_map'):\n    model = model.to('cuda')\n"
    assert model_of(SFT + LOAD + moved + TRAIN) == model_of(SFT + LOAD + TRAIN)
    cast = moved.replace("'cuda'", "torch.float16")
    assert "not followed" in str(estimate(SFT + LOAD + cast + TRAIN).reason)


def test_a_table_of_functions_is_called_by_its_key() -> None:
    """narottaman/sft-lora-rl"""
    text = """
def full(name):
    return AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16), 1
def half(name):
    return AutoModelForCausalLM.from_pretrained(name, dtype=torch.float16), 1
LOADERS = {"full": full, "half": half}
def load(name, way):
    model, tokenizer = LOADERS[way](name)
    return model, tokenizer
model, tokenizer = load("Qwen/Qwen2.5-0.5B", "half")
"""
    assert model_of(SFT + text + TRAIN)["dtype"] == "float16"


PROGRAM = """
import argparse
def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-model", required=True)
    args = parser.parse_args(argv)
    model = AutoModelForCausalLM.from_pretrained(f"Qwen/{args.base_model}", dtype=torch.bfloat16)
    SFTTrainer(model=model, args=SFTConfig(max_length=512)).train()
"""


def test_a_program_is_given_the_arguments_of_its_caller(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"{HEAD}{PROGRAM}main()\n")
    asked = rlbot("estimate", "train.py", "--device", "h100", cwd=tmp_path)
    assert "give the script's arguments with --args" in asked.out
    given = ("--args", "--base-model Qwen2.5-0.5B")
    made = rlbot("estimate", "train.py", "--device", "h100", *given, cwd=tmp_path)
    assert "fits" in made.out
    found = rlbot("resolve", "train.py", "--format", "json", *given, cwd=tmp_path)
    (launch,) = json.loads(found.out)["scripts"][0]["launches"]
    assert launch["settings"]["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


def test_a_file_that_the_caller_names_is_asked_for_as_an_argument(tmp_path: Path) -> None:
    """nips-grpo-dynamics: `cfg = load_config(args.config_path)`."""
    text = PROGRAM.replace('f"Qwen/{args.base_model}"', "config['name']").replace(
        "    model =", "    config = yaml.safe_load(open(args.base_model))\n    model ="
    )
    (tmp_path / "train.py").write_text(f"{HEAD}{text}main()\n")
    (tmp_path / "own.yaml").write_text("name: Qwen/Qwen2.5-0.5B\n")
    asked = rlbot("estimate", "train.py", "--device", "h100", cwd=tmp_path)
    assert "give the script's arguments with --args" in asked.out
    given = ("--args", "--base-model own.yaml", "--root", ".")
    assert "fits" in rlbot("estimate", "train.py", "--device", "h100", *given, cwd=tmp_path).out


@pytest.mark.parametrize(
    ("call", "whole"),
    [
        ("main(sys.argv[1:])", True),
        ("main(None)", True),
        ("main(['--base-model', 'Qwen2.5-7B'])", False),
        ("main(argv=words)", False),
    ],
)
def test_a_main_function_may_be_handed_the_command_line(
    tmp_path: Path, call: str, whole: bool
) -> None:
    (tmp_path / "train.py").write_text(f"{HEAD}{PROGRAM}{call}\n")
    given = ("--args", "--base-model Qwen2.5-0.5B", "--format", "json")
    found = rlbot("resolve", "train.py", *given, cwd=tmp_path)
    (launch,) = json.loads(found.out)["scripts"][0]["launches"]
    assert (launch["settings"]["model_name_or_path"] == "Qwen/Qwen2.5-0.5B") is whole


HANDED = """
import argparse
def parse(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-model", required=True)
    return parser.parse_args(argv)
def main(argv=None):
    args = parse(argv)
    model = AutoModelForCausalLM.from_pretrained(f"Qwen/{args.base_model}", dtype=torch.bfloat16)
    SFTTrainer(model=model, args=SFTConfig(max_length=512)).train()
"""


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"{HANDED}main()\n", True),
        (f"{HANDED}main(sys.argv[1:])\n", True),
        (HANDED.replace("parse(argv):", "parse(argv=None):") + "main()\n", True),
        (f"{HANDED}main(['--base-model', 'Qwen2.5-7B'])\n", False),
        (HANDED.replace("args = parse(argv)", "args = parse(argv + more)") + "main()\n", False),
    ],
)
def test_one_function_may_hand_the_command_line_to_the_next(
    tmp_path: Path, text: str, whole: bool
) -> None:
    """BTGenTP/FineTuningOnTelecomCluster"""
    (tmp_path / "train.py").write_text(HEAD + text)
    given = ("--args", "--base-model Qwen2.5-0.5B")
    found = rlbot("estimate", "train.py", "--device", "h100", *given, cwd=tmp_path)
    assert ("fits" in found.out) is whole


def test_a_variable_of_the_caller_is_the_programs(tmp_path: Path) -> None:
    program = "import os\nmodel = os.environ['BASE']\nargs = SFTConfig(max_length=512)\n"
    (tmp_path / "train.py").write_text(HEAD + program + TRAIN)
    given = ("--env", "BASE=Qwen/Qwen2.5-0.5B")
    assert "fits" in rlbot("estimate", "train.py", "--device", "h100", *given, cwd=tmp_path).out


KERNEL = "try:\n    import flash_attn\n    how = 'flash_attention_2'\nexcept ImportError:\n"


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        (KERNEL + "    how = 'sdpa'\n", "sdpa"),
        ("how = 'sdpa' if old() else 'flash_attention_2'\n", "sdpa"),
        (
            (
                "def pick():\n    if new():\n        return 'kernels-community/flash-attn3'\n"
                "    return 'sdpa'\nhow = pick()\n"
            ),
            "sdpa",
        ),
        (KERNEL + "    how = 'eager'\n", "${?how}"),
        (KERNEL + "    how = slow\n", "${?how}"),
        ("def pick():\n    return pick()\nhow = pick()\n", "${?how}"),
    ],
)
def test_which_attention_is_there_changes_nothing_but_for_eager(text: str, kernel: str) -> None:
    found = model_of(SFT + text + LOAD.replace("dtype=", "attn_implementation=how, dtype=") + TRAIN)
    assert found["attn_implementation"] == kernel
    assert found["model_name_or_path"] == "Qwen/Qwen2.5-0.5B"


def test_a_value_that_is_not_known_leaves_the_others_known() -> None:
    text = SFT + LOAD.replace("torch.bfloat16", "pick()") + TRAIN
    assert model_of(text) == {"model_name_or_path": "Qwen/Qwen2.5-0.5B", "dtype": "${?pick()}"}
    assert estimate(text).reason == (
        "dtype is ${?pick()}, which only running decides: give --set dtype=VALUE."
    )


@pytest.mark.parametrize("name", ["revision", "cache_dir", "attn_implementation"])
def test_what_makes_no_other_model_may_be_given_or_not(name: str) -> None:
    text = f"more = {{'dtype': torch.bfloat16}}\nif wanted:\n    more['{name}'] = 'sdpa'\n"
    load = "model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B', **more)\n"
    assert model_of(SFT + text + load + TRAIN)["dtype"] == "bfloat16"


def test_the_argument_that_may_make_another_model_is_named() -> None:
    text = "more = {}\nif wanted:\n    more['quantization_config'] = bnb\n"
    load = "model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-0.5B', **more)\n"
    reason = estimate(SFT + text + load + TRAIN).reason or ""
    assert reason.startswith("The program's model is not followed beyond `quantization_config`:")


@pytest.mark.parametrize(
    ("reference", "known"),
    [
        ("'Qwen/Qwen2.5-0.5B', dtype=torch.bfloat16", True),
        ("NAME, dtype=torch.bfloat16", True),
        ("'Qwen/Qwen2.5-1.5B', dtype=torch.bfloat16", False),
        ("NAME, dtype=torch.float32", False),
        ("pick(), dtype=torch.bfloat16", False),
    ],
)
def test_a_reference_that_is_loaded_by_another_name_of_the_same_is_one_more_copy(
    reference: str, known: bool
) -> None:
    """dynamic-dpo: `ref_name` and `policy_name` of one file of settings."""
    text = (
        "NAME = 'Qwen/Qwen2.5-0.5B'\na = DPOConfig(beta=0.1)\n"
        + LOAD
        + f"other = AutoModelForCausalLM.from_pretrained({reference})\n"
        + "DPOTrainer(model, ref_model=other, args=a)\n"
    )
    assert ("model_name_or_path" in model_of(text)) is known


def test_an_adapter_of_gpt2_is_as_large_with_its_weights_the_other_way_round() -> None:
    lora = "lora = LoraConfig(r=16, target_modules='all-linear', fan_in_fan_out=True)\n"
    train = TRAIN.replace("args=args", "args=args, peft_config=lora")
    assert model_of(SFT + LOAD + lora + train) == ADAPTED


def test_a_type_that_a_function_picks_leaves_the_model_known() -> None:
    pick = "def pick():\n    if new():\n        return torch.bfloat16\n    return torch.float16\n"
    found = model_of(SFT + pick + LOAD.replace("torch.bfloat16", "pick()") + TRAIN)
    assert found == {"model_name_or_path": "Qwen/Qwen2.5-0.5B", "dtype": "${?pick()}"}
