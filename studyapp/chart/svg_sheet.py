"""The sheet an SVG chart is drawn on: pixels, axes, escaped words, and where words hide nothing.

Pure. Everything written passes `clean` and is escaped; coordinates are rounded to a tenth of a pixel.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rich.cells import cell_len

from studyapp.chart.frame import UNICODE, axis_label
from studyapp.chart.grid import clean, cut
from studyapp.chart.scales import Scale, ticks
from studyapp.core.figures import Axis

FONT_PX = 12
"""Size of the words at the drawn width."""
CHAR_PX = 7.3
"""Room for one character at `FONT_PX`: most system fonts average 6.2, DejaVu Sans 7.2, its digits 7.6."""
LINE_PX = 15
"""From one line of words to the next."""
BEYOND_PX = 1e5
"""Coordinates are kept within this, whatever was measured."""


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether two boxes share room."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(frozen=True, order=True)
class Spot:
    """Where words may stand: the baseline's anchor point."""

    x: float
    y: float
    anchor: str = "start"
    """"start", "middle" or "end"."""

    def down(self, lines: int) -> Spot:
        """Return the spot so many lines of words further down."""
        return replace(self, y=self.y + lines * LINE_PX)


@dataclass
class Sheet:
    """One drawing of a chart: its size, its plot area, and what stands on it, from the ground up."""

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    x: Scale
    y: Scale
    ground: list[str] = field(default_factory=list)
    """Axes, grid and marks."""
    curves: list[str] = field(default_factory=list)
    dots: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    ink: list[tuple[float, float]] = field(default_factory=list)
    """Points that words should not hide."""
    taken: list[Box] = field(default_factory=list)

    def px(self, value: float) -> float:
        """Return the pixel of an x value."""
        return self.left + self.x.fraction(value) * (self.right - self.left)

    def py(self, value: float) -> float:
        """Return the pixel of a y value."""
        return self.bottom - self.y.fraction(value) * (self.bottom - self.top)

    def line(self, ends: tuple[float, float, float, float], style: str) -> None:
        """Draw a straight line (x1, y1, x2, y2) on the ground."""
        x1, y1, x2, y2 = (number(end) for end in ends)
        self.ground.append(f'<line class="{style}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')

    def write(self, spot: Spot, text: str, style: str) -> None:
        """Write words and keep their room."""
        anchor = "" if spot.anchor == "start" else f' text-anchor="{spot.anchor}"'
        at = f'x="{number(spot.x)}" y="{number(spot.y)}"'
        self.words.append(f'<text class="{style}" {at}{anchor}>{escaped(text)}</text>')
        self.taken.append(room(spot, text))

    def place(self, lines: Sequence[tuple[str, str]], spots: Sequence[Spot]) -> None:
        """Write (text, style) lines as one block where it hides least; nowhere if all spots are taken.

        Args:
            lines: From top to bottom; the spot is the first line's.
            spots: Where it may stand, the dearest first.
        """
        free = []
        for k, spot in enumerate(spots):
            boxes = [room(spot.down(row), text) for row, (text, _) in enumerate(lines)]
            if all(self._fits(box) for box in boxes):
                hidden = sum(box.holds(x, y) for box in boxes for x, y in self.ink)
                free.append((hidden + 0.3 * k, k, spot))
        if free:
            chosen = min(free)[2]
            for row, (text, style) in enumerate(lines):
                self.write(chosen.down(row), text, style)

    def _fits(self, box: Box) -> bool:
        inside = box.left >= 0 and box.right <= self.width + 1 and box.top >= 0 and box.bottom <= self.height
        return inside and not any(box.meets(other) for other in self.taken)

    def along(self, points: Sequence[tuple[float, float]]) -> None:
        """Remember a polyline as ink, a point about every five pixels."""
        for (x1, y1), (x2, y2) in pairwise(points):
            count = max(1, min(400, int(math.hypot(x2 - x1, y2 - y1) / 5)))
            self.ink += [(x1 + (x2 - x1) * k / count, y1 + (y2 - y1) * k / count) for k in range(count)]
        self.ink += points[-1:]

    def svg(self, style: str) -> str:
        """Return the drawing as a nested SVG element of that class."""
        body = "".join([*self.ground, *self.curves, *self.dots, *self.words])
        box = f"0 0 {number(self.width)} {number(self.height)}"
        return f'<svg class="{style}" viewBox="{box}" width="100%" height="100%">{body}</svg>'


def x_ticks(axis: Axis, scale: Scale, room_px: float, *, whole: bool) -> list[tuple[float, str]]:
    """Return the labelled ticks of a level axis, fewer until the widest label fits between two of them.

    Args:
        axis: Whose words to use; categories are all named.
        scale: The axis' scale.
        room_px: Its length.
        whole: Whether only whole numbers make sense.
    """
    if axis.labels:
        return [(float(k), axis_label(axis, k, UNICODE)) for k in range(len(axis.labels))]
    count = max(2, int(room_px // 48))
    while True:
        named = [(t, axis_label(axis, t, UNICODE)) for t in ticks(scale, count, whole=whole)]
        widest = max((wide(label) for _, label in named), default=0.0)
        if count <= 2 or len(named) < 2:
            return named
        apart = (scale.fraction(named[1][0]) - scale.fraction(named[0][0])) * room_px
        if apart >= widest + 10:
            return named
        count = min(count, len(named)) - 1


def wide(text: str) -> float:
    """Return the pixels a text takes, with a little to spare."""
    return cell_len(text) * CHAR_PX


def room(spot: Spot, text: str) -> Box:
    """Return the box of words at a spot."""
    width = wide(text)
    left = spot.x - {"start": 0.0, "middle": width / 2, "end": width}[spot.anchor]
    return Box(left, spot.y - FONT_PX + 1, left + width, spot.y + 4)


def shortened(text: str, room_px: float) -> str:
    """Return cleaned text that fits into so many pixels."""
    return cut(clean(text), max(1, int(room_px / CHAR_PX)))


def escaped(text: str) -> str:
    """Return text that is safe as an element's content and inside a quoted attribute, on one line."""
    return html.escape(clean(text), quote=True)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal; never nan, never beyond `BEYOND_PX`."""
    if math.isnan(value):
        return "0"
    text = f"{min(BEYOND_PX, max(-BEYOND_PX, value)):.1f}"
    return text.removesuffix(".0")
