"""`rlbot worker`: runs the App's jobs beside `rlbot serve --no-worker`, on any machine."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from bot.commands.arguments import number
from bot.commands.serve import add_worker

SUMMARY = "run the App's jobs in a process of its own"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=number(65_535),
        help="show /healthz, /readyz and /metrics of this worker at a port (default: nowhere)",
    )
    add_worker(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.service.run import work
    from bot.service.settings import read_settings
    from bot.service.work import make_work

    settings = read_settings(os.environ, github=True)
    if arguments.id:
        settings = replace(settings, worker_id=arguments.id)
    work(settings, make_work, host=arguments.host, port=arguments.port)
    return 0
