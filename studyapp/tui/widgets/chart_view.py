"""The chart on screen: keeps its picture as strips and repaints only the cells that changed."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from studyapp.chart.grid import Grid
from studyapp.core.figures import Figure
from studyapp.tui.theme import CHART_STYLES, rich_color

Range = tuple[float, float]


class ChartView(Widget):
    """Draws one figure; `show` repaints what differs from the frame before."""

    def __init__(self, *, ascii_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.figure: Figure | None = None
        self.x_range: Range | None = None
        self.y_range: Range | None = None
        self.ascii_only = ascii_only
        self.told = False
        """Whether the figure's sentence stands elsewhere: where a chart has no room, nothing is drawn then."""
        self._grid: Grid | None = None
        self._strips: list[Strip] = []
        self._old_strips: list[Strip] = []
        self._styles: dict[str, Style] = {}

    def show(self, figure: Figure, x_range: Range | None = None, y_range: Range | None = None) -> None:
        """Draw a figure; only spans that differ from what stands there are repainted."""
        self.figure, self.x_range, self.y_range = figure, x_range, y_range
        before = self._grid
        self._draw_grid()
        after = self._grid
        if before is None or after is None or (before.width, before.height) != (after.width, after.height):
            self.refresh()
            return
        regions = [
            Region(start, row, end - start, 1)
            for row, (old, new) in enumerate(zip(before.rows, after.rows, strict=True))
            if old != new
            for start, end in [_changed(self._old_strips[row], self._strips[row])]
        ]
        if regions:
            self.refresh(*regions)

    def on_resize(self) -> None:
        """Draw again at the new size, from the kept figure."""
        self._styles.clear()
        self._draw_grid()
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw again in other colours."""
        super().notify_style_update()
        self._styles.clear()
        if self._grid is not None:
            self._draw_grid()
            self.refresh()

    def _draw_grid(self) -> None:
        from studyapp.chart.render import drawn_in, render

        if self.figure is None:
            return
        width, height = self.size
        if self.told and not drawn_in(width, height):
            self._grid, self._strips = None, []
            return
        self._grid = render(
            self.figure, width, height, ascii=self.ascii_only, x_range=self.x_range, y_range=self.y_range
        )
        self._old_strips = self._strips
        self._strips = [
            Strip([Segment(span.text, self._style(span.style)) for span in row]) for row in self._grid.rows
        ]

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            variables = self.app.theme_variables
            words = [
                rich_color(variables.get(word[1:], "")) if word.startswith("$") else word
                for word in CHART_STYLES[name].split()
            ]
            background = rich_color(variables.get("s-bg", ""))
            self._styles[name] = Style.parse(" ".join([*words, f"on {background}" if background else ""]).strip())
        return self._styles[name]

    def render_line(self, y: int) -> Strip:
        """Return one row of the picture."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self._style("muted"))


def _changed(old: Strip, new: Strip) -> tuple[int, int]:
    """Return the first and the last changed column (exclusive) of two rows of equal width."""
    a, b = _cells(old), _cells(new)
    if len(a) != len(b):
        return 0, new.cell_length
    differing = [i for i, (left, right) in enumerate(zip(a, b, strict=True)) if left != right]
    if not differing:
        return 0, new.cell_length
    wide = new.cell_length != len(b)  # double-width text: columns and characters differ
    return (0, new.cell_length) if wide else (differing[0], differing[-1] + 1)


def _cells(strip: Strip) -> list[tuple[str, Style | None]]:
    return [(char, segment.style) for segment in strip for char in segment.text]
