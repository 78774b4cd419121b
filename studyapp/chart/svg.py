"""One figure as one self-contained SVG: for a report, a slide, a message.

The same series, scales, ticks, units and words as the terminal chart. It holds two drawings, one for about 720
pixels and one for about 360, and shows the one that fits. No script, no request, no font but those that are there.
"""

from __future__ import annotations

from studyapp.chart.svg_bars import draw_bars
from studyapp.chart.svg_lines import NARROW, WIDE, draw_lines
from studyapp.chart.svg_sheet import Sheet, escaped, number
from studyapp.chart.svg_style import chart_css, palette_css
from studyapp.chart.words import render_text
from studyapp.core.figures import Figure


def to_svg(figure: Figure, *, key: str = "chart", styled: bool = True) -> str:
    """Return the figure as an SVG element; any figure, never an exception.

    Args:
        figure: What to draw.
        key: Begins the ids inside; letters, digits and dashes, unique within a page.
        styled: Whether it brings its own style; a page that has it once says no.
    """
    wide, narrow = _drawn(figure, WIDE), _drawn(figure, NARROW)
    spoken = render_text(figure)
    title, rest = spoken[:1], spoken[1:]
    style = f"<style>{palette_css('svg.chart')}{chart_css()}</style>" if styled else ""
    shape = f"--wide:{_ratio(wide)};--narrow:{_ratio(narrow)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" style="{shape}" '
        f'aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{escaped(" ".join(title))}</title>'
        f'<desc id="{key}-desc">{escaped(" ".join(rest))}</desc>'
        f"{style}{wide.svg('wide')}{narrow.svg('narrow')}</svg>"
    )


def _drawn(figure: Figure, size: tuple[float, float]) -> Sheet:
    return draw_bars(figure, size[0]) if figure.plot.kind == "bar" else draw_lines(figure, size)


def _ratio(sheet: Sheet) -> str:
    return f"{number(sheet.width)}/{number(sheet.height)}"
