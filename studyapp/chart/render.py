"""One figure as cells: the chart, or one line of result where a chart has no room."""

from __future__ import annotations

import textwrap

from studyapp.chart.bars import render_bars
from studyapp.chart.frame import ASCII, UNICODE
from studyapp.chart.grid import Canvas, Grid, clean, cut
from studyapp.chart.lines import render_lines
from studyapp.chart.scales import Range
from studyapp.core.figures import Figure

LEAST_WIDTH, LEAST_HEIGHT = 40, 6
"""Below this the chart gives way to its sentence: a window of 40x10 has about these left for it."""


def drawn_in(width: int, height: int) -> bool:
    """Return whether a chart has room in so many cells, or gives way to its sentence."""
    return width >= LEAST_WIDTH and height >= LEAST_HEIGHT


def render(
    figure: Figure,
    width: int,
    height: int,
    *,
    ascii: bool = False,  # noqa: A002
    x_range: Range | None = None,
    y_range: Range | None = None,
) -> Grid:
    """Return the figure on exactly width x height cells; any figure, any size, never an exception.

    Args:
        figure: What to draw; points that cannot stand on its axes are left out.
        width: Cells across, 0 or more.
        height: Cells down, 0 or more.
        ascii: Use ASCII glyphs only.
        x_range: A range the x axis shows at least, in its unit: known controls before anything is measured.
        y_range: The same for the y axis.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return _one_line(figure, width, height, ascii=ascii)
    glyphs = ASCII if ascii else UNICODE
    if figure.plot.kind == "bar":
        return render_bars(figure, width, height, glyphs, y_range)
    return render_lines(figure, width, height, glyphs, x_range, y_range)


def _one_line(figure: Figure, width: int, height: int, *, ascii: bool) -> Grid:  # noqa: A002
    """Return the result in words, wrapped into the room there is."""
    canvas = Canvas(width, height)
    if width > 0 and height > 0:
        words = clean(figure.sentence or figure.title, ascii=ascii)
        lines = textwrap.wrap(words, width) or [""]
        if len(lines) > height:
            lines = [*lines[: height - 1], " ".join(lines[height - 1 :])]
        for row, line in enumerate(lines):
            canvas.write(0, row, cut(line, width, ascii=ascii), "bright")
    return canvas.finish()
