"""Reports as the product makes them, for the renderers' tests."""

from __future__ import annotations

from dataclasses import replace

from bot.report import (
    Change,
    Claim,
    ClaimVerdict,
    Evidence,
    Finding,
    LaunchReport,
    Name,
    PageEdit,
    PlanReport,
    Report,
    Row,
    Run,
    Scalar,
    ScriptReport,
    Severity,
    Tool,
    Unchecked,
    Verdict,
)
from bot.report.claims import SourceName

TOOL = Tool(name="rlbot", version="0.1.0")
CHANGE = Change(
    base="9a0fca8b1c7f4c2d8e5b6a7f8091a2b3c4d5e6f7",
    head="3f2c1ab49d0e8f7a6b5c4d3e2f1a0b9c8d7e6f50",
)
PAGE = "docs/perf/device_tuning.rst"
SMALL = "examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh"
LARGE = "examples/tuning/32b/qwen2.5-32b_grpo-lora_4_h100_fsdp_vllm.sh"


def finding(
    message: str = "CUDA_VISIBLE_DEVICES lists 8 devices, the script uses 4 GPUs",
    *,
    severity: Severity = "warning",
    id: str = "RLB033",  # noqa: A002
    path: str = LARGE,
    line: int = 3,
    columns: tuple[int, int] = (8, 28),
    help: str | None = None,  # noqa: A002
    url: str | None = None,
) -> Finding:
    return Finding(
        id=id,
        slug="a-rule",
        severity=severity,
        message=message,
        path=path,
        line=line,
        column=columns[0],
        end_line=line,
        end_column=columns[1],
        help=help,
        url=url,
    )


def claim(
    name: str,
    claimed: Scalar,
    observed: Scalar,
    *,
    verdict: ClaimVerdict = "consistent",
    source: str = "run config",
    reason: str = "The run has the same value.",
) -> Claim:
    return Claim(
        claim=name,
        claimed=claimed,
        observed=observed,
        source=source,
        verdict=verdict,
        reason=reason,
    )


