"""Rows that nothing covers, straight to the app: what a key changed, without asking every widget behind them.

Textual's compositor renders all that lies under the rows that changed, the screen and its containers too, cuts it
at every edge of the line and throws away what is covered: a third of a millisecond of each key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from textual._compositor import ChopsUpdate
from textual.geometry import Region
from textual.strip import Strip

from studyapp.tui.widgets.lines import Rows

if TYPE_CHECKING:
    from textual.widget import Widget

Places = Mapping["Widget", tuple[Region, Region]]
"""Where each widget stands and what of the screen it may use, the foremost first."""


class Direct:
    """Remembers, for one layout, which blocks of rows nothing covers."""

    def __init__(self) -> None:
        self._places: Places | None = None
        self._free: dict[Rows, Region] = {}

    def free(self, places: Places) -> Mapping[Rows, Region]:
        """Return the blocks that stand whole on the screen with nothing before them, each with its place."""
        if places is not self._places:  # Textual makes new ones at every layout
            self._places, self._free = places, {}
            before: list[Region] = []
            for widget, (region, clip) in places.items():
                shown = region.intersection(clip)
                if isinstance(widget, Rows) and shown == region and not any(map(region.overlaps, before)):
                    self._free[widget] = region
                before.append(shown)
        return self._free

    def update(self, places: Places, size: tuple[int, int], blocks: Collection[Rows]) -> ChopsUpdate | None:
        """Return the rows that changed in these blocks; None where something may stand before one of them.

        Args:
            places: Of the layout in force.
            size: Columns and rows of the screen.
            blocks: All that changed.
        """
        free = self.free(places)
        if not all(block in free for block in blocks):
            return None
        width, height = size
        chops: list[dict[int, Strip | None]] = [{} for _ in range(height)]
        ends = [[width] for _ in range(height)]
        spans: list[tuple[int, int, int]] = []
        for block in blocks:
            left, top, columns, rows = free[block]
            changed = {y for region in block._exchange_repaint_regions() for y in region.line_range if y < rows}
            for y in sorted(changed):
                chops[top + y][left] = block.render_line(y)
                ends[top + y][-1:] = [left + columns, width]
                spans.append((top + y, left, left + columns))
        return ChopsUpdate(chops, sorted(spans), ends) if spans else None
