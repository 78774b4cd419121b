"""Blocks of rows that are drawn once and kept: nothing is laid out, and a row that stays is not painted again.

Turning a card is the program's hottest path: a layout costs milliseconds, a row tens of microseconds. Such a block
has neither border nor padding, tint or opacity, and none is looked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

MOST_DRAWN = 128
"""Rows kept beyond those on the screen: what was prepared, and what may come back."""


class Rows(Widget):
    """A block whose rows `content_at` tells; a subclass says which of them changed."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.auto_links = False  # no row holds a link, and looking for them costs a tenth of a paint
        self._strips: dict[int, Strip] = {}
        self._drawn: dict[tuple[str, tuple[object, ...]], Strip] = {}

    def content_at(self, y: int) -> Content | None:
        """Return what a row shows, None for a blank one."""
        raise NotImplementedError

    def changed(self, rows: Iterable[int]) -> None:
        """Paint some rows anew; neighbours are painted together."""
        width = self.size.width
        first = last = -2
        for row in [*rows, -2]:
            self._strips.pop(row, None)
            if row == last + 1:
                last = row
                continue
            if width and first >= 0:
                self.refresh(Region(0, first, width, last - first + 1))
            first = last = row

    def prepare(self, lines: Iterable[Content]) -> None:
        """Draw rows that will be shown soon, so that showing them only paints."""
        if self.size.width:
            for line in lines:
                self._strip_of(line)

    def on_resize(self) -> None:
        """Forget the rows drawn for another width."""
        self._forget()

    def notify_style_update(self) -> None:
        """Forget the rows drawn in other colours."""
        self._forget()
        super().notify_style_update()

    def _forget(self) -> None:
        self._strips.clear()
        self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        found = self._strips.get(y)
        if found is None:
            content = self.content_at(y)
            found = self._strips[y] = self._strip_of(Content("") if content is None else content)
        return found

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return rows as they are kept: Textual looks at a dozen styles of each line, and filters it anew."""
        strips = [self.render_line(y) for y in crop.line_range]
        left, right = crop.column_span
        return strips if (left, right) == (0, self.size.width) else [strip.crop(left, right) for strip in strips]

    def _strip_of(self, content: Content) -> Strip:
        key = content.plain, tuple(content.spans)
        found = self._drawn.get(key)
        if found is None:
            if len(self._drawn) >= MOST_DRAWN:
                self._drawn.clear()
            found = self._drawn[key] = self._filtered(self._strip(content))
        return found

    def _filtered(self, strip: Strip) -> Strip:
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, self.background_colors[1])
        return strip

    def _strip(self, content: Content) -> Strip:
        width, style = self.size.width, self.visual_style
        if not content.plain:
            return Strip.blank(width, style.rich_style)
        if "\n" in content.plain or "\t" in content.plain:
            found = Visual.to_strips(self, content, width, 1, style, apply_selection=False)[0]
        else:
            parts = content.render(style, end="", parse_style=self._get_style)
            found = Strip([Segment(text, (style + own).rich_style) for text, own in parts], content.cell_length)
        return found.adjust_cell_length(width, style.rich_style)


class Lines(Rows):
    """Shows lines as they are; what is too long or too many is cut."""

    DEFAULT_CSS = "Lines { text-wrap: nowrap; }"

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.lines: list[Content] = []

    def show(self, lines: Sequence[Content]) -> None:
        """Replace the lines; rows that stay the same are not repainted."""
        before, self.lines = self.lines, list(lines)
        shared = min(len(before), len(self.lines))
        rows = [row for row in range(shared) if not before[row].is_same(self.lines[row])]
        self.changed([*rows, *range(shared, max(len(before), len(self.lines)))])

    def content_at(self, y: int) -> Content | None:
        """Return a line."""
        return self.lines[y] if y < len(self.lines) else None
