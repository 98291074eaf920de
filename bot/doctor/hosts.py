"""Whether the servers that runs are read from can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bot.base.http import ask
from bot.base.messages import message
from bot.doctor._support.base import TIMEOUT, CheckAnswer, Surroundings


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Each API that answers for a host of run pages; any reply at all will do."""
    if around.offline:
        yield CheckAnswer("hosts", "skipped", message("No host was asked."))
        return
    from bot.evidence.online.access import PUBLIC, Access

    base = Access.from_environment(around.environment).base_url
    named = (*around.config.wandb_hosts, *around.config.mlflow_hosts)
    public = [PUBLIC["wandb.ai"], *(f"https://{host}" for host in named)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        yield from pool.map(_reach, [base] if base else dict.fromkeys(public))


def _reach(address: str) -> CheckAnswer:
    reply = ask(address, timeout=TIMEOUT)
    host = address.partition("://")[2]
    if reply.status:
        return CheckAnswer(host, "ok", message("{host} answers.", host=host))
    text = message("{host} could not be reached: {problem}.", host=host, problem=reply.problem)
    remedy = message(
        "Check the network and the proxy (HTTPS_PROXY); without it pass run folders, or work with "
        "--offline."
    )
    return CheckAnswer(host, "unknown", text, remedy)
