from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from bot.check.request import CheckOptions, InCheckout, ScriptFile
from bot.check.script import check_script
from bot.frameworks import Checkout
from bot.frameworks.repository.pins import (
    Pin,
    pinned_folder,
    read_commit,
    read_fork,
    read_installs,
    read_patch,
    read_pin,
    read_scripts,
)
from bot.frameworks.settings.releases import releases
from bot.shell.words import Command


def pinned(path: str, text: str, framework: str = "verl") -> tuple[str, ...] | None:
    found = read_pin(framework, {path: text.encode()})
    return found.releases if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("verl==0.8.0", ("0.8.0",)),
        ("torch\nverl == 0.8.0  # ours\n", ("0.8.0",)),
        ("verl[vllm]==0.3.0", ("0.3.0.post1",)),
        ("verl>=0.7.1,<0.9.0", ("0.8.0", "0.7.1")),
        ("verl~=0.6.0 ; python_version > '3.10'", ("0.6.1", "0.6.0")),
        ("verl==0.8.0 \\\n    --hash=sha256:0a1b\n", ("0.8.0",)),
        ("verl==0.8.0 --hash=sha256:0a1b", ("0.8.0",)),
        ("verl @ git+https://github.com/volcengine/verl.git@v0.4.1", ("0.4.1",)),
        ("verl @ git+https://github.com/volcengine/verl.git@main", None),
        ("verl", None),
        ("verl>=0", None),
        ("verl==99", ("0.9.1",)),
        ("verl!=99", None),
        ("verl-tool==0.8.0", None),
        ("# verl==0.8.0", None),
        ("verl==0.8.0 or so", None),
    ],
)
def test_requirements(text: str, expected: tuple[str, ...] | None) -> None:
    assert pinned("requirements.txt", text) == expected


def test_a_file_that_another_has_come_in_the_place_of_says_nothing() -> None:
    """ktolnos/Reward-Model-Overoptimization kept its requirements of before."""
    before = {"requirements_orig.txt": b"trl==0.8.5"}
    found = read_pin("trl", {**before, "requirements.txt": b"trl==0.17.0"})
    assert found is not None
    assert found.releases == ("0.17.0",)
    alone = read_pin("trl", before)
    assert alone is not None
    assert alone.beyond


def test_other_files_that_state_requirements() -> None:
    project = '[project]\nname = "x"\ndependencies = ["torch", "verl==0.7.0"]\n'
    assert pinned("pyproject.toml", project) == ("0.7.0",)
    assert pinned("setup.py", "setup(install_requires=['verl==0.7.0'])") == ("0.7.0",)
    assert pinned("setup.cfg", "[options]\ninstall_requires =\n    verl==0.7.0\n") == ("0.7.0",)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ('verl = { index = "mirror" }', ("0.8.0",)),
        ('torch = { git = "https://github.com/pytorch/pytorch" }', ("0.8.0",)),
        ("verl = 1", ("0.8.0",)),
        ('verl = { git = "https://github.com/volcengine/verl" }', None),
        ('verl = { git = "https://github.com/volcengine/verl", tag = "v0.7.0" }', ("0.7.0",)),
        # awslabs/agentcore-rl-toolkit: one extra has a release, another a commit.
        ('''verl = [
    { git = "https://github.com/volcengine/verl.git", rev = "78bba31d1a6b95", extra = "b" },
]''', None),
    ],
)  # fmt: skip
def test_a_source_of_uv_is_installed_instead(
    sources: str, expected: tuple[str, ...] | None
) -> None:
    extras = '[project]\noptional-dependencies = { a = ["verl==0.8.0"], b = ["verl"] }\n'
    assert pinned("pyproject.toml", f"{extras}[tool.uv.sources]\n{sources}\n") == expected


GITHUB = "git+https://github.com"
PLAIN = "https://github.com"


