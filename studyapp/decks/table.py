"""Tables of cards: CSV and TSV in the dialects that spreadsheets and flashcard programs write.

The delimiter is the one that gives most rows the same number of columns, unless `sep=;` or `#separator:` names it.
Cells are text: a formula stays the text it is.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from studyapp.core.cards import Card, ExperimentLink, Module, Parsed
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.cloze import make_cards
from studyapp.decks.kinds import found_in
from studyapp.decks.links import experiment_links
from studyapp.decks.marks import own_marks, slug
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Parts, Scope
from studyapp.decks.web import words_of

MAX_CELL = 1_000_000
"""Longest cell that is taken, in characters: far above any answer, far below what would stop the program."""
DELIMITERS = {"tab": "\t", "semicolon": ";", "pipe": "|", "comma": ",", "colon": ":", "space": " "}
_GUESSED = ("\t", ";", "|", ",")
"""In this order where several fit equally well: a comma is often part of a text."""
_SETTING = re.compile(r"#([a-z][a-z ]*):[ \t]*(.*)\Z")
_ROWS_LOOKED_AT = 200
_COLUMNS = {
    "front": "front question prompt term word expression q",
    "back": "back answer definition meaning translation a",
    "tags": "tags tag",
    "id": "id guid",
    "kind": "kind",
    "key_points": "key_points",
    "experiments": "experiments",
    "own_tags": "own_tags",
    "flag": "flag",
}
_ROLES = {name: role for role, names in _COLUMNS.items() for name in names.split()}


@dataclass(slots=True)
class _Sheet:
    """A table once its dialect is known."""

    rows: list[tuple[int, list[str]]]
    """Each with its line, from 1."""
    delimiter: str
    roles: dict[str, int] = field(default_factory=dict)
    width: int = 0
    html: bool = False
    tags: tuple[str, ...] = ()


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return the cards of a table; how it was read is the first thing that is said about it.

    Args:
        text: The file's text, quoted line breaks and all.
        path: Where it came from, for messages and the module's id.
        known: Says what is wrong with an experiment link; tables have none.
    """
    notes = Notes(path, known)
    if (at := max(text.find("\0"), text.find("␀"))) >= 0:  # the file reader made a picture of it
        line = text.count("\n", 0, at) + 1
        notes.problem(line, "a NUL character, which no text has, is shown as ␀; save the table again")
    sheet = _read(settle(text).split("\n"), notes)
    cards: list[Card] = []
    for line, row in sheet.rows:
        cards += _cards(row, line, sheet, notes)
    if not cards:
        notes.problem(1, "no card in this table: a row needs a question and an answer")
    stem = clean_line(PurePath(path).stem)
    module = Module(slug(stem), stem, cards=tuple(cards), path=notes.path)
    return Parsed(module, notes.problems, notes.left_out)


def _read(lines: list[str], notes: Notes) -> _Sheet:
    settings, start = _settings(lines, notes)
    body = "\n".join(lines[start:])
    wanted = settings.get("separator", "")
    delimiter = DELIMITERS.get(wanted.lower(), wanted[:1]) or _guess(body)
    sheet = _Sheet(_rows(body, delimiter, start, notes), delimiter, html=settings.get("html") == "true")
    sheet.tags = tuple(settings.get("tags", "").split())
    _find_roles(sheet, settings, notes)
    name = next((name for name, char in DELIMITERS.items() if char == delimiter), delimiter)
    places = sorted((at, role) for role, at in sheet.roles.items())
    what = ", ".join(f"{role} = column {at + 1}" for at, role in places)
    notes.remark(start + 1, f"read as a table: delimiter {delimiter!r} ({name}), {what}")
    return sheet


def _settings(lines: Sequence[str], notes: Notes) -> tuple[dict[str, str], int]:
    """Return the settings at the top (`sep=;`, `#separator:tab`) and where the rows begin, from 0."""
    settings: dict[str, str] = {}
    for at, line in enumerate(lines):
        if at == 0 and (found := re.fullmatch(r'"?sep=(.)"?[ \t]*', line)):
            settings["separator"] = found[1]
            notes.remark(1, f"setting '{excerpt(line)}'")
        elif found := _SETTING.match(line):
            settings[found[1].strip()] = found[2].strip()
            notes.remark(at + 1, f"setting '{excerpt(line)}'")
        else:
            return settings, at
    return settings, len(lines)


def _guess(body: str) -> str:
    """Return the delimiter under which most rows have the same number of columns, two or more."""

    def fit(delimiter: str) -> float:
        rows = [
            row
            for row, _ in zip(
                csv.reader(io.StringIO(body), delimiter=delimiter), range(_ROWS_LOOKED_AT), strict=False
            )
            if row
        ]
        widths = Counter(len(row) for row in rows)
        (width, count), *_ = widths.most_common(1) or [(0, 0)]
        return count / len(rows) if width > 1 else 0.0

    with _large_cells():
        return max(_GUESSED, key=fit)  # the first of the best


