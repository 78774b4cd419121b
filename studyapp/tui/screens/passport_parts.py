"""A passport's figures as a table, as Content: pure, so that tests can look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.core.roofline import ALL, BUS, CALL, DEVICE, LADDER, MACHINE, ONE, RATE
from studyapp.study.passport import Passport
from studyapp.study.passport_rows import WHERE, Row
from studyapp.tui.widgets.bars import clean_place

NAME, CELL, NUMBER = 16, 23, 13
"""Cells of the first column, of the others where there is room, and of the figure in one of these."""
NOT_SETTLED = "~ did not settle"
COPIES = {"near": "quickest copy", "far": "largest copy"}
SHORT = {f"{CALL}{ALL}": "hand to all cores", f"{CALL}{DEVICE}": "one launch", f"{CALL}{ONE}": "one small call"}

PASSPORT_CSS = """
PassportScreen #head { height: auto; margin: 1 2 0 3; }
PassportScreen #body { height: 1fr; margin: 1 2 0 3; }
PassportScreen #table { height: auto; }
PassportScreen #curve { display: none; height: 12; margin: 1 0 0 0; }
PassportScreen.-tall #curve { display: block; }
PassportScreen.-taller #curve { height: 17; }
PassportScreen.-wide #head { margin: 1 6 0 8; }
PassportScreen.-wide #body { margin: 1 6 0 8; }
PassportScreen.-low #head { margin: 0 2 0 3; }
PassportScreen.-low #body { margin: 0 2 0 3; }
"""


def table(rows: Sequence[Row], width: int) -> Content:
    """Return the figures, places side by side; rows are cut to the width."""
    by_id = {row.id: row for row in rows}
    places = [place for place in WHERE if any(row.id.endswith(f" {place}") for row in rows)] or [ONE]
    cell = max(NUMBER + 1, min(CELL, (width - NAME) // len(places)))
    lines = [
        *_block("peak rate", _rates(by_id, places), places, cell),
        *_block("memory", _copies(by_id, places), [], cell),
        *_list("calls", [row for row in rows if row.group == "calls"], cell),
        *_list("bus", [row for row in rows if row.group == "bus"], cell),
        *_machine(by_id, width),
    ]
    if any(not row.settled for row in rows):
        lines.append(Content.styled(NOT_SETTLED, "$s-muted"))
    return Content("\n").join(line.truncate(max(10, width), ellipsis=True) for line in lines)


Cells = list[tuple[str, list[Row | None]]]


def _rates(rows: Mapping[str, Row], places: Sequence[str]) -> Cells:
    dtypes = dict.fromkeys(name.removeprefix(RATE).partition(" ")[0] for name in rows if name.startswith(RATE))
    return [(dtype, [rows.get(f"{RATE}{dtype} {place}") for place in places]) for dtype in dtypes]


def _copies(rows: Mapping[str, Row], places: Sequence[str]) -> Cells:
    found = [
        (label, [rows.get(f"{LADDER}{place} {which}") for place in places]) for which, label in COPIES.items()
    ]
    return [(label, cells) for label, cells in found if any(cells)]


def _block(title: str, cells: Cells, places: Sequence[str], cell: int) -> list[Content]:
    if not cells:
        return []
    heads = [f"{WHERE[p]:>{NUMBER}}".ljust(cell) for p in places]
    head = [(title.ljust(NAME), "bold $s-sky"), *((words, "$s-muted") for words in heads)]
    return [Content.assemble(*head), *(_line(label, entries, cell) for label, entries in cells)]


def _line(label: str, entries: Sequence[Row | None], cell: int) -> Content:
    parts: list[tuple[str, str]] = [(f"  {label}".ljust(NAME), "$s-text")]
    for row in entries:
        note = f" {row.note}" if row is not None and row.group == "memory" else ""
        number = f"{said(row):>{NUMBER}}"
        parts.append((number, "bold $s-bright" if row is None or row.settled else "$s-hard"))
        kept = note if len(number) + len(note) < cell else ""
        parts.append((kept.ljust(cell - len(number)), "$s-muted"))
    return Content.assemble(*parts)


def said(row: Row | None) -> str:
    """Return a figure with its unit, a tilde before it where it did not settle, a dash where there is none."""
    if row is None or row.value is None:
        return "–"
    return f"{'' if row.settled else '~'}{quantity(row.value, row.unit)}"


def _list(title: str, rows: Sequence[Row], cell: int) -> list[Content]:
    if not rows:
        return []
    head = Content.assemble((title.ljust(NAME), "bold $s-sky"))
    if rows[0].id == BUS.strip():
        return [Content.assemble(head, (f"{'no bus here':>{NUMBER}}", "$s-muted"))]
    lines = [head]
    for row in rows:
        note = f"  {row.note}" if row.note else ""
        style = "bold $s-bright" if row.settled else "$s-hard"
        label = SHORT.get(row.id, row.label)
        lines.append(
            Content.assemble(
                (f"  {label}".ljust(NAME + cell if len(label) > NAME - 2 else NAME), "$s-text"),
                (f"{said(row):>{NUMBER}}", style),
                (note, "$s-muted"),
            )
        )
    return lines


def _machine(rows: Mapping[str, Row], width: int) -> list[Content]:
    def count(name: str) -> str:
        row = rows.get(f"{MACHINE}{name}")
        return said(row) if row is not None else ""

    words = [f"{count('cores used')} of {count('cores')} cores"] if count("cores") else []
    words += [f"quota {count('cores quota')} cores"] if count("cores quota") else []
    words += [f"{count('memory')} memory"] if count("memory") else []
    words += [f"{count('memory limit')} allowed"] if count("memory limit") else []
    words += [f"{count('memory free')} free"] if count("memory free") else []
    while len(words) > 1 and NAME + len(", ".join(words)) > width:
        words.pop()  # whole figures, the weightiest first
    lines = (
        [Content.assemble(("machine".ljust(NAME), "bold $s-sky"), (", ".join(words), "$s-text"))] if words else []
    )
    card = [f"{count('device memory')} memory"] if count("device memory") else []
    card += [f"{count('device free')} free then"] if count("device free") else []
    card += [f"{count('device units')} multiprocessors"] if count("device units") else []
    if card:
        lines.append(Content.assemble(("device".ljust(NAME), "bold $s-sky"), (", ".join(card), "$s-text")))
    return lines


def head(passport: Passport, day: str, expired: str, runs: int, width: int) -> Content:
    """Return whose passport it is, when it was taken, and what must be said beside it.

    Args:
        passport: The passport.
        day: When it was taken, in words.
        expired: What of it has expired, in words, or "".
        runs: How many runs have expired.
        width: Cells to wrap at.
    """
    print_ = passport.fingerprint
    torch = print_.get("torch", "").partition("+")[0]
    words = [passport.device, print_.get("device_name", ""), day, f"torch {torch}" if torch else ""]
    title = Content.assemble(
        (clean_place(print_.get("machine", "this machine")), "bold $s-bright"),
        (f"   {clean_place(', '.join(word for word in words if word))}", "$s-muted"),
    )
    lines = [title.truncate(max(10, width), ellipsis=True)]
    notes = [*passport.remarks(), *([f"It was {expired}."] if expired else [])]
    if runs:
        many = "One run has" if runs == 1 else f"{runs} runs have"
        notes.append(f"{many} expired: `studyapp run --stale` makes them again.")
    for note in notes:
        lines += Content.styled(clean_place(note), "$s-hard").wrap(max(10, width))
    return Content("\n").join(line.rstrip() for line in lines)