@pytest.mark.parametrize(
    ("path", "text", "forked"),
    [
        ("requirements.txt", f"verl @ {GITHUB}/volcengine/verl.git@v0.4.1", False),
        ("requirements.txt", f"verl @ {GITHUB}/verl-project/verl", False),
        ("requirements.txt", f"trl @ {GITHUB}/Somebody/trl", False),
        ("requirements.txt", f"verl-tool @ {GITHUB}/somebody/verl-tool", False),
        ("requirements.txt", "verl==0.8.0  # https://github.com/somebody/verl", False),
        ("pyproject.toml", '[project]\nname = "verl-tool"\n', False),
        ("setup.py", "setup(name='mine', install_requires=['verl'])", False),
        ("other/requirements.txt", f"verl @ {GITHUB}/somebody/verl", False),
        (".gitmodules", "\turl = https://github.com/volcengine/verl.git", False),
        (".gitmodules", "\turl = git@github.com:volcengine/verl.git", False),
        (".gitmodules", "\turl = https://github.com/somebody/verl-recipe.git", False),
        (".gitmodules", "\turl = git@github.com:somebody/verl.git", True),
        (".gitmodules", "\tpath = verl\n\turl = https://github.com/somebody/verl", True),
        # m-Just/InSight-doc
        (".gitmodules", f'[submodule "verl"]\n\tpath = verl\n\turl = {PLAIN}/a/verl-public', True),
        (".gitmodules", f'[submodule "a/verl"]\n\turl = {PLAIN}/volcengine/mine', False),
        (".gitmodules", f'[submodule "verl"]\n[submodule "b"]\n\turl = {PLAIN}/a/b', False),
        ("requirements.txt", f"torch\nverl[vllm] @ {GITHUB}/Somebody/mine.git@main", True),
        ("requirements.txt", f"-e {GITHUB}/somebody/verl.git@abc#egg=verl", True),
        ("pyproject.toml", f'dependencies = [\n  "verl @ {GITHUB}/somebody/verl",\n]', True),
        ("pyproject.toml", 'verl = { git = "https://github.com/somebody/mine" }', True),
        ("setup.py", "setup(\n    name='verl',\n)", True),
        ("run/requirements.txt", f"verl @ {GITHUB}/somebody/verl", True),
    ],
)
def test_a_fork_that_is_installed(path: str, text: str, forked: bool) -> None:
    assert read_fork("verl", {path: text.encode()}, "run/grpo/train.sh") == path * forked


@pytest.mark.parametrize("beside", [(), ("setup.py",)])
@pytest.mark.parametrize("dynamic", ['"version", "dependencies"', '"version"'])
def test_a_project_that_can_make_no_package(dynamic: str, beside: tuple[str, ...]) -> None:
    """verl-recipe has verl's `pyproject.toml` for its linters, without the rest of verl."""
    project = f'[project]\nname = "verl"\ndynamic = [{dynamic}]\n'
    files = {"pyproject.toml": project.encode(), **dict.fromkeys(beside, b"setup()")}
    forked = bool(beside) or "dependencies" not in dynamic
    assert read_fork("verl", files, "dapo/run.sh") == "pyproject.toml" * forked


@pytest.mark.parametrize(
    ("path", "text", "pinned"),
    [
        ("setup.py", f"deps = ['verl @ {GITHUB}/volcengine/verl.git@69ad852e5654a77f']", True),
        ("requirements.txt", f"-e {GITHUB}/volcengine/verl.git@1dda039#egg=verl", True),
        (".gitmodules", "\turl = https://github.com/volcengine/verl.git", True),
        (
            "pyproject.toml",
            f'verl = {{ git = "{PLAIN}/volcengine/verl.git", rev = "78bba31" }}',
            True,
        ),
        (
            "pyproject.toml",
            f'verl = {{ git = "{PLAIN}/volcengine/verl.git", rev = "main" }}',
            False,
        ),
        ("setup.py", f"deps = ['verl @ {GITHUB}/volcengine/verl.git@main']", False),
        ("setup.py", f"deps = ['verl @ {GITHUB}/volcengine/verl.git@v0.4.1']", False),
        ("setup.py", f"deps = ['verl @ {GITHUB}/somebody/verl.git@69ad852e']", False),
        ("setup.py", f"deps = ['trl @ {GITHUB}/huggingface/trl.git@69ad852e']", False),
        (".gitmodules", "\turl = https://github.com/somebody/verl.git", False),
        ("requirements.txt", "verl==0.8.0", False),
    ],
)
def test_a_commit_that_is_installed(path: str, text: str, pinned: bool) -> None:
    assert read_commit("verl", {path: text.encode()}, "run/grpo/train.sh") == path * pinned


