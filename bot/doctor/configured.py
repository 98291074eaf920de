"""What the configuration names: releases of frameworks, the page, the folders of scripts."""

from __future__ import annotations

from collections.abc import Iterator

from bot.base.errors import UserError
from bot.base.messages import message, sentence_of
from bot.doctor._support.base import CheckAnswer, Surroundings
from bot.frameworks.configuration import known_release


def check(around: Surroundings) -> Iterator[CheckAnswer]:
    """Whether each is there that the file itself names; a default need not be."""
    for framework, release in around.config.framework.items():
        try:
            known_release(framework, release)
        except UserError as error:
            remedy = message("Correct it under `framework:`: every check of scripts refuses it.")
            yield CheckAnswer("framework", "wrong", sentence_of(error), remedy)
    page, root = around.config.page, around.root.resolve()
    if "page" in around.stated and page is not None and not (root / page).is_file():
        text = message("There is no file {path} in {root}.", path=page, root=root)
        remedy = message("Correct it under `page:`; null stands for no page.")
        yield CheckAnswer("page", "missing", text, remedy)
    for folder in around.config.scripts if "scripts" in around.stated else ():
        if not (root / folder).is_dir():
            text = message("There is no folder {path} in {root}.", path=folder, root=root)
            remedy = message("Correct it under `scripts:`: nothing in it is a tuning script.")
            yield CheckAnswer("scripts", "missing", text, remedy)
