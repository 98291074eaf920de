"""Bad scripts: a sentence with a place, within bounds of time and memory, and nothing executed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.command import ROOT, rlbot

NAME = "examples/tuning/7b/qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
LAUNCH = b"python3 -m verl.trainer.main_ppo trainer.nnodes=1\n"

BAD: dict[str, bytes] = {
    "empty": b"",
    "only blanks": b" \n\t\n\n",
    "only comments": b"#!/usr/bin/env bash\n# nothing here\n",
    "binary": bytes(range(256)) * 20,
    "not UTF-8": LAUNCH + b"echo caf\xe9\n",
    "UTF-16": LAUNCH.decode().encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + LAUNCH,
    "Windows line endings": LAUNCH.replace(b"\n", b"\r\n") * 2,
    "ten megabytes": b"# filler\n" * (10 << 20 >> 3) + LAUNCH,
    "one long line": LAUNCH.strip() + b" a" * 400_000,
    "unbalanced double quote": LAUNCH + b'echo "never closed\n' * 3 + LAUNCH,
    "unbalanced single quote": b"x='abc\n" + LAUNCH,
    "unbalanced brace": b"f() {\n  echo\n" + LAUNCH,
    "unbalanced substitution": b"x=$(date\n" + LAUNCH,
    "if without fi": b"if true; then\n" + LAUNCH,
    "recursive function": b"f() { f; f; }\nf\n" + LAUNCH,
    "doubling expansion": b"a=xxxxxxxx\n"
    + b"a=$a$a\n" * 40
    + b"python3 -m verl.trainer.main_ppo k=$a\n",
    "endless loop": b"while true; do x=$x.; done\n" + LAUNCH,
    "nested substitutions": b"x=" + b"$(" * 5000 + b")" * 5000 + b"\n" + LAUNCH,
    "nested groups": b"{ " * 5000 + b"\n" + LAUNCH,
    "nested arithmetic": b"x=$((" + b"(" * 5000 + b"1" + b")" * 5000 + b"))\n" + LAUNCH,
    "brace bomb": b"echo " + b"{a,b}" * 60 + b"\n" + LAUNCH,
    "sequence bomb": b"for i in {1..999999999}; do echo $i; done\n" + LAUNCH,
    "NUL bytes": b"echo a\0b\n" + LAUNCH,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_a_bad_script_is_a_sentence(name: str, snapshot: SnapshotAssertion) -> None:
    result = rlbot(
        "lint", "-", "--stdin-filename", NAME, "--select", "RLB001,RLB002", stdin=BAD[name]
    )
    # Deep, but nothing is wrong with it: bash computes it too.
    assert result.status in ((0,) if name == "nested arithmetic" else (1, 3))
    assert result.err == ""
    assert f"{result.out}exit status {result.status}\n" == snapshot


@pytest.mark.parametrize("name", ["UTF-16", "not UTF-8", "byte order mark", "Windows line endings"])
def test_what_an_editor_saved_is_told_in_chinese_too(name: str) -> None:
    result = rlbot("lint", "-", "--stdin-filename", NAME, "--lang", "zh", stdin=BAD[name])
    (line,) = [line for line in result.out.splitlines() if "RLB001" in line]
    assert "请" in line
    assert "save it as" not in line


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("if true; then\n  mkdir a\n", "`if` 没有闭合：缺少 `fi`"),
        ('x="abc\n', "双引号没有闭合"),
        ("for\n", "这一行在一条命令中间结束"),
        ("mkdir a; )\n", "此处不应出现 `)`"),
        (
            "i=0\nwhile ((i < 99999)); do ((++i)); mkdir $i; done\n",
            "达到了读取器的上限 commands=",
        ),
        ('eval "$(conda shell.bash hook)"\n', "eval 的文本未知"),
    ],
)
def test_what_bash_or_the_reader_refuses_is_told_in_chinese_too(script: str, expected: str) -> None:
    named = ("--stdin-filename", NAME, "--lang", "zh", "--verbose", "--select", "RLB001")
    assert expected in rlbot("lint", "-", *named, stdin=script.encode()).out


def test_a_folder_without_scripts(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = rlbot("lint", "empty", cwd=tmp_path)
    assert result.status == 2
    assert result.err == (
        "rlbot: The folder empty holds no script (*.sh, *.bash, *.slurm, *.slrm, *.sbatch, "
        "*.batch, *.pbs, *.lsf, *.sub, *.job), and no program that trains with TRL. A command is "
        "checked as what would stand in a script: "
        'echo "torchrun train.py" | rlbot lint - --stdin-filename run.sh.\n'
    )


def test_a_job_is_a_script_where_it_is_one(tmp_path: Path) -> None:
    """TiandaSun/KG_GRPO has 192 of Slurm's; Azkaban's and Condor's are lists of properties."""
    (tmp_path / "train.job").write_bytes(b"#!/bin/bash\n#SBATCH -N 1\n" + LAUNCH)
    (tmp_path / "flow.job").write_text("type=command\ncommand=echo (\n")
    (tmp_path / "train.sub").write_bytes(b"#!/bin/bash\n" + LAUNCH)
    (tmp_path / "condor.sub").write_text("executable = run.sh\narguments = $(Process)\nqueue 2\n")
    report = json.loads(rlbot("lint", ".", "--format", "json", cwd=tmp_path).out)
    assert [script["path"] for script in report["scripts"]] == ["train.job", "train.sub"]