def test_a_version_file_says_what_is_left_behind() -> None:
    found = pinned("verl/version/version", "0.1\n")
    assert found is not None
    assert (found[0], found[-1]) == ("0.2", releases("verl")[-1])
    assert pinned("verl/version/version", "nothing") is None
    assert pinned("verl/version/version", releases("verl")[-1]) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "a = " + "[" * 50_000),
        ("pyproject.toml", "a = " + "9" * 5_000),
        ("pyproject.toml", "a" + ".a" * 20_000 + " = 'verl==0.4.0'"),
        ("verl/version/version", "9" * 5_000),
        ("verl/version/version", "0.1.post" + "9" * 5_000),
        ("requirements.txt", "verl[" * 50_000),
    ],
)
def test_what_no_reader_takes_says_nothing(path: str, text: str) -> None:
    found = read_pin("verl", {path: text.encode()})
    assert found is None or found.path == "verl/version/version"


PATCH = """\
--- a/openrlhf/cli/train_ppo_ray.py
+++ b/openrlhf/cli/train_ppo_ray.py
@@ -293,1 +293,2 @@
     parser.add_argument("--zpg", type=int, default=1)
+    parser.add_argument("--offload", action="store_true", default=False)
"""


@pytest.mark.parametrize(
    ("path", "text", "does"),
    [
        ("patches/a.patch", PATCH, True),
        ("a.diff", PATCH, True),
        ("a.patch.md", PATCH, False),
        ("a.patch", PATCH.replace("openrlhf", "vllm"), False),
        ("a.patch", PATCH.replace("+    parser", "-    parser"), False),
        ("a.patch", PATCH.replace("--offload", "--adam_offload"), False),
        ("a.patch", "+++ b/vllm/offload.py\n+offload\n" + PATCH.replace("--offload", "--x"), False),
        ("a.patch", PATCH + "+++ b/vllm/a.py\n", True),
        ("a.patch", "", False),
    ],
)
def test_a_patch_that_adds_a_setting(path: str, text: str, does: bool) -> None:
    found = read_patch("openrlhf", {path: text.encode()}, {"offload", "other"})
    assert found == (path if does else "")


def test_a_deep_text_of_a_project_is_found() -> None:
    text = "a" + ".a" * 500 + " = [['verl==0.4.0'], 'verl']"
    assert pinned("pyproject.toml", text) == ("0.4.0",)


UV = """\
version = 1

[[package]]
name = "torch"
version = "2.6.0"
dependencies = [
    { name = "trl" },
]

[[package]]
name = "trl"
version = "0.26.2"
source = { registry = "https://index.example/simple" }
dependencies = [
    { name = "accelerate" },
]

[[package]]
name = "verl"
version = "0.8.0"
source = { editable = "verl" }
"""
POETRY = """\
[[package]]
name = "trl"
version = "0.15.2"
description = "Train transformer language models"
optional = false

[package.dependencies]
accelerate = "*"

[[package]]
name = "verl"
version = "0.5.0"

[package.source]
type = "git"
url = "https://github.com/volcengine/verl.git"
"""
PDM = """\
[[package]]
name = "trl"
version = "0.16.1"
summary = "Train"

[[package]]
name = "verl"
version = "0.5.0"
git = "https://github.com/volcengine/verl.git"
"""
CONDA = """\
name: azr
channels:
  - conda-forge
dependencies:
  - python=3.10
  - trl=0.17.0=pyhd8ed1ab_0
  - pip:
      - torch==2.6.0
      - verl==0.4.1
"""


