"""What should stand on the terminal and what was sent to it, cell by cell; only the difference is sent.

Textual sends every row of a widget that changed, with all its colours. Most of these cells stand there already: on
a line of 9,600 baud a change of screen took half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.color import ColorSystem
from rich.segment import Segment
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

from studyapp.tui.cells import Row, cut, drawn, spans, unknown
from studyapp.tui.orders import Orders
from studyapp.tui.pens import blank


class Canvas:
    """Two pictures of the screen: the wanted one, and the one that was sent."""

    def __init__(self, *, erases_in_colour: bool = False) -> None:
        """Start with nothing wanted and nothing known.

        Args:
            erases_in_colour: Whether the terminal gives erased cells the background that is set.
        """
        self.erases_in_colour = erases_in_colour
        self.width = self.height = 0
        self._wanted: list[Row] = []
        self._sent: list[Row] = []
        self._segments: list[list[Segment] | None] = []
        self._dirty: set[int] = set()
        self._forgotten = False

    def forget(self) -> None:
        """Forget what was sent: the terminal may show anything by now. A handler of signals may call this."""
        self._forgotten = True

    def take(self, update: CompositorUpdate, colours: ColorSystem) -> bool:
        """Take in what the screen should show.

        Returns:
            Whether it was understood. If not, it is to be sent as it is; everything is unknown then.
        """
        if isinstance(update, LayoutUpdate) and update.region.x == update.region.y == 0:
            self._fit(update.region.width, update.region.height)
            for row, strips in enumerate(update.strips):
                self._whole_row(row, [segment for strip in strips for segment in strip], colours)
            return True
        if isinstance(update, ChopsUpdate):
            self._fit(update.chop_ends[0][-1] if update.chop_ends else 0, len(update.chops))
            for row, x, strip in _pieces(update):
                self._segments[row] = None
                self._piece(row, x, strip, colours)
            return True
        self.forget()
        return False

    def difference(self) -> str:
        """Return what makes the terminal show what is wanted; from now on it counts as sent."""
        out = Orders(self.width, self.erases_in_colour)
        if self._forgotten:
            self._forgotten = False
            self._sent = [unknown(self.width) for _ in range(self.height)]
            self._dirty = set(range(self.height))
            self._clear(out)
        for row in sorted(self._dirty):
            wanted, sent = self._wanted[row], self._sent[row]
            if wanted != sent:
                for start, end in spans(wanted, sent):
                    out.span(row, start, end, wanted)
                self._sent[row] = wanted[0][:], wanted[1][:]
        self._dirty.clear()
        return out.text()

    def _fit(self, width: int, height: int) -> None:
        if (width, height) != (self.width, self.height):
            self.width, self.height = width, height
            self._wanted = [unknown(width) for _ in range(height)]
            self._segments = [None] * height
            self.forget()

    def _whole_row(self, row: int, segments: list[Segment], colours: ColorSystem) -> None:
        if segments == self._segments[row]:
            return
        self._segments[row] = segments
        cells, pens = drawn(segments, colours)
        if len(cells) != self.width:  # the rest of a short row stays as it is; a terminal cuts what is too long
            nothing, plain = unknown(self.width)
            cells, pens = [*cells, *nothing][: self.width], [*pens, *plain][: self.width]
        self._wanted[row] = cells, pens
        self._dirty.add(row)

    def _piece(self, row: int, x: int, strip: Strip, colours: ColorSystem) -> None:
        cells, pens = self._wanted[row]
        new, new_pens = drawn(strip, colours)
        end = min(x + len(new), self.width)
        for at in (x, end):  # a wide cell that is cut in two is neither what it was nor anything else
            cut(cells, at)
        cells[x:end], pens[x:end] = new[: end - x], new_pens[: end - x]
        self._dirty.add(row)

    def _clear(self, out: Orders) -> None:
        """Clear a terminal of which nothing is known: what is blank need not be sent then."""
        grounds = [blank(pens[-1]) for cells, pens in self._wanted if None not in cells]
        if len(grounds) < self.height or not grounds:
            return
        ground = max(set(grounds), key=grounds.count)
        if out.clear(ground):
            self._sent = [([" "] * self.width, [ground] * self.width) for _ in range(self.height)]


def _pieces(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Yield row, column and content of what an update of spans would write, as its `render_segments` does."""
    for row, first, last in update.spans:
        chops: Mapping[int, Strip | None] = update.chops[row]
        for end, (x, strip) in zip(update.chop_ends[row], chops.items(), strict=False):
            if strip is None or x > last or end <= first:
                continue
            whole = last > x >= first and end <= last
            yield row, x, strip if whole else strip.crop(0, min(end, last) - x)
