"""A block of lines of fixed size that repaints only the rows that changed, and never lays anything out.

Turning a card is the program's hottest path: a layout costs milliseconds, a row tens of microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget


class Lines(Widget):
    """Shows lines as they are; what is too long or too many is cut."""

    DEFAULT_CSS = "Lines { text-wrap: nowrap; }"

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.auto_links = False  # no line holds a link, and looking for them costs a tenth of a paint
        self.lines: list[Content] = []
        self._strips: dict[int, Strip] = {}

    def show(self, lines: Sequence[Content]) -> None:
        """Replace the lines; rows that stay the same are not repainted."""
        before, self.lines = self.lines, list(lines)
        width = self.size.width
        for row in range(max(len(before), len(self.lines))):
            old = before[row] if row < len(before) else None
            new = self.lines[row] if row < len(self.lines) else None
            if old is new or (old is not None and new is not None and old.is_same(new)):
                continue
            self._strips.pop(row, None)
            if width:
                self.refresh(Region(0, row, width, 1))

    def on_resize(self) -> None:
        """Forget the rows drawn for another width."""
        self._strips.clear()

    def notify_style_update(self) -> None:
        """Forget the rows drawn in other colours."""
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        if y not in self._strips:
            self._strips[y] = self._strip(y)
        return self._strips[y]

    def _strip(self, y: int) -> Strip:
        width, style = self.size.width, self.visual_style
        if y >= len(self.lines) or not self.lines[y].plain:
            return Strip.blank(width, style.rich_style)
        strips = Visual.to_strips(self, self.lines[y], width, 1, style, apply_selection=False)
        found = strips[0] if strips else Strip.blank(width, style.rich_style)
        return found.adjust_cell_length(width, style.rich_style)
