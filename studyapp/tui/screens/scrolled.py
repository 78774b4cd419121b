"""A screen that is one long page: by a line, by a page, to either end."""

from __future__ import annotations

from textual.containers import VerticalScroll

from studyapp.tui.screens.base import StudyScreen


class ScrolledScreen(StudyScreen):
    """Has one `VerticalScroll`; the subclass binds the keys."""

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_down if step > 0 else scroll.scroll_up)(animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by a page."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_page_down if step > 0 else scroll.scroll_page_up)(animate=False)

    def action_edge(self, end: int) -> None:
        """Go to the top or to the end."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_end if end else scroll.scroll_home)(animate=False)
