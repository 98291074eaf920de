from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from bot.rules._support.example import verl
from tests.rules.helpers import found, marked, quiet

SLUG = "secret"
TOKEN = "aB3dE5gH7jK9" * 3
HEX = "0123456789abcdef0123456789abcdef01234567"
WANDB = f"wandb_v1_{TOKEN[:27]}_{TOKEN}{TOKEN[:13]}"
NANOID = "aB3dE5gH7jK9mN1pQ2rS4"
UUID = "0be979b5-11b5-462c-ab46-afa93062154f"


@pytest.mark.parametrize(
    "script",
    [
        verl(before="export HF_TOKEN=hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        verl(before="python export.py --hf_pretrained_model_name_or_path a/b"),  # Ledzy/BAdam
        verl(before="export WANDB_API_KEY=$KEY"),
        # donovanclay/selfplay-redteaming
        verl(before="export OPENAI_API_KEY=sk-proj-" + "0123456789abcdef" * 2),
        verl(before=f"git checkout {HEX}"),
        verl(before="wandb login"),
        verl(before=f"wandb login && git checkout {HEX}"),
        verl(before="export WANDB_API_KEY=wandb_v1_" + "x" * 77),
        verl(before="export WANDB_API_KEY=${WANDB_API_KEY:-wandb_v1_your_key}"),
        verl(before="export WANDB_API_KEY=${WANDB_API_KEY:-$KEY}"),
        verl(before=f"git checkout ${{COMMIT:-{HEX}}}"),
        verl(before="export ANTHROPIC_API_KEY=sk-ant-api03-" + "x" * 95),
        verl(before="export SWANLAB_API_KEY=your_swanlab_api_key1"),
        verl(before="export SWANLAB_API_KEY=yourSwanLabApiKeyHere"),
        verl(before=f"export SWANLAB_PROJECT={NANOID}"),
        verl(before=f"export RUN_ID=params-{UUID} MS={UUID} X=ms-0123"),
        verl("trainer.project_name=risk-" + "a" * 40),
        verl(before="export https_proxy=http://user:password@proxy:3128"),
        verl(before="export https_proxy=http://$USER:$PASSWORD1@proxy:3128"),
        verl(before="export https_proxy=http://me:aaaa1111@proxy"),
        verl(before="git clone https://me:${TOKEN9}abc@github.com/a/b"),
        verl(before="ray start --address=http://127.0.0.1:8265abcdef # me@host1"),
    ],
)
def test_stays_silent(script: str) -> None:
    assert quiet(SLUG, script)


@pytest.mark.parametrize(
    "script",
    [
        verl(before=f"export HF_TOKEN=hf_{TOKEN}"),
        verl(before=f"export WANDB_API_KEY='{HEX}'"),
        verl(before=f"wandb login --relogin {HEX}"),
        verl(before=f"# my key: sk-{TOKEN}"),
        verl(before=f"git clone https://ghp_{TOKEN}@github.com/a/b"),
        verl(before=f"git clone https://me:ghp_{TOKEN}@github.com/a/b"),
        verl(before="export http_proxy=https://me:Ab5h9O0Q3TMDm@proxy.example.org:13128"),
        verl(before=f"export WANDB_API_KEY=${{WANDB_API_KEY:-{HEX}}}"),
        verl(before=f': "${{WANDB_API_KEY:={HEX}}}"'),
        verl(before=f'export WANDB_API_KEY="${{KEY-"{HEX}"}}"'),
        verl(before=f"export WANDB_API_KEY={WANDB}"),
        verl(before=f"wandb login --relogin {WANDB}"),
        verl(before=f"wandb login ${{WANDB_KEY:-{HEX}}}"),
        verl(before=f"python3 -c 'import wandb; wandb.login(key=\"{HEX}\")'"),
        verl(before=f"""python3 -c 'os.environ["WANDB_API_KEY"] = "{HEX}"'"""),
        verl(before=f"export WANDB_API_KEY=local-{HEX}"),
        verl(before=f"export SWANLAB_API_KEY=${{SWANLAB_API_KEY:-{NANOID}}}"),
        verl(before=f"swanlab login --relogin -k {NANOID}"),
        verl(before=f"export MODELSCOPE_API_TOKEN=ms-{UUID}"),
        verl(before="export NEPTUNE_API_TOKEN=eyJhcGlfYWRkcmVzcyI6" + TOKEN * 2 + "=="),
        verl(before=f"export ANTHROPIC_API_KEY=sk-ant-api03-{TOKEN}"),
        verl(
            before=f"git clone https://github_pat_{TOKEN[:22]}_{TOKEN}{TOKEN[:23]}@github.com/a/b"
        ),
    ],
)
def test_says_what_is_wrong(script: str, snapshot: SnapshotAssertion) -> None:
    assert marked(SLUG, script) == snapshot


def test_the_token_is_not_repeated() -> None:
    (finding,) = found(SLUG, verl(before=f"export HF_TOKEN=hf_{TOKEN}"))
    assert TOKEN not in f"{finding.message} {finding.help}"