@pytest.mark.parametrize("name", ["run.bash", "run.pbs", "run.lsf"])
def test_a_folder_of_other_names_of_scripts(tmp_path: Path, name: str) -> None:
    """mlvlab/VideoSearch-R1, whose launchers all end in .bash, was said to hold no script."""
    (tmp_path / name).write_bytes(LAUNCH)
    report = json.loads(rlbot("lint", ".", "--format", "json", cwd=tmp_path).out)
    assert [(one["path"], len(one["launches"])) for one in report["scripts"]] == [(name, 1)]


def test_a_python_program_is_no_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("def main(a: int = 1) -> None: ...\n")
    result = rlbot("lint", "train.py", cwd=tmp_path)
    assert result.status == 2
    assert (
        "train.py is a Python program without a trainer of TRL; name the script that starts it"
        in result.err
    )
    piped = rlbot("lint", "-", "--stdin-filename", "run.sh", cwd=tmp_path, stdin=b"python train.py")
    assert "the script runs python train.py" in piped.out


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"import os\ndef f(:\n", "line 2: invalid syntax."),
        (b"\xdd\x16\xcb\xb2", "it is not text in UTF-8."),
        ("print(1)".encode("utf-16"), "it is not text in UTF-8."),
    ],
)
def test_what_is_no_python_is_said(tmp_path: Path, data: bytes, sentence: str) -> None:
    """It was "a Python program", as one is that trains nothing."""
    (tmp_path / "train.py").write_bytes(data)
    for command in (("lint",), ("estimate", "--device", "h100")):
        result = rlbot(*command, "train.py", cwd=tmp_path)
        assert result.status == 3
        assert f"train.py is no Python that can be read: {sentence}" in result.out + result.err


@pytest.mark.parametrize("called", ["Trainer", "Seq2SeqTrainer", "transformers.Trainer"])
def test_transformers_own_trainer_is_named(tmp_path: Path, called: str) -> None:
    program = (
        f"import transformers\nfrom transformers import *\n{called}(model=m, args=a).train()\n"
    )
    (tmp_path / "train.py").write_text(program)
    for command in (("lint",), ("estimate", "--device", "h100")):
        result = rlbot(*command, "train.py", cwd=tmp_path)
        assert result.status == 2
        assert "train.py trains with transformers' own Trainer, which is not read" in result.err
    (tmp_path / "train.py").write_text("import transformers\nclass MyTrainer(Trainer): ...\n")
    assert "own Trainer" not in rlbot("lint", "train.py", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("imported", "trainer"),
    [
        ("from trl import DDPOConfig, DDPOTrainer", "DDPOTrainer"),
        ("from trl.experimental.dppo import DPPOConfig, DPPOTrainer", "DPPOTrainer"),
    ],
)
def test_a_trainer_whose_settings_are_not_known_is_named(
    tmp_path: Path, imported: str, trainer: str
) -> None:
    """It was "a Python program", and "no command starts the training of a known framework"."""
    made = f"trainer = {trainer}(model=model, args=args)\ntrainer.train()\n"
    (tmp_path / "train.py").write_text(f"{imported}\n{made}")
    said = f"train.py trains with TRL's {trainer}, whose settings are not known."
    for command in (("lint",), ("estimate", "--device", "h100")):
        result = rlbot(*command, "train.py", cwd=tmp_path)
        assert (result.status, result.err) == (2, f"rlbot: {said}\n")
    (tmp_path / "run.sh").write_text("accelerate launch train.py\n")
    assert f"no-launch: {said}" in rlbot("lint", "run.sh", cwd=tmp_path).out


