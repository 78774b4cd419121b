"""A screen with a list and a cursor: the wheel moves it, a click puts it on a row, another opens that row."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.actions import parse
from textual.content import Content
from textual.widgets import Static

from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines


class ListScreen(StudyScreen):
    """Has `Lines` with the id "list"; the subclass says what its rows are. The mouse is never needed."""

    OPENS: ClassVar[str] = "open"
    """The action that opens the row under the cursor."""

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        raise NotImplementedError

    def steps_to(self, row: int) -> int | None:
        """Return by how much the cursor must move to be on a row of the list; None where there is nothing."""
        raise NotImplementedError

    def say(self, words: str, style: str = "$s-text") -> None:
        """Show a sentence beside the list, in the block with the id "said"."""
        if not self.was_left:
            self.query_one("#said", Static).update(Content.styled(clean_place(words), style))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down with the wheel."""
        self.action_move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up with the wheel."""
        self.action_move(-1)

    def click_at(self, row: int) -> tuple[str, str] | None:
        """Return what a click on a row of the list does: the words of the command that opens it."""
        steps = self.steps_to(row)
        opens = next((b for b in self.bindings_here() if parse(b.action)[1] == self.OPENS), None)
        if steps is None or opens is None or (steps == 0 and not self.offers(opens)):
            return None
        return "two clicks" if steps else "click", opens.tooltip or opens.description

    async def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row under the mouse, or open it if it is there already."""
        widget, region = self.get_widget_at(event.screen_x, event.screen_y)
        if not isinstance(widget, Lines) or widget.id != "list":
            return
        steps = self.steps_to(event.screen_y - region.y)
        if steps == 0:
            await self.run_action(self.OPENS)
        elif steps is not None:
            self.action_move(steps)
