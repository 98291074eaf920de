"""Whether the servers that runs are read from can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bot.base.errors import UserError
from bot.base.http import ask
from bot.doctor._support.base import Answer, Surroundings


def check(around: Surroundings) -> Iterator[Answer]:
    """Each API that answers for a host of run pages; any answer at all will do."""
    if around.offline:
        yield Answer(subject="hosts", state="skipped", said="No host was asked.")
        return
    addresses = _addresses(around)
    with ThreadPoolExecutor(max_workers=max(1, min(8, len(addresses)))) as pool:
        yield from pool.map(lambda address: _reached(address, around.timeout), addresses)


def _addresses(around: Surroundings) -> list[str]:
    from bot.evidence.online.access import PUBLIC, Access

    found = [PUBLIC["wandb.ai"], *(f"https://{host}" for host in around.config.wandb_hosts)]
    try:
        base = Access.from_environment(around.environment).base_url
    except UserError:
        base = None  # told with the key
    return list(dict.fromkeys([base] if base else [])) or list(dict.fromkeys(found))


def _reached(address: str, timeout: float) -> Answer:
    reply = ask(address, timeout=timeout)
    host = address.partition("://")[2]
    if reply.status:
        return Answer(subject=host, state="ok", said=f"{host} answers.")
    return Answer(
        subject=host,
        state="unknown",
        said=f"{host} could not be reached: {reply.problem}.",
        remedy="Check the network and the proxy (HTTPS_PROXY); without it pass run folders, or "
        "work with --offline.",
    )
