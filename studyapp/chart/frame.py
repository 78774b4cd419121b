"""The parts every chart shares: glyphs, axes, ticks, marks' words, and where a label may stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from studyapp.chart.grid import GRID, LINE, TEXT, Canvas, clean, cut
from studyapp.chart.scales import Scale, cell
from studyapp.chart.units import quantity
from studyapp.core.figures import Axis, Figure, Mark, Series


@dataclass(frozen=True)
class Glyphs:
    """The characters of one terminal ability."""

    ascii: bool
    upright: str
    """The left axis."""
    level: str
    """The bottom axis."""
    corner: str
    tick: str
    grid: str
    threshold: str
    prediction: str
    across: str
    """A mark on the y axis."""
    spread: str
    you: str
    both: str
    """Two markers in one cell."""
    markers: dict[str, tuple[str, ...]]
    """Markers by role, in order of use; CPU filled, GPU hollow."""
    full: str
    """A bar's cell."""
    parts: tuple[str, ...]
    """A bar's last cell, one eighth to seven."""
    assumed: str
    """A cell of a bar that was not measured here."""
    more: tuple[str, str, str, str]
    """Arrows for a mark beyond the left, right, lower, upper edge."""


UNICODE = Glyphs(
    ascii=False,
    upright="│",
    level="─",
    corner="└",
    tick="┴",
    grid="┈",
    threshold="┊",
    prediction="╎",
    across="╌",
    spread="│",
    you="◆",
    both="◉",
    markers={"cpu": ("●", "■", "▲"), "gpu": ("○", "□", "△"), "neutral": ("■", "▲", "□"), "weak": ("□", "△", "■")},
    full="█",
    parts=("▏", "▎", "▍", "▌", "▋", "▊", "▉"),
    assumed="░",
    more=("←", "→", "↓", "↑"),
)
ASCII = Glyphs(
    ascii=True,
    upright="|",
    level="-",
    corner="+",
    tick="+",
    grid=".",
    threshold=":",
    prediction=":",
    across="-",
    spread="|",
    you="+",
    both="@",
    markers={"cpu": ("*", "#", "%"), "gpu": ("o", "0", "c"), "neutral": ("#", "%", "x"), "weak": ("x", "c", "%")},
    full="#",
    parts=(),
    assumed="-",
    more=("<", ">", "v", "^"),
)

ROLES = ("cpu", "gpu", "neutral", "weak")


def role(series: Series) -> str:
    """Return the style of a series: its role, "neutral" for one that no palette knows."""
    return series.lane.role if series.lane.role in ROLES else "neutral"


def markers(series: Sequence[Series], glyphs: Glyphs) -> list[str]:
    """Return one marker per series, different ones as long as there are any."""
    spare = [m for name in ROLES for m in glyphs.markers[name]]
    used: list[str] = []
    for item in series:
        wanted = [*glyphs.markers[role(item)], *spare]
        used.append(next((m for m in wanted if m not in used), wanted[0]))
    return used


