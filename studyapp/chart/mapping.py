"""A map of verdicts as a grid of characters, and in words: holds ●, does not ○, too noisy ≈, cannot test –."""

from __future__ import annotations

from rich.cells import cell_len

from studyapp.chart.grid import Canvas, Grid, clean, cut
from studyapp.chart.units import quantity
from studyapp.chart.words import table_words
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome
from studyapp.study.lab import value_words
from studyapp.study.mapping import Map

SYMBOLS = {
    Outcome.HOLDS: ("●", "*", "neutral"),
    Outcome.DOES_NOT_HOLD: ("○", "o", "cpu"),
    Outcome.TOO_NOISY: ("≈", "~", "muted"),
    Outcome.CANNOT_TEST: ("–", "-", "muted"),
}
"""Glyph, its ASCII form, style; the glyphs are those of every verdict on the screen."""
LEGEND = {
    Outcome.HOLDS: "holds",
    Outcome.DOES_NOT_HOLD: "does not",
    Outcome.TOO_NOISY: "too noisy",
    Outcome.CANNOT_TEST: "cannot test",
}
NARROWEST = 2
"""Cells from one column of a crowded map to the next."""


def map_size(found: Map) -> tuple[int, int]:
    """Return the columns and rows a whole map takes."""
    label, step = _widths(found)
    return label + 2 + step * max(1, len(found.xs)), max(1, len(found.ys)) + 4


def _widths(found: Map) -> tuple[int, int]:
    label = max([len(found.y.name), *(cell_len(value_words(y)) for y in found.ys)])
    step = max([3, *(cell_len(value_words(x)) + 2 for x in found.xs)])
    return label, step


def render_map(found: Map, width: int, height: int, *, ascii: bool = False) -> Grid:  # noqa: A002
    """Return the map on width x height cells; what has no room is left out from the far end, and counted.

    Args:
        found: What to draw.
        width: Cells across, 0 or more.
        height: Cells down, 0 or more.
        ascii: Use ASCII glyphs only.
    """
    canvas = Canvas(width, height)
    label, step = _widths(found)
    room = width - label - 2
    step = max(NARROWEST, min(step, room // max(1, len(found.xs))))
    rows, columns = min(len(found.ys), height - 4), min(len(found.xs), room // step)
    if rows < 1 or columns < 1:
        if width > 0 and height > 0:
            canvas.write(0, 0, cut(clean(found.sentence, ascii=ascii), width, ascii=ascii), "bright")
        return canvas.finish()
    canvas.write(0, 0, found.y.name.rjust(label), "label")
    for row, y in enumerate(reversed(found.ys[:rows]), start=1):
        canvas.write(0, row, value_words(y).rjust(label), "muted")
        canvas.write(label + 1, row, "|" if ascii else "│", "axis")
        for column, x in enumerate(found.xs[:columns]):
            cell = found.cells.get((x, y))
            if cell is not None:
                glyph, plain, style = SYMBOLS[cell.outcome]
                canvas.write(label + 2 + column * step + step // 2, row, plain if ascii else glyph, style)
    line = ("+" if ascii else "└") + ("-" if ascii else "─") * (columns * step)
    canvas.write(label + 1, rows + 1, line, "axis")
    _name_columns(canvas, found, columns, (label + 2, rows + 2), step)
    hidden = len(found.cells) - sum(x in found.xs[:columns] and y in found.ys[:rows] for x, y in found.cells)
    more = f"   {hidden} more, see the table" if hidden else ""
    canvas.write(label + 2, rows + 3, cut(f"{found.x.name}{more}", room, ascii=ascii), "label")
    return canvas.finish()


def _name_columns(canvas: Canvas, found: Map, columns: int, at: tuple[int, int], step: int) -> None:
    """Write the x values below their columns, as many as stand apart; the last one has the right of way."""
    left, row = at
    taken: list[tuple[int, int]] = []
    for column in [columns - 1, *range(columns - 1)]:
        words = value_words(found.xs[column])
        start = left + column * step + step // 2 - (cell_len(words) - 1) // 2
        start = min(start, canvas.width - cell_len(words))
        end = start + cell_len(words)
        if start >= 0 and all(end + 1 <= a or start >= b + 1 for a, b in taken):
            canvas.write(start, row, words, "muted")
            taken.append((start, end))


def legend(*, ascii: bool = False) -> str:  # noqa: A002
    """Return what the glyphs mean, in one line."""
    return "   ".join(f"{SYMBOLS[o][1 if ascii else 0]} {words}" for o, words in LEGEND.items())


def map_lines(found: Map, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the map as plain lines, with its legend."""
    if not found.cells:
        return []
    picture = render_map(found, *map_size(found), ascii=ascii).plain()
    return [*(line.rstrip() for line in picture.split("\n")), "", legend(ascii=ascii)]


def map_words(found: Map, *, table: bool = False, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the map in sentences, and cell by cell where it is asked for."""
    lines = [found.sentence, *found.notes]
    if table and found.cells:
        lines += ["", *table_words(map_table(found), ascii=ascii)]
    return [clean(line, ascii=ascii) for line in lines]


def map_table(found: Map) -> list[list[str]]:
    """Return a row for each place that was tried, in the order of y, then x."""
    rows = [[found.x.name, found.y.name, "verdict", "measured", "runs", "when"]]
    for y in found.ys:
        for x in found.xs:
            cell = found.cells.get((x, y))
            if cell is not None:
                number = "" if cell.measured is None else quantity(cell.measured, found.experiment.unit)
                rows.append(
                    [
                        value_words(x),
                        value_words(y),
                        OUTCOME_WORDS[cell.outcome],
                        number,
                        str(cell.runs),
                        cell.when,
                    ]
                )
    return rows
