"""Any lesson, deck, page or table: the format is told from the content; only a table is known by its name."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path, PurePath

from studyapp.core.cards import LeftOut, Module, Parsed, Problem
from studyapp.core.errors import DeckError
from studyapp.decks import conventions, files, lesson, mixed, page, questions, spelt, table
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import clean_line, settle
from studyapp.decks.front import holds_cards
from studyapp.decks.lint import lint
from studyapp.decks.notes import Known, Notes

Parse = Callable[[str, str], Parsed]
"""What every parser can be called as: text, path."""
_CONFLICT = re.compile(r"^(?:<{7} |>{7} )", re.MULTILINE)
_LESSON = re.compile(r"^ {0,3}>[ \t]*(?:\*\*|__)|\bfaq\b", re.IGNORECASE | re.MULTILINE)
"""What every lesson has somewhere: a look at the text is far cheaper than reading its blocks."""
_TABLE_START = re.compile(r'#separator:|"?sep=.')
_RECORDS = (*files.PACKAGES, ".anki2", ".anki21", ".json")
"""What the name of a file ends with that holds a record, and is imported in a way of its own."""
OLD_ENCODING = "windows-1252"
"""What a table or page that is not UTF-8 is read as: what Western spreadsheets still write."""


class Form(Enum):
    """How a text is written."""

    LESSON = "lesson"
    DECK = "Q/A deck"
    SPELT = "Q/A deck with other markers"
    CONVENTION = "deck in another convention"
    PAGE = "page"
    MIXED = "page with cards in another convention"
    TABLE = "table"
    YAML = "cards in YAML"
    PLAIN = "text without cards"


def _parse_yaml(text: str, path: str, known: Known | None = None) -> Parsed:
    from studyapp.decks import yaml_cards  # 15 ms that few need

    return yaml_cards.parse(text, path, known)


_PARSERS: dict[Form, Callable[[str, str, Known | None], Parsed]] = {
    Form.LESSON: lesson.parse,
    Form.DECK: questions.parse,
    Form.SPELT: spelt.parse,
    Form.CONVENTION: conventions.parse,
    Form.PAGE: page.parse,
    Form.MIXED: mixed.parse,
    Form.TABLE: table.parse,
    Form.YAML: _parse_yaml,
    Form.PLAIN: lesson.parse,
}


def form_of(text: str, path: str) -> Form:
    """Return how a text is written: a lesson if it has prompts or an FAQ, else a deck if it has a `Q:`, else ...

    Args:
        text: The file's text.
        path: Its name tells tables from the rest.
    """
    settled = settle(text)
    if PurePath(path).suffix.lower() in files.YAML or holds_cards(settled):
        return Form.YAML
    if PurePath(path).suffix.lower() in files.TABLES or _TABLE_START.match(settled):
        return Form.TABLE
    lines = settled.split("\n")
    if _is_tabbed(lines):
        return Form.TABLE
    deck = False
    if any(line.startswith(("Q:", "T:", "C:")) for line in lines):  # reading twice only where a deck is possible
        deck = questions.is_deck(read_blocks(lines, deck=True))
    if _LESSON.search(settled) and lesson.is_lesson(lesson.blocks_of(lines, Notes(""))):
        return Form.LESSON
    return Form.DECK if deck else _foreign(text)


def _is_tabbed(lines: Sequence[str]) -> bool:
    """Return whether every line has the same number of tabs between words, as other programs export cards."""
    full = [line for line in lines if line.strip()]
    counts = {line.count("\t") for line in full if not line.startswith("\t")}
    return (
        len(full) > 1 and len(counts) == 1 and 0 not in counts and not any(line.startswith("\t") for line in full)
    )


def _foreign(text: str) -> Form:
    """Return which of the other forms gives most cards."""
    whole = page.parse(text, "").module
    on_page = len(whole.cards)
    if spelt.fits(text) and 2 * len(spelt.parse(text, "").module.cards) >= on_page:
        return Form.SPELT
    if conventions.fits(text):
        cards = conventions.parse(text, "").module.cards
        if mixed.is_page(text, whole.sections, cards):
            return Form.MIXED if mixed.fits(text) else Form.PAGE if on_page else Form.PLAIN
        if len(cards) >= on_page:
            return Form.CONVENTION
    return Form.PAGE if on_page else Form.PLAIN


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what a text holds, in whatever form it is written.

    Args:
        text: The file's text.
        path: Where it came from, for messages.
        known: Says what is wrong with an experiment link, or None.
    """
    return _PARSERS[form_of(text, path)](text, path, known)


def load(
    path: str | os.PathLike[str], known: Known | None = None, suffixes: Sequence[str] = files.IMPORTED
) -> list[Parsed]:
    """Return what every file under a path holds; a file that cannot be read gives an empty module and a problem.

    Raises:
        DeckError: If there is nothing at that path.
    """
    return [_load(entry, known) for entry in files.scan(path, suffixes)]


def read(path: Path) -> files.Source:
    """Return a file's text, tables and pages in the encoding of the program that wrote them.

    Raises:
        DeckError: If it cannot be read, is of a kind that is not, or holds a merge conflict.
    """
    suffix, name = path.suffix.lower(), clean_line(str(path))
    if suffix in (".rst", ".rest"):
        raise DeckError(f"{name} is reStructuredText, which is not read.", "Try: pandoc -f rst -t gfm")
    if suffix in _RECORDS:
        raise DeckError(f"{name} is no text to check.", "`studyapp import --dry-run` says what is in it.")
    old = suffix not in files.SUFFIXES
    source = files.read(path, OLD_ENCODING if old else "")
    if found := _CONFLICT.search(source.text):
        line = source.text.count("\n", 0, found.start()) + 1
        raise DeckError(f"{name}:{line} holds a merge conflict.", "Settle it; until then the file is left out.")
    return source


def _load(entry: files.Entry, known: Known | None) -> Parsed:
    name = clean_line(str(entry.path))
    if entry.skipped:
        return nothing(entry.path, entry.skipped)
    try:
        source = read(entry.path)
    except DeckError as error:
        return nothing(entry.path, str(error))
    form = form_of(source.text, name)
    parsed = with_source(_PARSERS[form](source.text, name, known), source)
    if form is Form.PLAIN:
        whole = page.parse(source.text, name, known)
        left_out = tuple(dict.fromkeys([*parsed.left_out, *whole.left_out]))
        parsed = replace(parsed, added=whole.added, left_out=left_out)
    return parsed


def with_source(parsed: Parsed, source: files.Source) -> Parsed:
    """Return what a parser said together with what reading the file had to say."""
    left = parsed.left_out
    if source.encoding == OLD_ENCODING:
        left = (
            LeftOut(1, "not UTF-8, so it was read as Windows-1252 (Latin-1); look at its accents", is_remark=True),
            *left,
        )
    return replace(parsed, problems=(*source.problems, *parsed.problems), left_out=left)


def linted(found: Sequence[Parsed]) -> list[Parsed]:
    """Return what was loaded with what its authors could do better added to the problems."""
    texts: dict[str, str] = {}
    for parsed in found:
        with contextlib.suppress(DeckError):
            path = Path(parsed.module.path)
            texts[parsed.module.path] = read(path).text if path.suffix.lower() in files.SUFFIXES else ""
    more = lint(found, texts)
    return [replace(p, problems=(*p.problems, *more[p.module.path])) for p in found]


def nothing(path: Path, reason: str) -> Parsed:
    """Return an empty module for a file that was not read, with the reason as its problem."""
    name = clean_line(str(path))
    return Parsed(Module("", clean_line(path.name), path=name), (Problem(name, 0, reason),))
