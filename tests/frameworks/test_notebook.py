"""The code of notebooks, line by line where the file has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.frameworks.python.notebook import LARGEST, cell_text, read_export, read_notebook
from bot.report import ScriptReport

TRAINS = """\
from trl import SFTConfig, SFTTrainer
trainer = SFTTrainer(
    model="Qwen/Qwen3-4B",
    args=SFTConfig(
        max_length=2048,
        made_up=3,
    ),
)
trainer.train()"""


def notebook(*cells: str | dict[str, Any], indent: int | None = 1) -> bytes:
    """As nbformat writes it: keys in order, a line of source on a line of its own."""
    code: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
    }
    made = [
        {**code, "source": cell.splitlines(keepends=True)} if isinstance(cell, str) else cell
        for cell in cells
    ]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=indent, ensure_ascii=False).encode()


def check(*cells: str | dict[str, Any], **options: Any) -> ScriptReport:
    data = notebook(*cells)
    place = InCheckout(Checkout({"nb/train.ipynb": data}))
    how = CheckOptions(place=place, evidence="off", launches=True, **options)
    return check_script(ScriptFile(path="nb/train.ipynb", data=data), how)


def shell(*cells: str) -> list[str]:
    found = read_notebook(notebook(*cells))
    assert found is not None
    return [line.strip() for line in found.shell.split("\n") if line.strip()]


def python(*cells: str) -> list[str]:
    found = read_notebook(notebook(*cells))
    assert found is not None
    return [line.rstrip() for line in found.python.split("\n") if line.strip()]


@pytest.mark.parametrize(
    "cell",
    [
        "x = 5\nprint('hello')",
        'text = """\n!no command\n%no magic\n"""',
        "y = ('%s'\n% 3)",
        "%matplotlib inline",
        "%%html\n<b>!pip install trl==0.22.2</b>",
        "%%javascript\npython -m verl.trainer.main_ppo",
    ],
)
def test_what_is_no_command(cell: str) -> None:
    assert shell(cell) == []


@pytest.mark.parametrize(
    ("cell", "commands"),
    [
        ("!ls -l", ["ls -l"]),
        ("!!ls", ["ls"]),
        ("if True:\n    !ls\nelse:\n    print(3)", ["ls"]),
        ("!python x.py \\\n  --a 1 \\\n  --b 2\nprint(3)", ["python x.py \\", "--a 1 \\", "--b 2"]),
        ("%cd verl", ["cd verl"]),
        ("%env A=b", ["export A=b"]),
        ("%env A b", ["export A=b"]),
        # NVIDIA's Model-Optimizer: IPython takes what follows as it is; bash was said to refuse it.
        ("%env HF_TOKEN=<YOUR_TOKEN>", ["export HF_TOKEN='<YOUR_TOKEN>'"]),
        ("%env A=$B it's", ["export A='$B it'\"'\"'s'"]),
        ("%set_env A=b;c", ["export A='b;c'"]),
        ("%env", []),
        ("%env A", []),
        ("!python x.py --lr {lr} ${HOME}", ["python x.py --lr `python` ${HOME}"]),
        ("!python x.py {os.path.join(base, 'x')}", ["python x.py `python`"]),
        ("!trl sft {' '.join(args)} {x[1:3]}", ["trl sft `python` `python`"]),
        ("!a '{x}' \"it's {x!r}\"", ["a ''\"`python`\"'' \"it's `python`\""]),
        ("!a {f(x, \\\n  y)} \\\n  {z}", ["a `python`\\", "\\", "`python`"]),
        ("!a --json '{{\"b\": 1}}' {x}", ["a --json '{\"b\": 1}' `python`"]),
        # One that is no expression has IPython leave the command as it is.
        ("!a --json '{\"b\": 1}' {x}", ["a --json '{\"b\": 1}' {x}"]),
        ("!echo {1..3} {a,b} ${X:-{a}}", ["echo {1..3} {a,b} ${X:-{a}}"]),
        ("!{ date; }; f() { ls; }", ["{ date; }; f() { ls; }"]),
        ("!find . -exec rm {} +", ["find . -exec rm {} +"]),
        ("!awk '{print $1}' a", ["awk '{print $1}' a"]),
        ("!echo {' '.join(f'{x}' for x in y)} {x}", ["echo {' '.join(f'{x}' for x in y)} {x}"]),
        ("!a --lr {x:.2f}", ["a --lr {x:.2f}"]),
        ("!echo }{ {x", ["echo }{ {x"]),
        ("!echo ${X:1:2} ${X!} {x}", ["echo ${X:1:2} ${X!} {x}"]),
        ("%%bash\nset -e\npython x.py", ["set -e", "python x.py"]),
        ("%%script bash\nls", ["ls"]),
        ("%%bash --no-raise-error\nls", ["ls"]),
        ("%%writefile a.yaml\nx: 1", ["cat >'a.yaml'<<'~'", "x: 1", "~"]),
        ("%%writefile -a a.yaml\nx: 1", ["cat >>'a.yaml'<<'~'", "x: 1", "~"]),
    ],
)
def test_commands(cell: str, commands: list[str]) -> None:
    assert shell("x = 1", cell, "y = 2") == commands


def test_python_beside_commands() -> None:
    assert python(
        "%%capture\nif x:\n    !ls\n    y = 1", "%%bash\nls", "z = 3", "!ls \\\n  -l"
    ) == [*("0", "if x:", "    0", "    y = 1", "z = 3", "0")]


def test_a_cell_that_is_no_python_takes_none_of_the_others_away() -> None:
    assert python("x = 1", "%%capture\nthis is no Python", "y = 2") == ["x = 1", "y = 2"]


LINES = st.lists(
    st.text(
        st.characters(
            exclude_categories=["Cs"], exclude_characters="\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
        ),
        max_size=8,
    ),
    max_size=4,
)
CELLS = st.lists(
    st.tuples(st.sampled_from(["code", "markdown"]), LINES, st.booleans()), min_size=1, max_size=5
)


@given(CELLS)
def test_each_line_has_its_number_in_the_file(cells: list[tuple[str, list[str], bool]]) -> None:
    made = list[dict[str, Any]]()
    for kind, lines, repeated in cells:
        source = [f"{line}\n" for line in lines]
        text = {"output_type": "stream", "name": "stdout", "text": source if repeated else []}
        more = {"text/plain": '"source": ["x"]', "application/json": {"source": source}}
        shown = {"output_type": "display_data", "data": more, "metadata": {}}
        made.append({"cell_type": kind, "outputs": [text, shown], "source": source})
    data = notebook(*made)
    found = read_notebook(data)
    assert found is not None
    assert len(found.python) == len(found.shell) == len(found.text)
    raw = data.decode().split("\n")
    laid = found.text.split("\n")
    wanted = [line for kind, lines, _ in cells if kind == "code" for line in lines if line.strip()]
    assert [line.strip() for line in laid if line.strip()] == [line.strip() for line in wanted]
    for number, line in enumerate(laid):
        if line.strip():
            assert json.loads(raw[number].strip().rstrip(",")).strip() == line.strip()


@pytest.mark.parametrize("indent", [None, 4])
def test_other_ways_to_write_the_file(indent: int | None) -> None:
    one = {"cell_type": "code", "source": "a = 1\nb = 2"}
    found = read_notebook(notebook(one, "c = 3\nd = 4", indent=indent))
    assert found is not None
    assert found.python.split() == ["a", "=", "1", "b", "=", "2", "c", "=", "3", "d", "=", "4"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1",
        b"[]",
        b'{"cells": 5}',
        b'{"cells": [{"cell_type": "code"}]}',
        b'{"cells": [{"cell_type": "code", "source": 5}]}',
        b'{"worksheets": [{"cells": []}]}',
        b"[" * 100_000,
        b" " * (LARGEST + 1),
    ],
)
def test_what_is_no_notebook(data: bytes) -> None:
    assert read_notebook(data) is None
    report = check_script(ScriptFile(path="a.ipynb", data=data), CheckOptions(evidence="off"))
    assert [finding.slug for finding in report.findings] == ["syntax"] or report.unchecked
    assert cell_text(data.decode(), 1) == ""


def test_settings_in_python_are_found_at_their_lines() -> None:
    report = check("!pip install -q trl==0.22.2", TRAINS)
    (launch,) = report.launches
    assert launch.settings["max_length"] == 2048
    assert launch.settings["model_name_or_path"] == "Qwen/Qwen3-4B"
    assert report.configurations == ("trl 0.22.2, trl==0.22.2, which the script installs",)
    (found,) = [finding for finding in report.findings if finding.slug == "unknown-key"]
    raw = notebook("!pip install -q trl==0.22.2", TRAINS).decode().split("\n")
    assert raw[found.line - 1].strip() == json.dumps("        made_up=3,\n") + ","


def test_a_command_is_a_launch() -> None:
    report = check(
        "n = 8",
        "%cd verl\n!python3 -m verl.trainer.main_ppo trainer.n_gpus_per_node={n} \\\n"
        "  trainer.nnodez=1 data.max_prompt_length=512",
    )
    (launch,) = report.launches
    assert launch.settings["data.max_prompt_length"] == 512
    assert not launch.complete
    (found,) = [finding for finding in report.findings if finding.slug == "unknown-key"]
    assert found.fix is None


def test_a_notebook_without_a_launch() -> None:
    report = check("import torch", "!nvidia-smi")
    assert not report.launches
    assert [item.check for item in report.unchecked] == ["RLB002 no-launch"]


@pytest.mark.parametrize(
    ("command", "release"),
    [
        ("pip install verl==0.5.0", "0.5.0"),
        ("pip3 install -U 'verl[vllm]==0.5.0' ray", "0.5.0"),
        ("python3 -m pip install verl==0.5.0", "0.5.0"),
        ("uv pip install verl==0.5.0", "0.5.0"),
        ("pip install verl==0.4.1\npip install verl==0.5.0", "0.5.0"),
        ("pip install 'git+https://github.com/volcengine/verl.git@v0.5.0'", "0.5.0"),
        ("pip install git+https://github.com/somebody/verl.git@v0.5.0", None),
        ("pip install git+https://github.com/volcengine/verl.git", None),
        ("pip install git+https://github.com/volcengine/other@v0.5.0", None),
        ("pip install verl", None),
        ("pip install -e .", None),
        ("pip uninstall verl==0.5.0", None),
        ("pip install verl==0.5.0.dev1", None),
        ("echo install verl==0.5.0", None),
        ("pip install verl==$V", None),
    ],
)
def test_the_release_that_a_script_installs(command: str, release: str | None) -> None:
    script = f"{command}\npython3 -m verl.trainer.main_ppo data.train_batch_size=64\n"
    options = CheckOptions(evidence="off", launches=True)
    report = check_script(ScriptFile(path="run.sh", data=script.encode()), options)
    (launch,) = report.launches
    installed = "which the script installs" in launch.framework_version_reason
    assert (launch.framework_version if installed else None) == release


@pytest.mark.parametrize(
    "text",
    [
        TRAINS,
        f"x = 7\\\n%2\n{TRAINS}",  # Python as it is.
        f"!pip install trl\n{TRAINS}\ndef f(:\n",
        f"%%bash\nls\n{TRAINS}",  # Nobody knows where that cell ends.
        f"%%writefile b.py\n{TRAINS}",
        f"out = !nvidia-smi\n{TRAINS}",
    ],
)
def test_what_is_no_notebook_that_was_saved_as_python(text: str) -> None:
    assert read_export(text.encode()) is None


def test_a_notebook_that_was_saved_as_python() -> None:
    lines = (
        "%%capture\r",
        "!pip install -q trl \\\r",
        "  peft\r",
        "if True:\r",
        "    %cd b\r",
        '"""# Training',
        "!python -m verl.trainer.main_ppo",
        '"""',
        TRAINS,
        "!ls",
    )
    found = read_export("\n".join(lines).encode())
    assert found is not None
    assert found.shell.split() == ["pip", "install", "-q", "trl", "\\", "peft", "cd", "b", "ls"]
    assert [*map(len, found.python.split("\n"))] == [*map(len, found.shell.split("\n"))]
    assert found.text.split("\n")[4].index("cd") == found.shell.split("\n")[4].index("cd")
    assert found.python.split("\n")[0].strip() == "0"