@pytest.mark.parametrize(
    ("path", "text", "trl", "verl"),
    [
        ("uv.lock", UV, ("0.26.2",), None),
        ("poetry.lock", POETRY, ("0.15.2",), None),
        ("pdm.lock", PDM, ("0.16.1",), None),
        ("uv.lock", UV.replace("\n", "\r\n"), ("0.26.2",), None),
        ("environment.yml", CONDA, ("0.17.0",), ("0.4.1",)),
        # LeapLabTHU/Absolute-Zero-Reasoner
        ("azr_env.yml", CONDA, ("0.17.0",), ("0.4.1",)),
        ("environment.yaml", "- trl >=0.8\n- 'verl == 0.5.0' # ours\n", None, ("0.5.0",)),
        ("config/env.yaml", "env:\n  - trl-lib==1\n  - name: verl\n  trl: 0.17.0\n", None, None),
    ],
)  # fmt: skip
def test_a_lock_or_an_environment_names_the_release(
    path: str, text: str, trl: tuple[str, ...] | None, verl: tuple[str, ...] | None
) -> None:
    assert (pinned(path, text, "trl"), pinned(path, text)) == (trl, verl)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("trl==0.9.6", "0.13.0"),
        ("trl>=0.8,<0.12", "0.13.0"),
        ("trl~=0.11.4", "0.13.0"),
        ("trl==99.1.0", releases("trl")[-1]),
        ("trl>99", releases("trl")[-1]),
        ("trl==0.22.5", None),
        ("trl==0.22.5.dev0", None),
        ("trl>=0.9.6", None),
    ],
)
def test_a_release_beyond_those_known(text: str, nearest: str | None) -> None:
    """The nearest one is read; what it lacks, the one that is installed may have."""
    found = read_pin("trl", {"requirements.txt": text.encode()})
    assert (found and found.releases) == (nearest and (nearest,))
    assert found is None or found.beyond
    assert found is None or found.reason.endswith(", beyond the releases known")


def test_a_lock_counts_before_a_range_and_what_disagrees_leaves_both() -> None:
    project = b'[project]\ndependencies = ["trl>=0.22"]\n'
    found = read_pin("trl", {"pyproject.toml": project, "uv.lock": UV.encode()})
    assert found is not None
    assert (found.releases, found.reason) == (("0.26.2",), "trl==0.26.2 in uv.lock")
    # SeanYHan888/dynamic-dpo-v1
    other = {"requirements.txt": b"trl==0.19.0\n", "uv.lock": UV.encode()}
    found = read_pin("trl", other)
    assert found is not None
    assert found.releases == ("0.26.2", "0.19.0")
    assert found.reason == "trl==0.26.2 in uv.lock, but trl==0.19.0 in requirements.txt"


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("setup.cfg", ""),
        ("a/b/pyproject.toml", "a/b"),
        ("a/requirements/b.txt", "a"),
        ("a/requirements-dev.txt", "a"),
        ("verl/version/version", ""),
        ("a/version.txt", "a"),
        ("a/trl/version.py", "a"),
        ("patches/vllm/a.patch", ""),
        ("a/uv.lock", "a"),
        ("sft-dpo-env.yaml", ""),
        ("conda.yml", ""),
        ("a/Cargo.lock", None),
        ("ppo_trainer.yaml", None),
        ("my_setup.py", None),
        ("a/version.py", None),
        ("a/notes.txt", None),
        ("setup.py.md", None),
    ],
)
def test_a_pin_counts_for_its_folder(path: str, folder: str | None) -> None:
    assert pinned_folder(path) == folder


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock", "environment.yml"],
)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read(path: str, data: bytes) -> None:
    assert pinned_folder(path) is not None
    read_pin("verl", {path: data})


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["==", "!=", ">=", "<=", ">", "<", "~="]),
            st.sampled_from(["0.4.0", "0.4.1", "0.5.0", "0.7.1", "0.8.0", "0.9.0"]),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_ranges_are_those_of_pep_440(clauses: list[tuple[str, str]]) -> None:
    specifier = ",".join(operator + version for operator, version in clauses)
    known = [release for release in releases("verl") if ".post" not in release]
    expected = [release for release in known if Version(release) in SpecifierSet(specifier)]
    found = pinned("requirements.txt", f"verl{specifier}") or ()
    post = [release for release in releases("verl") if ".post" in release]
    if 0 < len(expected) < len(known):
        assert [release for release in reversed(found) if release not in post] == expected


