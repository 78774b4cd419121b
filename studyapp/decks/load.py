"""Any lesson or deck: the format is told from the content, never from the name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from studyapp.core.cards import Module, Parsed, Problem
from studyapp.core.errors import DeckError
from studyapp.decks import files, lesson, questions
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import clean_line, settle
from studyapp.decks.notes import Known

Parse = Callable[[str, str], Parsed]
"""What every parser can be called as: text, path."""


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what a text holds: a lesson if it has prompts or an FAQ, else a Q/A deck if it has a `Q:`.

    Args:
        text: The file's text.
        path: Where it came from, for messages.
        known: Says what is wrong with an experiment link, or None.
    """
    lines = settle(text).split("\n")
    if any(line.startswith("Q:") for line in lines):  # reading twice is only worth it where a deck is possible
        deck = questions.is_deck(read_blocks(lines, deck=True))
        if deck and not lesson.is_lesson(read_blocks(lines)):
            return questions.parse(text, path, known)
    return lesson.parse(text, path, known)


def load(path: str | os.PathLike[str], known: Known | None = None) -> list[Parsed]:
    """Return what every file under a path holds; a file that cannot be read gives an empty module and a problem.

    Raises:
        DeckError: If there is nothing at that path.
    """
    return [_load(entry, known) for entry in files.scan(path)]


def _load(entry: files.Entry, known: Known | None) -> Parsed:
    name = clean_line(str(entry.path))
    if entry.skipped:
        return _nothing(entry.path, name, entry.skipped)
    try:
        source = files.read(entry.path)
    except DeckError as error:
        return _nothing(entry.path, name, str(error))
    parsed = parse(source.text, name, known)
    return replace(parsed, problems=(*source.problems, *parsed.problems))


def _nothing(path: Path, name: str, reason: str) -> Parsed:
    return Parsed(Module("", clean_line(path.name), path=name), (Problem(name, 0, reason),))