@pytest.mark.parametrize(
    "program",
    [
        "from mine import PPOTrainer\nPPOTrainer(model).train()\n",
        "from trl import PPOTrainer\n",
        "class PPOTrainer: ...\nPPOTrainer().train()\n",
    ],
)
def test_a_trainer_of_others_is_none_of_trl(tmp_path: Path, program: str) -> None:
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "run.sh").write_text("python train.py\n")
    assert "the script runs python train.py" in rlbot("lint", "run.sh", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("launch.py", "launch.py is a Python program without a trainer of TRL; name the script"),
        ("config.json", "config.json is no script; name the one that starts the training"),
        ("job.toml", "job.toml is no script; name the one that starts the training"),
        ("README.md", "README.md is no script; name the one that starts the training"),
        ("page.rst", "page.rst is no script; name the one that starts the training"),
    ],
)
def test_a_file_of_another_kind_is_not_read_as_a_script(
    tmp_path: Path, name: str, sentence: str
) -> None:
    """`verify` and `bisect` read a Python program as shell, and `lint --fix` wrote notebooks."""
    text = '"""\n{"cells": [{"source": ["!python3 train.py a.b=1 \\ \n"]}]}\n"""\n'
    (tmp_path / name).write_text(text)
    for command in (("lint", "--fix"), ("estimate",), ("verify",), ("bisect", "plan")):
        result = rlbot(*command, name, cwd=tmp_path)
        assert result.status == 2
        assert result.err.startswith(f"rlbot: {sentence}")
    assert (tmp_path / name).read_text() == text


def test_a_notebook_is_read_named_or_in_a_folder_without_scripts(tmp_path: Path) -> None:
    source = ["from trl import GRPOConfig\n", "GRPOConfig(made_up=1)"]
    other = {"cells": [{"cell_type": "code", "source": ["import torch"]}]}
    training = {"cells": [{"cell_type": "code", "source": source}]}
    (tmp_path / "look.ipynb").write_text(json.dumps(other))
    (tmp_path / "train.ipynb").write_text(json.dumps(training, indent=1))
    (tmp_path / "broken.ipynb").write_text("{}")
    for path in ("train.ipynb", "."):
        result = rlbot("lint", path, cwd=tmp_path)
        assert result.status == 1
        assert "  cell 1, line 2  error    RLB020  there is no made_up here" in result.out
        assert "     │ GRPOConfig(made_up=1)\n     │            ^^^^^^^\n" in result.out
        assert "look.ipynb" not in result.out
    assert (
        "no cell runs a command, or makes settings" in rlbot("lint", "look.ipynb", cwd=tmp_path).out
    )
    assert "this is no notebook of Jupyter's" in rlbot("lint", "broken.ipynb", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("name", "text", "module"),
    [
        ("train.py", "from trl.scripts.grpo import main\nmain()\n", None),
        ("train.py", "print('python -m verl')\n", None),
        ("a.py", 'run(["python3", "-m", "verl.trainer.main_ppo", "a.b=1"])\n', "main_ppo"),
        ("a.py", "os.system('torchrun -m verl.trainer.sft_trainer a=1')\n", "sft_trainer"),
        ("job.json", '{"args": ["-m", "openrlhf.cli.train_sft"]}', "train_sft"),
    ],
)
def test_what_a_program_starts_is_named(
    tmp_path: Path, name: str, text: str, module: str | None
) -> None:
    (tmp_path / name).write_text(text)
    result = rlbot("lint", name, cwd=tmp_path)
    assert result.status == 2
    assert (" is no script, and starts " in result.err) is (module is not None)
    assert module is None or f'.{module} …" | rlbot lint - --stdin-filename run.sh.' in result.err


