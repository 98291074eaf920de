"""How people spell what belongs together, and the one spelling that it gets.

A `Spelling` finds one way of writing, and shows by an example what becomes of it. They work on the
whole text and one after another, so that a later one meets what an earlier one has written: a new
one goes where its words are still as people write them.
"""

from __future__ import annotations

from bot.recommend.spellings.beside import IDLE_WORDS, NUMBERS, WITHOUT
from bot.recommend.spellings.card_names import CARDS
from bot.recommend.spellings.counts import COUNTS
from bot.recommend.spellings.flags import FLAGS
from bot.recommend.spellings.incidental import INCIDENTAL
from bot.recommend.spellings.lengths import LENGTHS, SIGNS
from bot.recommend.spellings.spelling import Spelling
from bot.recommend.spellings.training import METHODS, MODELS, SETTINGS

SPELLINGS: tuple[Spelling, ...] = (
    *(*NUMBERS, *FLAGS, *INCIDENTAL, *CARDS, *METHODS, *SETTINGS, *COUNTS, *IDLE_WORDS),
    *(*LENGTHS, *MODELS, *WITHOUT, *SIGNS),
)