_METADATA = """#!/usr/bin/env -S uv run
# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "trl[peft]==0.24.0",
#
#     "transformers<5",
# ]
# ///
import trl
"""


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (_METADATA, "0.24.0"),
        (_METADATA.replace("\n", "\r\n"), "0.24.0"),
        (_METADATA.removeprefix("#!/usr/bin/env -S uv run\n"), "0.24.0"),
        (_METADATA.replace("==0.24.0", ">=0.24,<0.26"), "0.25.1"),
        (
            _METADATA.replace(
                "# ///\nimport", "# [tool.uv.sources]\n"
                '# trl = { git = "https://github.com/huggingface/trl", tag = "v0.22.0" }\n'
                "# ///\nimport",
            ),
            "0.22.0",
        ),
        (_METADATA.replace("[peft]==0.24.0", ""), None),
        (_METADATA.replace("# ///\nimport", "import"), None),  # It has no end.
        (_METADATA.replace("# /// script", "# /// other"), None),
        (_METADATA.replace("dependencies = [", "dependencies = [["), None),
        ("# Install trl==0.24.0 first.\nimport trl\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_metadata_of_a_program(text: str, release: str | None) -> None:
    pin = read_scripts("trl", {"train.py": text.encode()}, ["train.py"])
    assert (pin.releases[0] if pin else None) == release


@given(st.text(alphabet="# /script\n\r[]\"'=trl0.1"))
def test_any_metadata_is_read(text: str) -> None:
    files = {"train.py": f"# /// script\n{text}\n# ///\n".encode()}
    read_scripts("trl", files, files)


def _launched(script: str) -> str:
    files = {"train.py": _METADATA.encode() + _TRAINS, "requirements.txt": b"trl==0.20.0\n"}
    place = InCheckout(Checkout(files), files.get)
    data = ScriptFile(path="run.sh", data=script.encode())
    return check_script(data, CheckOptions(place=place)).launches[0].framework_version


_TRAINS = b"""
from trl import SFTConfig, SFTTrainer

SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=SFTConfig(output_dir="o")).train()
"""


@pytest.mark.parametrize(
    ("script", "release"),
    [
        ("uv run train.py\n", "0.24.0"),
        ("uv run --with trl==0.22.0 train.py\n", "0.22.0"),
        ("hf jobs uv run --with 'peft,trl==0.22.1' train.py\n", "0.22.1"),
        ("uvx --from trl==0.23.0 trl sft --model_name_or_path m\n", "0.23.0"),
        ("uv run --with=trl==0.22.2 trl sft --model_name_or_path m\n", "0.22.2"),
        ("trl sft --model_name_or_path m\n", "0.20.0"),
        ("# trl: 0.19.0\nuv run train.py\n", "0.19.0"),
    ],
)
def test_what_a_script_runs_with(script: str, release: str) -> None:
    assert _launched(script) == release


def test_a_script_is_searched_for_installs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 launches were each searched for by all: 8 s."""
    asked: list[str] = []

    def counted(framework: str, commands: Iterable[Command]) -> Pin | None:
        asked.append(framework)
        return read_installs(framework, commands)

    monkeypatch.setattr("bot.frameworks.read_installs", counted)
    text = "pip install trl==0.22.2\n" + "trl sft --model_name_or_path m --max_steps 8\n" * 40
    report = check_script(ScriptFile(path="run.sh", data=text.encode()), CheckOptions())
    assert {one.framework_version for one in report.launches} == {"0.22.2"}
    assert asked == ["trl"]