def test_a_recipe_is_not_bisected(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("model_name_or_path: a\nper_device_train_batch_size: 4\n")
    result = rlbot("bisect", "plan", "a.yaml", cwd=tmp_path)
    assert result.status == 2
    assert (
        "a.yaml is a recipe, and bisect varies scripts; name the one that starts it" in result.err
    )


def test_findings_in_a_program_are_shown(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("from trl import GRPOConfig\nGRPOConfig(betta=0.1)\n")
    (tmp_path / "run.sh").write_text("python train.py\n")
    result = rlbot("lint", ".", cwd=tmp_path)
    assert result.status == 1
    assert "train.py:2:12  error    RLB020" in result.out


def test_a_file_of_classes_is_no_program_of_a_folder(tmp_path: Path) -> None:
    """princeton-nlp/SimPO's alignment/configs.py, and what unsloth writes (Endauvor/MATS)."""
    classes = "import trl\nclass DPOConfig(trl.DPOConfig):\n    a: int = 1\n"
    (tmp_path / "configs.py").write_text(classes)
    (tmp_path / "unsloth_compiled_cache").mkdir()
    compiled = tmp_path / "unsloth_compiled_cache" / "UnslothDPOTrainer.py"
    compiled.write_text("from trl import DPOConfig\nargs = DPOConfig()\n")
    assert "holds no script" in rlbot("lint", ".", cwd=tmp_path).err
    (tmp_path / "train.py").write_text(f"{classes}DPOConfig(betta=0.1)\n")
    assert "train.py\n  4:11  error    RLB020" in rlbot("lint", ".", cwd=tmp_path).out


def test_a_folder_that_is_named_like_a_script(tmp_path: Path) -> None:
    (tmp_path / "folder.sh").mkdir()
    result = rlbot("lint", "folder.sh", cwd=tmp_path)
    assert result.status == 2
    assert result.err.startswith("rlbot: The folder folder.sh holds no script (*.sh, *.bash, ")


def test_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "link.sh").symlink_to("nowhere.sh")
    result = rlbot("lint", "link.sh", cwd=tmp_path)
    assert result.status == 2
    assert result.err == "rlbot: link.sh is a link to a file that does not exist.\n"


def test_a_dangling_link_in_a_folder_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "7b").mkdir()
    (tmp_path / "7b" / "a.sh").symlink_to("nowhere.sh")
    good = ROOT / "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
    (tmp_path / "7b" / good.name).write_bytes(good.read_bytes())
    result = rlbot("lint", "7b", cwd=tmp_path)
    assert result.status == 3
    assert "7b/a.sh is a link to a file that does not exist." in result.out


@pytest.mark.parametrize("kind", ["missing", "fifo", "device", "unreadable name"])
def test_other_things_that_are_no_script(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing.sh"
    if kind == "fifo":
        if not hasattr(os, "mkfifo"):
            pytest.skip("no pipes with a name here")
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "unreadable name":
        path = tmp_path / ("x" * 300 + ".sh")
    result = rlbot("lint", path, cwd=tmp_path)
    assert result.status == 2
    assert result.err.startswith("rlbot: ")
    assert result.err.count("\n") == 1


_AUDIT = """
import sys
FORBIDDEN = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
             "pty.", "socket.", "os.remove", "os.rename", "os.mkdir", "shutil.",
             "os.putenv")
def audit(event, arguments):
    if event.startswith(FORBIDDEN):
        raise SystemExit(f"FORBIDDEN {event} {arguments}")
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise SystemExit(f"FORBIDDEN open {arguments}")
from bot.commands.cli import main
sys.addaudithook(audit)
sys.exit(main(sys.argv[1:]))
"""


def test_a_name_with_a_dash_is_explained(tmp_path: Path) -> None:
    (tmp_path / "-run.sh").write_bytes(LAUNCH)
    result = rlbot("lint", "-run.sh", cwd=tmp_path)
    assert result.status == 2
    assert "; the file -run.sh is named ./-run.sh\n" in result.err
    assert "is named" not in rlbot("lint", "-other.sh", cwd=tmp_path).err
    assert rlbot("lint", "--", "-run.sh", cwd=tmp_path).out.startswith("-run.sh\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_pipe_says_how_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.sh")
    result = rlbot("lint", "run.sh", cwd=tmp_path)
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "rlbot: run.sh is not a regular file; a script from a pipe is checked so: "
        "… | rlbot lint - --stdin-filename run.sh.\n"
    )


