"""How wide a page is: the margins of `base.tcss` and `broad.tcss`, for what is wrapped before it is laid out."""

from __future__ import annotations

BROAD = 100
"""Columns of a window from which a page stands further in, as the trial and the race do."""
USUAL_MARGINS, BROAD_MARGINS = 6, 15
"""Columns left and right of a page, with its scrollbar."""


def page_width(columns: int) -> int:
    """Return the cells of a page in a window of so many columns.

    >>> page_width(80), page_width(120)
    (74, 105)
    """
    return max(20, columns - (BROAD_MARGINS if columns >= BROAD else USUAL_MARGINS))
