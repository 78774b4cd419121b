"""The eye-guiding line: braille drawn by plotext, thickened, merged, dashed.

plotext is imported here and nowhere else, and inside `_trace`, since it costs 27 ms that a screen without a chart
need not pay. Every build makes its own figure: no global state, no leftovers from the frame before.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence

Dots = dict[tuple[int, int], int]
"""Braille bits by (column, row), row 0 at the top."""

LEFT, RIGHT = (0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80)
"""Bits of the left and right dot column, top to bottom (Unicode block U+2800)."""

DASH_PERIOD = 2.0
"""Cells along a dashed line from gap to gap; the gap is one cell."""


@functools.lru_cache(maxsize=32)  # in a live chart most lines are the same as a tenth of a second ago
def _trace(xs: tuple[float, ...], ys: tuple[float, ...], width: int, height: int) -> str:
    """Return plotext's braille for a polyline given as fractions of a canvas, one text row per line."""
    from plotext._figure import _figure_class

    figure = _figure_class()
    figure._limit_size(False, False)  # the canvas asked for, whatever the terminal
    figure.plot_size(width, height)
    figure.theme("clear")
    figure.xaxes(False, False)
    figure.yaxes(False, False)
    figure.xticks([])
    figure.yticks([])
    figure.xlim(0, 1)
    figure.ylim(0, 1)
    figure.plot(list(xs), list(ys), marker="braille")
    return str(figure.build())


def trace(xs: Sequence[float], ys: Sequence[float], width: int, height: int, *, dashed: bool = False) -> Dots:
    """Return the dots of a polyline, two dots thick within its cells.

    Args:
        xs: Fractions 0 to 1 from the left, ascending.
        ys: Fractions 0 to 1 from the bottom.
        width: Canvas width in cells.
        height: Canvas height in cells.
        dashed: Leave gaps, cells with no dots (0): this line was not measured here.
    """
    if len(xs) < 2 or width < 1 or height < 1:
        return {}
    top, bottom = _rows_used(ys, height)
    # plotext's cost grows with the canvas, so only the rows the line crosses are drawn; they start on whole
    # cells, which keeps every dot where the full canvas would have it
    ys = [_within(y, top, bottom, height) for y in ys]
    text = _trace(tuple(xs), tuple(ys), width, bottom - top + 1)
    dots = {
        (col, top + row): _thick(ord(char) - 0x2800)
        for row, line in enumerate(text.splitlines()[: bottom - top + 1])
        for col, char in enumerate(line[:width])
        if "⠀" < char <= "⣿"
    }
    return _gapped(dots, xs, ys, width, (top, bottom)) if dashed else dots


def _rows_used(ys: Sequence[float], height: int) -> tuple[int, int]:
    """Return the first and last row of the line, from the top."""
    dots = [math.floor(0.5 + (height * 4 - 1) * y) // 4 for y in (min(ys), max(ys))]
    return height - 1 - dots[1], height - 1 - dots[0]


def _within(y: float, top: int, bottom: int, height: int) -> float:
    """Return the fraction within rows top..bottom that lands on the same dot as `y` within the whole height."""
    dot = (height * 4 - 1) * y - (height - 1 - bottom) * 4
    return min(1.0, max(0.0, dot / ((bottom - top + 1) * 4 - 1)))


def _thick(bits: int) -> int:
    """Return the dots with a second one below each (above at the cell's foot)."""
    thick = bits
    for side in (LEFT, RIGHT):
        for row, bit in enumerate(side):
            if bits & bit:
                thick |= side[row + 1] if row < 3 else side[row - 1]
    return thick


def _gapped(dots: Dots, xs: Sequence[float], ys: Sequence[float], width: int, rows: tuple[int, int]) -> Dots:
    """Return the dots with 0 in the cells of a gap."""
    drawn: dict[tuple[int, int], bool] = {}
    for on, col, row in _walk(xs, ys, width, rows):
        drawn.setdefault((col, row), on)
    near = ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0))
    return {
        (col, row): bits if next((drawn[at] for c, r in near if (at := (col + c, row + r)) in drawn), True) else 0
        for (col, row), bits in dots.items()
    }


def _walk(
    xs: Sequence[float], ys: Sequence[float], width: int, rows: tuple[int, int]
) -> Iterator[tuple[bool, int, int]]:
    """Yield (drawn or gap, column, row) along the line in quarter-cell steps; a row is as long as two columns."""
    top, bottom = rows
    cols = [x * (width - 0.5) for x in xs]
    heights = [bottom + 1 - y * (bottom + 1 - top - 0.25) - 0.125 for y in ys]
    along = 0.0
    for k in range(len(cols) - 1):
        across, down = cols[k + 1] - cols[k], heights[k + 1] - heights[k]
        length = math.hypot(across, 2 * down)
        steps = max(1, math.ceil(length * 4))
        for step in range(steps + 1):
            part = step / steps
            on = (along + length * part) % DASH_PERIOD < DASH_PERIOD - 1
            yield on, int(cols[k] + across * part), int(heights[k] + down * part)
        along += length