AGREEING = (
    claim("model", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
    claim("algorithm", "GRPO", "GRPO"),
    claim("gpus", 2, 2, source="host metadata"),
    claim("train batch", 1024, 1024),
    claim("actor_rollout_ref.actor.optim.lr", 1e-06, 1e-06),
    claim("actor_rollout_ref.actor.fsdp_config.param_offload", True, True),
    claim(
        "peak memory",
        None,
        71.2,
        source=SourceName.SYSTEM_STREAM,
        reason="71.2 of 79.6 GiB at the highest, over 4,120 rows.",
    ),
)


def evidence(
    verdict: ClaimVerdict = "consistent", claims: tuple[Claim, ...] = AGREEING
) -> Evidence:
    return Evidence(
        source="W&B run ada/verl-tuning/8f3k2m1q",
        verdict=verdict,
        run=Run(
            id="8f3k2m1q",
            entity="ada",
            project="verl-tuning",
            name="qwen2.5-7b-grpo",
            url="https://wandb.ai/ada/verl-tuning/runs/8f3k2m1q",
        ),
        claims=claims,
        settings_compared=31,
        settings_consistent=31,
        steps=412,
        peak_gib=71.2,
        device_gib=79.6,
    )


def row(*, model: str = "Qwen2.5-7B", batch: str = "1024", notes: tuple[str, ...] = ()) -> Row:
    return Row(
        tag="MIN",
        model=model,
        task="GRPO",
        resource="2*H800",
        max_batch=batch,
        train="fsdp",
        infer="vllm0.8.3",
        link=f"https://github.com/verl-project/verl/blob/{CHANGE.head}/{SMALL}",
        contributor="Ada Lovelace",
        notes=notes,
    )


RST = r"""    * - MIN
      - Qwen2.5-7B
      - GRPO
      - 2*H800
      - 1024
      - fsdp
      - vllm0.8.3
      - `qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh <https://github.com/verl-project/verl/blob/3f2c1ab/examples/tuning/7b/qwen2.5-7b_grpo_2_h800_fsdp_vllm.sh>`_
      - `Ada Lovelace <ada@example.org>`_
"""
PATCH = (
    f"--- a/{PAGE}\n+++ b/{PAGE}\n@@ -112,3 +112,12 @@\n"
    "       - vllm0.8.2\n       - `a.sh`_\n       - `b`_\n"
    + "".join(f"+{line}\n" for line in RST.splitlines())
)


def page_edit() -> PageEdit:
    return PageEdit(path=PAGE, section="7B", action="add", rst=RST, patch=PATCH)


def launch() -> LaunchReport:
    return LaunchReport(
        argv=("python3", "-m", "verl.trainer.main_ppo", "data.train_batch_size=1024"),
        complete=True,
        framework="verl",
        framework_version="0.9.1",
        framework_version_reason="the newest release",
        settings={"data.train_batch_size": 1024, "trainer.n_gpus_per_node": 2},
        line=14,
    )


def good(path: str = SMALL) -> ScriptReport:
    """A script that agrees with its run and has a row to paste."""
    return ScriptReport(
        path=path,
        sha256="6d1e" * 16,
        verdict="pass",
        name=Name(profile="tuning", valid=True, model="qwen2.5-7b", task="grpo", gpus=2),
        configurations=("verl 0.9.1, the newest release known",),
        launches=(launch(),),
        plan=PlanReport(framework="verl", model="Qwen/Qwen2.5-7B-Instruct", task="GRPO", gpus=2),
        findings=(finding("the seed is not set", severity="note", path=path, line=20),),
        evidence=evidence(),
        row=row(),
        page_edit=page_edit(),
    )


def bad(path: str = LARGE) -> ScriptReport:
    """A script with errors whose run contradicts it."""
    return ScriptReport(
        path=path,
        sha256="07aa" * 16,
        verdict="fail",
        launches=(replace(launch(), complete=False, line=9),),
        findings=(
            finding(path=path),
            finding(
                "actor.megatron.grad_offload is in verl 0.2 to 0.9.0, removed in 0.9.1",
                severity="error",
                id="RLB012",
                path=path,
                line=29,
                columns=(5, 33),
                help="did you mean actor.megatron.param_offload?",
                url="https://github.com/rlbot-tuning/rlbot/blob/main/docs/rules/RLB012.md",
            ),
            finding(
                "batch 45 per GPU is marked × in this script's own trial log; the largest √ is 44",
                severity="error",
                id="RLB041",
                path=path,
                line=10,
                columns=(15, 17),
                help="use nproc_per_gpu=44 (MaxBatch 176 on 4 GPUs)",
            ),
            finding("offload is off", severity="note", path=path, line=31, columns=(1, 1)),
        ),
        evidence=evidence(
            "inconsistent",
            (
                *AGREEING[:4],
                claim(
                    "max batch",
                    180,
                    176,
                    verdict="inconsistent",
                    reason="The run trained with train_batch_size=176.",
                ),
                claim(
                    "peak memory",
                    None,
                    None,
                    verdict="inconclusive",
                    source=SourceName.SYSTEM_STREAM,
                    reason="The run folder holds no system stream.",
                ),
            ),
        ),
        row=row(model="Qwen2.5-32B", batch="180"),
    )


def unknown(path: str = SMALL) -> ScriptReport:
    """A script whose run could not be read."""
    return ScriptReport(
        path=path,
        sha256="11bb" * 16,
        verdict="inconclusive",
        configurations=("verl 0.9.1, the newest release known",),
        launches=(launch(),),
        unchecked=(
            Unchecked(
                check="the run",
                reason="ada/verl-tuning is private: make the project public, or attach the run",
            ),
        ),
        row=row(batch="\\", notes=("MaxBatch is unknown: no run was read.",)),
    )


def report(
    *scripts: ScriptReport,
    change: Change | None = CHANGE,
    unchecked: tuple[Unchecked, ...] = (),
    verdict: Verdict | None = None,
) -> Report:
    """A report whose verdict is the worst of its scripts'."""
    given = {script.verdict for script in scripts}
    worst: Verdict = next(v for v in ("fail", "inconclusive", "pass") if v in given or v == "pass")
    return Report(
        schema="report-v1",
        tool=TOOL,
        verdict=verdict or worst,
        scripts=scripts,
        unchecked=unchecked,
        change=change,
    )


_OF_SCRIPT: dict[ClaimVerdict, Verdict] = {
    "inconsistent": "fail",
    "inconclusive": "inconclusive",
    "consistent": "pass",
}


def big(scripts: int, findings: int, texts: tuple[str, ...]) -> Report:
    """A report of many scripts and findings in all, whose every text comes from `texts`."""
    made = []
    turn = iter(range(10**9))

    def some() -> str:
        return texts[next(turn) % len(texts)]

    for index in range(scripts):
        path = f"{some()}/{index}/{some()}.sh"
        found = tuple(
            finding(
                some(),
                severity=("error", "warning", "note")[n % 3],
                id=some(),
                path=path,
                line=n,
                help=some(),
                url=some(),
            )
            for n in range(index, findings, scripts)
        )
        verdict: ClaimVerdict = ("inconsistent", "inconclusive", "consistent")[index % 3]
        claims = tuple(
            claim(some(), some(), some(), verdict=verdict, source=some(), reason=some())
            for _ in range(12)
        )
        script = bad(path) if verdict == "inconsistent" else good(path)
        made.append(
            replace(
                script,
                verdict=_OF_SCRIPT[verdict],
                findings=found,
                unchecked=(Unchecked(check=some(), reason=some()),),
                evidence=replace(
                    evidence(verdict, claims), source=some(), run=Run(id=some(), url=some())
                ),
                row=Row(
                    tag=some(),
                    model=some(),
                    task=some(),
                    resource=some(),
                    max_batch=some(),
                    train=some(),
                    infer=some(),
                    link=some(),
                    contributor=some(),
                    notes=(some(),),
                ),
                page_edit=PageEdit(
                    path=some(), section=some(), action="add", rst=some(), patch=some() * 3
                ),
            )
        )
    return replace(
        report(*made),
        tool=Tool(name=some(), version=some()),
        change=Change(base=some(), head=some()),
    )