def test_what_others_installed_is_left_out_unless_it_is_named(tmp_path: Path) -> None:
    own = ["a.sh", "jobs/b.sh", "venv/c.sh"]
    others = [".venv/d.sh", ".git/hooks/e.sh", "node_modules/x/f.sh", "venv/lib/site-packages/g.sh"]
    for name in (*own, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(LAUNCH)
    content = json.loads(rlbot("lint", ".", "--format", "json", cwd=tmp_path).out)
    assert [script["path"] for script in content["scripts"]] == own
    content = json.loads(rlbot("lint", ".venv", "--format", "json", cwd=tmp_path).out)
    assert [script["path"] for script in content["scripts"]] == [".venv/d.sh"]


def test_a_folder_of_more_than_a_repository_holds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rlbot estimate /` said nothing for minutes."""
    for name in ("a.sh", "jobs/b.sh", "notes", "jobs/more", "proc/d.sh", "jobs/proc/e.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(LAUNCH)
    monkeypatch.setattr("bot.commands.inputs._ROOT", tmp_path.resolve())
    found = json.loads(rlbot("lint", ".", "--format", "json", cwd=tmp_path).out)
    assert [one["path"] for one in found["scripts"]] == ["a.sh", "jobs/b.sh", "jobs/proc/e.sh"]
    for name, most, what in (("_MOST_FILES", 4, "files"), ("_MOST_SCRIPTS", 2, "scripts")):
        with monkeypatch.context() as patched:
            patched.setattr(f"bot.commands.inputs.{name}", most)
            for command in (("lint",), ("estimate", "--device", "h100")):
                made = rlbot(*command, ".", cwd=tmp_path)
                assert (made.status, made.out) == (2, "")
                assert f"The folder . holds more than {most} {what}: name a folder" in made.err
            assert rlbot("lint", "jobs", cwd=tmp_path).out


def test_what_macos_lays_beside_a_file_is_no_script(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(LAUNCH)
    # The first bytes of AppleDouble, and an attribute.
    beside = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \xb0"
    for name in ("._a.sh", "__MACOSX/jobs/._b.sh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(beside)
    content = json.loads(rlbot("lint", ".", "--format", "json", cwd=tmp_path).out)
    assert [script["path"] for script in content["scripts"]] == ["a.sh"]
    content = json.loads(rlbot("lint", "._a.sh", "--format", "json", cwd=tmp_path).out)
    assert [script["path"] for script in content["scripts"]] == ["._a.sh"]


def test_a_folder_that_may_not_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.sh", "closed/b.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(LAUNCH)
    listed = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    closed = "The folder closed cannot be read: permission denied."
    result = rlbot("lint", ".", "--ignore", "RLB053", cwd=tmp_path)
    assert f"not checked: script: {closed}\n" in result.out
    assert "a.sh\n" in result.out
    result = rlbot("lint", "closed", cwd=tmp_path)
    assert (result.status, result.out, result.err) == (2, "", f"rlbot: {closed}\n")


@pytest.mark.skipif(sys.platform == "emscripten", reason="it words its errors otherwise")
def test_the_reason_of_the_system_is_told_in_chinese_too(tmp_path: Path) -> None:
    (tmp_path / "run.sh").symlink_to("run.sh")
    said = rlbot("lint", "run.sh", "--lang", "zh", cwd=tmp_path).err
    assert "symbolic" not in said
    assert "\u7b26\u53f7\u94fe\u63a5" in said
    assert "too many levels of symbolic links" in rlbot("lint", "run.sh", cwd=tmp_path).err


def test_a_script_that_is_named_twice_is_checked_once(tmp_path: Path) -> None:
    for name in ("a.sh", "jobs/b.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(LAUNCH)
    words = ("lint", "jobs/b.sh", ".", "./a.sh", "jobs", "--format", "json")
    content = json.loads(rlbot(*words, cwd=tmp_path).out)
    assert [script["path"] for script in content["scripts"]] == ["jobs/b.sh", "a.sh"]


def test_standard_input_is_one_script(tmp_path: Path) -> None:
    words = ("lint", "-", "-", "--stdin-filename", "run.sh")
    result = rlbot(*words, cwd=tmp_path, stdin=LAUNCH)
    assert (result.status, result.out) == (2, "")
    assert result.err == "rlbot: - stands twice; standard input holds one script.\n"


@pytest.mark.process
def test_nothing_of_a_script_is_ever_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    touch = f"touch {mark}"
    hostile = "\n".join(
        [
            f"x=$({touch})",
            f"y=`{touch}`",
            f"eval '{touch}'",
            f"z=$(eval {touch}; cat /etc/passwd)",
            f"source <({touch})",
            f"cat <({touch}) > {mark}",
            f"echo hi > {mark}",
            f"trap '{touch}' EXIT",
            f"PROMPT_COMMAND='{touch}'; BASH_ENV={mark}",
            f"f() {{ {touch}; }}; f",
            f'a[$({touch})]=1; echo "${{a[$({touch})]}}" $(( a[$({touch})] ))',
            f"printf -v 'b[$({touch})]' x",
            f"bash -c '{touch}'",
            f"exec {touch} &",
            f"python3 -c 'open(\\'{mark}\\', \\'w\\')'",
            f"python3 -m verl.trainer.main_ppo a=$({touch}; echo 1) 'b=${{oc.env:HOME}}'",
        ]
    )
    script = tmp_path / "qwen2.5-7b_grpo_8_h100_fsdp_vllm.sh"
    script.write_text(hostile, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _AUDIT, "lint", str(script), "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "FORBIDDEN" not in done.stdout + done.stderr
    assert done.returncode in (1, 3), done.stderr
    assert not mark.exists()