class _large_cells:  # noqa: N801  a context manager, used like a function
    """Let csv read cells up to the file's own size limit; what is too long is refused in our own words."""

    def __enter__(self) -> None:
        self.before = csv.field_size_limit(2**31 - 1)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self.before)


def _rows(body: str, delimiter: str, start: int, notes: Notes) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the line it begins in."""
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
    with _large_cells():
        while True:
            line = start + reader.line_num + 1
            row = next(reader, None)
            if row is None:
                return rows
            longest = max(map(len, row), default=0)
            if longest > MAX_CELL:
                notes.problem(
                    line, f"no card, a cell of {longest:,} characters; {MAX_CELL:,} are read. Is a quote missing?"
                )
            elif any(cell.strip() for cell in row):
                rows.append((line, row))


def _find_roles(sheet: _Sheet, settings: dict[str, str], notes: Notes) -> None:
    """Say which column is what: from a header row, from `#... column:3` lines, else question, answer."""
    widths = Counter(len(row) for _, row in sheet.rows)
    first = [cell.strip().lower().replace(" ", "_") for cell in sheet.rows[0][1]] if sheet.rows else []
    named = {_ROLES[name]: at for at, name in reversed(list(enumerate(first))) if name in _ROLES}
    if "own_tags" not in named:
        named.pop("flag", None)  # a colour in an export of ours, the flag of a country elsewhere
    if {"front", "back"} <= set(named):
        notes.remark(sheet.rows[0][0], f"row of column names: {excerpt(', '.join(first))}")
        del sheet.rows[0]
        sheet.roles, sheet.width = named, len(first)
        spare = [name for at, name in enumerate(first) if at not in named.values()]
    else:
        sheet.width = widths.most_common(1)[0][0] if widths else 2
        sheet.roles, spare = _by_place(sheet.width, settings)
    if spare:
        notes.leave(sheet.rows[0][0] if sheet.rows else 1, f"columns not used: {excerpt(', '.join(spare))}")


def _by_place(width: int, settings: dict[str, str]) -> tuple[dict[str, int], list[str]]:
    roles: dict[str, int] = {}
    others: set[int] = set()
    for name, value in settings.items():
        if name.endswith(" column") and value.isdigit():
            role = _ROLES.get(name.removesuffix(" column"))
            others.add(int(value) - 1)
            if role:
                roles[role] = int(value) - 1
    free = [at for at in range(max(width, 2)) if at not in others]
    for role, at in zip(("front", "back"), free, strict=False):
        roles.setdefault(role, at)
    return roles, [f"column {at + 1}" for at in free[2:]]


def _cards(row: list[str], line: int, sheet: _Sheet, notes: Notes) -> list[Card]:
    def cell(role: str) -> str:
        at = sheet.roles.get(role, -1)
        text = row[at].strip() if 0 <= at < len(row) else ""
        return words_of(text) if sheet.html and role in ("front", "back") else text

    shown = excerpt(" | ".join(row))
    if len(row) > sheet.width:
        notes.problem(line, f"no card, {len(row)} columns where {sheet.width} are expected: {shown}")
        return []
    front, back, kind = cell("front"), cell("back"), cell("kind") or "basic"
    if not front or (not back and kind != "cloze" and "{{" not in front):
        missing = "question" if not front else "answer"
        notes.problem(line, f"no card, the {missing} is missing ({len(row)} of {sheet.width} columns): {shown}")
        return []
    scope = Scope(_kind(kind, front, back), tags=(*sheet.tags, *_tags(cell("tags"))))
    points = tuple(point for point in cell("key_points").split("\n") if point)
    links = tuple(_links(cell("experiments"), notes))
    cards = make_cards(scope, front, Parts(back, points, links, line), line, notes)
    if own := own_marks(cell("own_tags"), cell("flag"), notes, line):
        cards = [replace(card, own=tuple(own)) for card in cards]
    name = cell("id")
    if kind == "cloze" != scope.kind:  # as one of an export: a gap that is shown, without its sentence
        cards = [replace(card, kind=kind) for card in cards]
    if name and not all(card.explicit_id for card in cards):
        ids = [name if scope.kind != "cloze" else f"{name}{card.id}" for card in cards]
        cards = [
            replace(card, id=i, explicit_id=True, note=name if ":" in i else "")
            for card, i in zip(cards, ids, strict=True)
        ]
    return cards


def _kind(named: str, front: str, back: str) -> str:
    """Return the kind of a row: gaps make it cloze, whatever is written; a sentence without gaps is a question."""
    if re.search(r"\{\{c\d+::", front):
        return "cloze"
    return "basic" if named == "cloze" and back else found_in(named, back)


def _links(text: str, notes: Notes) -> list[ExperimentLink]:
    document = read_blocks(text.split("\n"))
    return [link for block in document.blocks for link in experiment_links(block, document.env, notes)[0]]


def _tags(text: str) -> tuple[str, ...]:
    return tuple(re.split(r"[\s,;]+", html.unescape(text).strip())) if text.strip() else ()
