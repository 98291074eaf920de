"""`rlbot serve`: the GitHub App's webhooks and pages, and its workers unless told otherwise."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from bot.commands.arguments import number

SUMMARY = "run the GitHub App: webhooks, pages, workers"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=number(65_535), default=8000, help="port to listen on (default: 8000)"
    )
    parser.add_argument(
        "--no-worker", action="store_true", help="run no jobs here: `rlbot worker` does"
    )
    add_worker(parser)


def add_worker(parser: argparse.ArgumentParser) -> None:
    """Declare what the web process and workers have in common."""
    parser.add_argument(
        "--id", metavar="ID", help="name of this worker, the same after a restart (RLBOT_WORKER_ID)"
    )
    parser.epilog = (
        "Settings come from the environment: RLBOT_WEBHOOK_SECRET, RLBOT_APP_ID, "
        "RLBOT_PRIVATE_KEY_FILE, RLBOT_DATABASE_URL, RLBOT_CONCURRENCY, RLBOT_RETENTION_DAYS, "
        "WANDB_API_KEY. docs/deploy.md describes each."
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.service.run import serve
    from bot.service.settings import read_settings
    from bot.service.work import make_work

    settings = read_settings(os.environ, webhooks=True, github=not arguments.no_worker)
    if arguments.id:
        settings = replace(settings, worker_id=arguments.id)
    serve(
        settings,
        host=arguments.host,
        port=arguments.port,
        make_work=None if arguments.no_worker else make_work,
    )
    return 0