@dataclass
class Frame:
    """A canvas with the plot area on it: data columns and rows, and the scales across them."""

    canvas: Canvas
    glyphs: Glyphs
    left: int
    top: int
    cols: int
    rows: int
    x: Scale
    y: Scale

    def col(self, value: float) -> int:
        """Return the canvas column of an x value."""
        return self.left + cell(self.x.fraction(value), self.cols, 2)

    def row(self, value: float) -> int:
        """Return the canvas row of a y value."""
        return self.top + self.rows - 1 - cell(self.y.fraction(value), self.rows, 4)

    @property
    def bottom(self) -> int:
        """The row of the bottom axis."""
        return self.top + self.rows

    def axes(self) -> None:
        """Draw the left and the bottom axis: the only frame there is."""
        for row in range(self.bottom):
            self.canvas.put(self.left - 1, row, self.glyphs.upright, "axis", TEXT)
        self.canvas.put(self.left - 1, self.bottom, self.glyphs.corner, "axis", TEXT)
        for col in range(self.left, self.left + self.cols):
            self.canvas.put(col, self.bottom, self.glyphs.level, "axis", TEXT)

    def grid_row(self, row: int) -> None:
        """Draw one faint dotted line; in ASCII a sparse one, as its dots are heavier."""
        stride = 4 if self.glyphs.ascii else 1
        for col in range(self.left, self.left + self.cols, stride):
            self.canvas.under(col, row, self.glyphs.grid, "grid", GRID)

    def label_beside(self, row: int, text: str, style: str = "muted") -> None:
        """Write a label right-aligned against the left axis."""
        room = self.left - 2
        text = cut(text, room, ascii=self.glyphs.ascii)
        self.canvas.write(room - cell_len(text), row, text, style)

    def x_ticks(self, named: Sequence[tuple[float, str]], title: str) -> None:
        """Draw ticks, their labels where these have room, and the axis title at the right end.

        Args:
            named: (value, label) ascending.
            title: The axis' words; on a row of its own when the ticks leave it no room.
        """
        row, width = self.bottom + 1, self.canvas.width
        columns = [(self.col(value), label) for value, label in named]
        for col, _ in columns:
            self.canvas.put(col, self.bottom, self.glyphs.tick, "axis", TEXT)
        apart = self.canvas.height > row + 1
        title = cut(title, width - self.left if apart else width // 2, ascii=self.glyphs.ascii)
        edge = width if apart else width - cell_len(title)
        self.canvas.write(width - cell_len(title), row + apart, title, "label")
        taken = -2
        for col, label in columns:
            start = max(0, min(col - (cell_len(label) - 1) // 2, width - cell_len(label)))
            end = start + cell_len(label)
            if label and start >= taken + 2 and (end + 1 < edge or (apart and end <= edge) or not title):
                self.canvas.write(start, row, label, "muted")
                taken = end


def tall_title(title: str, width: int, height: int) -> bool:
    """Whether the bottom axis' title is so long that it gets a row of its own."""
    return cell_len(title) > max(12, width // 4) and height >= 14


def axis_label(axis: Axis, value: float, glyphs: Glyphs, digits: int = 3) -> str:
    """Return a tick's words: the category, or the quantity."""
    if axis.labels:
        index = round(value)
        return clean(axis.labels[index], ascii=glyphs.ascii) if 0 <= index < len(axis.labels) else ""
    return quantity(value, axis.unit, digits, ascii=glyphs.ascii)


def tick_labels(axis: Axis, values: Sequence[float], glyphs: Glyphs) -> list[tuple[float, str]]:
    """Return ticks with their words, with as many digits as tell them apart: 1, 0.9995, 0.999."""
    for digits in range(3, 7):
        named = [(value, axis_label(axis, value, glyphs, digits)) for value in values]
        if len({label for _, label in named}) == len(named):
            break
    return named


def mark_words(mark: Mark, axis: Axis, glyphs: Glyphs) -> str:
    """Return what is written beside a mark; a prediction always says whose it is."""
    words = clean(mark.label, ascii=glyphs.ascii).strip()
    if mark.kind != "prediction":
        return words
    value = axis_label(axis, mark.at, glyphs)
    if words in ("", "you"):
        words = f"you: {value}"
    named = words if words.lower().startswith("you") else f"you: {words}"
    return f"{glyphs.you} {named}"


def place_across(frame: Frame, col: int, text: str, rows: Sequence[int], style: str) -> int | None:
    """Write text so that it touches `col`, on the first of `rows` where it hides nothing.

    Returns:
        The row, or None where there was no room (a mark's line is drawn all the same).
    """
    width = cell_len(text)
    first, last = frame.left, frame.canvas.width - width
    if last < first:
        return None
    centre = col - width // 2
    starts = [min(max(start, first), last) for start in (centre, col, col - width + 1)]
    for row in rows:
        for start in starts:
            if frame.canvas.free(start, row, width):
                frame.canvas.clear(start - 1, row)
                frame.canvas.clear(start + width, row)
                frame.canvas.write(start, row, text, style)
                return row
    return None


def finite_marks(marks: Sequence[Mark], axis: str, kinds: Sequence[str]) -> list[Mark]:
    """Return the drawable marks of an axis."""
    return [m for m in marks if m.axis == axis and m.kind in kinds and math.isfinite(m.at)]


def upright_marks(frame: Frame, figure: Figure, axis: str) -> None:
    """Draw the vertical lines, under everything that was measured.

    Args:
        frame: The frame.
        figure: Its marks are drawn.
        axis: Which of the figure's axes lies at the bottom: "y" for bars.
    """
    for mark in finite_marks(figure.marks, axis, ("threshold", "measured", "prediction")):
        you = mark.kind == "prediction"
        glyph, style = (frame.glyphs.prediction, "you") if you else (frame.glyphs.threshold, "mark")
        for row in range(frame.bottom):
            frame.canvas.under(frame.col(mark.at), row, glyph, style, LINE)
