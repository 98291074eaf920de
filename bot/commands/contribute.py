"""`rlbot contribute RUN`: from a run to its script, its row, its branch and its pull request."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.base.errors import UncheckedError, UserError
from bot.base.messages import message, sentence_of
from bot.commands.arguments import add_common, options_of, without_effect
from bot.commands.configuration import config_of
from bot.commands.files import page_text, read_file
from bot.commands.output import notice, write, write_beside, write_message
from bot.commands.result import rendered
from bot.commands.runs import RUN, add_offline, reading, run_of
from bot.commands.terminal import in_terminal
from bot.commands.verify import add_row_arguments, row_of

if TYPE_CHECKING:
    from bot.base.secrets import Secret
    from bot.check.request import CheckOptions, PageText, ScriptFile
    from bot.contribute.commit import Contribution
    from bot.evidence.facts import Facts
    from bot.evidence.links import RunGiven
    from bot.github.branch import Clone
    from bot.report import Report

SUMMARY = "from a run to its script, its row and its pull request"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "run", metavar=RUN, nargs="+", help="the run, as of `verify --run`; several are its sources"
    )
    parser.add_argument(
        "--script",
        metavar="SCRIPT",
        help="the script that it ran, in the repository (default: written from what it recorded)",
    )
    parser.add_argument(
        "--launcher",
        metavar="WORDS",
        help="what started the run, where it was not Ray, since no run says so: "
        "'accelerate launch --num_processes 8 --use_deepspeed --zero_stage 3'",
    )
    parser.add_argument(
        "--repo", metavar="FOLDER", default=".", help="the clone to contribute to (default: here)"
    )
    parser.add_argument(
        "--yes", action="store_true", help="write without asking: the script, the row, the branch"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the script and the patch, and write nothing"
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="push the branch to origin and open the pull request; needs GITHUB_TOKEN",
    )
    parser.add_argument(
        "--to",
        metavar="OWNER/REPO",
        help="with --open: the repository that it is for (default: the remote upstream, else "
        "origin)",
    )
    add_offline(parser)
    add_row_arguments(parser)
    add_common(parser, ("text", "markdown"))


def run(arguments: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    from bot.check.script import check_script, make_report
    from bot.contribute.commit import Contribution
    from bot.github.branch import Clone
    from bot.report import exit_status

    _refuse_idle(arguments)
    config = config_of(arguments)
    clone = Clone.of(Path(arguments.repo))
    if arguments.open and not arguments.dry_run:
        _remotes(arguments, clone)
    how = reading(arguments.offline, config, "caller")
    row = row_of(arguments)
    options = options_of(arguments, config, evidence="required", **how, **row)
    run_ = run_of(arguments.run, options)
    facts = _read_run(run_, options)
    page = _page(clone, config.page)
    if arguments.script:
        script = _script_file(clone, Path(arguments.script))
    else:
        written = _script_of_run(run_, facts, options, arguments)
        script = _standing(clone, written, facts, options, arguments)
        if script is written:
            write(script.data.decode())
    script = replace(script, link=_link(clone, page, script), contributor=clone.author())
    checked = check_script(script, options, run=run_, page=page)
    report = make_report([checked], language=options.config.language)
    write(rendered(report, arguments, {script.path: script.data.decode("utf-8", "replace")}))
    status = exit_status(report)
    if checked.verdict == "fail":
        notice("Nothing was written: settle the errors first.")
        return status
    if checked.row is None or (page is not None and checked.page_edit is None):
        notice("Nothing was written: the row could not be made.")
        return status or 3
    made = Contribution.of(clone, script, page, checked)
    if not made.files:
        notice("Nothing was written: the script and its row are there already.")
        return status
    if arguments.dry_run:
        write(made.change.edit.patch if made.change else "")
        return status
    _refuse_branch(clone, made.branch)
    clone.need_identity()
    if not (arguments.yes or _agreed(made)):
        notice("Nothing was written; --yes writes without asking.")
        return status
    made.commit()
    notice("committed {files} on {branch}", files=", ".join(made.files), branch=made.branch)
    _propose(arguments, made, report, run_)
    return status


def _refuse_branch(clone: Clone, branch: str) -> None:
    """Raise UserError where there is a branch of the name already."""
    if not clone.has_branch(branch):
        return
    if clone.checked_out() == branch:
        raise UserError(
            "The branch {branch} is there already, and checked out; commit to it yourself, or "
            "switch to another branch and remove it with `git branch -D {branch}`.",
            branch=branch,
        )
    raise UserError(
        "There is a branch {branch} already; remove it with `git branch -D {branch}`, or "
        "commit to it yourself.",
        branch=branch,
    )


def _refuse_idle(arguments: argparse.Namespace) -> None:
    """Raise UserError for an option that says nothing beside the others."""
    if arguments.to and not arguments.open:
        raise UserError("--to goes with --open.")
    if arguments.script:
        without_effect(arguments, "--script", ("launcher",))


def _read_run(run_: RunGiven, options: CheckOptions) -> Facts:
    from bot.evidence import read
    from bot.evidence.facts import EvidenceError

    try:
        return read(run_, linked=options.linked)
    except EvidenceError as error:
        raise UncheckedError(sentence_of(error)) from None


def _page(clone: Clone, path: str | None) -> PageText | None:
    """The page with the table; None in a repository that has none."""
    from bot.check.request import PageText

    if path is None or not (clone.root / path).is_file():
        return None
    return PageText(path=path, text=page_text(clone.root / path))


def _script_file(clone: Clone, path: Path) -> ScriptFile:
    from bot.check.request import ScriptFile

    full = path.resolve()
    if not full.is_relative_to(clone.root.resolve()):
        raise UserError("{path} does not lie in the repository {root}.", path=path, root=clone.root)
    inside = full.relative_to(clone.root.resolve()).as_posix()
    return ScriptFile(path=inside, data=read_file(path))


def _script_of_run(
    run_: RunGiven, facts: Facts, options: CheckOptions, arguments: argparse.Namespace
) -> ScriptFile:
    """The script of the run, at the path that the convention gives it."""
    from bot.base.devices import label_of
    from bot.check.evidence import link_of
    from bot.check.read import read_script
    from bot.check.request import ScriptFile
    from bot.contribute.launch import recorded_launch
    from bot.contribute.script import other_card, parts_of, script_text

    if not options.config.scripts:
        raise UserError(
            "The configuration names no folder of scripts: name one as `scripts` in .rlbot.yml, or "
            "the script with --script."
        )
    installed = facts.requirements
    # What the repository is read with counts where the run itself says nothing.
    unsaid = facts.script_release is None
    ours = {k: v for k, v in options.config.framework.items() if unsaid and not installed.get(k)}
    launch = recorded_launch(facts, {**ours, **options.versions}, arguments.launcher)
    if not launch.known_release:
        guess = (
            message("{release} is the newest that has its settings", release=launch.release)
            if "arguments" in facts.printed
            else message("{release} fits its settings best", release=launch.release)
        )
        notice(
            "the run does not say the release of {framework}; {guess}",
            framework=launch.framework,
            guess=guess,
        )
    data = script_text(launch, link_of(run_)).encode()
    context = read_script(ScriptFile(path="script.sh", data=data), options)
    if not context.plans:
        raise UserError("--launcher {words} starts no framework.", words=repr(arguments.launcher))
    parts = parts_of(context.plans[0], facts, options.device and options.device.lower())
    path = parts.path(options.config.scripts[0])
    if parts.device and (called := other_card(context.plans[0], parts.device)) is not None:
        notice(
            'the run is called "{name}", which says {card}; the script is for {device} and keeps '
            "the name, since the run had it",
            name=called[0],
            card=called[1],
            device=label_of(parts.device) or parts.device,
        )
    return ScriptFile(path=path, data=data)


def _standing(
    clone: Clone,
    written: ScriptFile,
    facts: Facts,
    options: CheckOptions,
    arguments: argparse.Namespace,
) -> ScriptFile:
    """The script of that path where the run ran it, and the written one where there is none.

    Raises UserError for another script.
    """
    from bot.check.request import ScriptFile
    from bot.contribute.standing import ran

    there = clone.root / written.path
    if not there.exists() or read_file(there) == written.data:
        return written
    standing = ScriptFile(path=written.path, data=read_file(there))
    path = os.path.relpath(there)
    if not ran(standing, facts, options, arguments.launcher):
        raise UserError(
            "{path} is there already, and is not the script that the run gives: compare the two "
            "with --script {path}, or rename it first.",
            path=path,
        )
    notice("{path} is there already, and is what the run ran: its row is made", path=path)
    return standing


def _link(clone: Clone, page: PageText | None, script: ScriptFile) -> str | None:
    from bot.commands.table_tree import row_link

    if page is None:
        return None
    at = replace(script, full_path=str(clone.root / script.path))
    return row_link(clone.root / page.path, page, at)


def _agreed(made: Contribution) -> bool:
    if not sys.stdin.isatty():
        return False
    question = message(
        "Commit {files} on a new branch {branch}? [y/N] ",
        files=", ".join(made.files),
        branch=made.branch,
    )
    write_beside(in_terminal(question))
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _propose(
    arguments: argparse.Namespace, made: Contribution, report: Report, run_: RunGiven
) -> None:
    """Open the pull request, or say how."""
    from bot.check.evidence import link_of
    from bot.check.translate import in_language
    from bot.render.markdown import HERE, comment

    link = link_of(run_)
    english = in_language(report, "en", before=report.language)
    body = made.body(link.url if link else None, comment(english, conversation=HERE))
    if not arguments.open:
        start = f"gh pr create --title {shlex.quote(made.title)} --body"
        argument = shlex.quote(body) if link else f'"$({_shown(arguments, made)})"'
        push = f"git push -u origin {shlex.quote(made.branch)}"
        write_message(
            "To open the pull request:\n\n{push}\n{pull}", push=push, pull=f"{start} {argument}"
        )
        return
    from bot.github.branch import Proposal, open_pull
    from bot.github.client import client_of

    token, origin, to = _remotes(arguments, made.clone)
    made.clone.push(made.branch)
    head = f"{origin.partition('/')[0]}:{made.branch}"
    address = open_pull(
        client_of(token), Proposal(repository=to, head=head, title=made.title, body=body)
    )
    write_message("Opened {address}", address=address)


def _shown(arguments: argparse.Namespace, made: Contribution) -> str:
    """The command that prints what the run's records say of the contribution."""
    runs = " ".join(f"--run {shlex.quote(run)}" for run in arguments.run)
    if made.state == "same":  # The change holds the page alone.
        script = shlex.quote(os.path.relpath(made.clone.root / made.script.path))
        return f"rlbot verify {script} {runs} --format markdown"
    return f"rlbot pr --base {made.branch}~ {runs}"


def _remotes(arguments: argparse.Namespace, clone: Clone) -> tuple[Secret, str, str]:
    """The token, the repository that the branch is pushed to, and the one that it is for.

    Raises UserError where one of them is missing.
    """
    from bot.base.secrets import Secret

    token = Secret(os.environ.get("GITHUB_TOKEN", ""))
    origin = clone.remote("origin")
    to = arguments.to or clone.remote("upstream") or origin
    if not token or to is None or origin is None:
        raise UserError(
            "--open needs GITHUB_TOKEN, a remote origin, and --to OWNER/REPO where no remote says "
            "it; without --open the commands that open the pull request are printed."
        )
    return token, origin, to
