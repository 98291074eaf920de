"""`rlbot app create`: makes the GitHub App, and writes the settings that `rlbot serve` needs."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bot.base.errors import UserError
from bot.commands.arguments import number
from bot.commands.output import notice, write

SUMMARY = "make the GitHub App: manifest, key, settings"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    create = actions.add_parser("create", help="make an App and write rlbot.env and its key")
    create.add_argument(
        "--url", required=True, help="https address at which GitHub reaches `rlbot serve`"
    )
    create.add_argument("--name", default="rlbot", help="name of the App, unique on GitHub")
    create.add_argument("--org", metavar="ORG", help="organization that owns it (default: you)")
    create.add_argument(
        "--apply", action="store_true", help="ask for writing contents too: /apply commits"
    )
    create.add_argument("--public", action="store_true", help="other accounts may install it")
    create.add_argument("--folder", default=".", metavar="DIR", help="where the files are written")
    create.add_argument(
        "--port",
        type=number(65_535),
        default=0,
        help="port of this machine for the way back (any free one)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.github.addresses import Addresses
    from bot.service.manifest import AppFiles, AppManifest, CreationServer

    manifest = AppManifest(
        name=arguments.name,
        url=arguments.url,
        organization=arguments.org,
        apply=arguments.apply,
        public=arguments.public,
    )
    files = AppFiles(Path(arguments.folder))
    server = CreationServer(manifest, Addresses.of(os.environ), files, arguments.port)
    port = server.address.rpartition(":")[2]
    notice("Open {address} in a browser, and confirm on GitHub.", address=server.address)
    notice(
        "Is the browser on another machine? There: ssh -L {port}:127.0.0.1:{port} HOST.", port=port
    )
    try:
        created = server.wait()
    except KeyboardInterrupt:
        raise UserError("Stopped; nothing was written.") from None
    write(
        f"{created.name} is made: App {created.app_id}.\n"
        f"Settings: {files.settings}\n"
        f"Private key: {files.key}\n"
        f"Install it: {created.page}/installations/new\n"
        "Then start it with these settings: docs/deploy.md tells how."
    )
    if not created.webhook_secret:
        notice("GitHub made no webhook secret: set one in the App's settings and in rlbot.env.")
        return 1
    return 0
