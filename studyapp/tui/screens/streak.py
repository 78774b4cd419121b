"""The days behind the streak: a calendar to walk through, with a sentence on every day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StoreError
from studyapp.study.streak_page import RESTED, StreakPage, streak_page
from studyapp.tui.margins import page_width
from studyapp.tui.screens import streak_parts as parts
from studyapp.tui.screens.base import StudyScreen

FAR_AHEAD_DAYS = 180
"""How far into the future the cursor goes: as long as a break may be."""
FIXED_ROWS = 2
"""The first row and the keys."""
APART = ("days", "why", "head", "legend")
"""Who gets a blank row before it first."""
WHY_WIDTH = 72
"""Cells that hold what is said of nearly every day."""
OFF = "The streak is switched off. The setting streak = on brings it back; no day is lost meanwhile."


class StreakScreen(StudyScreen):
    """A calendar of the last months; the arrows move by day and week."""

    PLACE = "streak"
    HELP = (
        "A day counts when it reaches the goal: one answer, or what the setting goal says. Seven days that count "
        "earn a freeze; two can be held, and one is spent by itself on a day missed. Days with nothing to study, "
        "planned rest and dates that a flight skipped neither break the streak nor add to it. A day is the one "
        "your clock showed when you answered: it never moves, whatever you change later."
    )
    DEFAULT_CSS = """
    StreakScreen Static.part { margin: 1 2 0 3; height: auto; }
    StreakScreen.-low #legend { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move(-1)", "day", key_display="← →", id="streak.left", tooltip="The day before"),
        Binding("right,l", "move(1)", "", show=False, id="streak.right", tooltip="The day after"),
        Binding("up,k", "move(-7)", "week", key_display="↑ ↓", id="streak.up", tooltip="A week back"),
        Binding("down,j", "move(7)", "", show=False, id="streak.down", tooltip="A week on"),
        Binding("home,t", "today", "today", key_display="t", id="streak.today", tooltip="Back to today"),
        Binding("r", "rest", "rest", id="streak.rest", tooltip="Plan rest on this day, or take it back"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.page: StreakPage | None = None
        self.cursor = 0
        self.trouble = ""

    def compose(self) -> ComposeResult:
        """Lay out the run, the calendar with its signs, and the day under the cursor."""
        yield self.top
        for part in ("head", "days", "legend", "why"):
            yield Static("", id=part, classes="part", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Read the days once."""
        assert self.desk is not None
        if self.desk.options.streak:
            self.page = streak_page(self.desk)
            self.cursor = self.page.streak.today

    def on_resize(self, event: events.Resize) -> None:
        """Draw for this size."""
        super().on_resize(event)
        self.set_class(event.size.height < parts.LOW, "-low")
        self.paint()

    def paint(self) -> None:
        """Repaint everything for the cursor."""
        if self.page is None:
            self._put("head", Content.styled(OFF, "$s-text"))
            return
        width = max(parts.MONTH_WIDTH, page_width(self.size.width or 80))
        low, rows = self.size.height < parts.LOW, 2 if self.size.height >= parts.TALL else 1
        said = self.trouble or self.page.why(self.cursor)
        shown = {
            "head": parts.head(self.page, self.size.height),
            "days": parts.calendar(self.page, self.cursor, width, rows=rows, weekdays=not low),
            "legend": parts.legend(width),
            "why": Content.styled(said, "$s-cpu" if self.trouble else "$s-bright"),
        }
        for part, content in shown.items():
            self._put(part, content)
        self._give_rows({part: content for part, content in shown.items() if part != "legend" or not low}, width)
        self.show_keys()

    def _put(self, part: str, content: Content) -> None:
        self.query_one(f"#{part}", Static).update(content)

    def _give_rows(self, shown: Mapping[str, Content], width: int) -> None:
        """Put a blank row before the parts that need it most, as far as rows are left.

        What is said of a day has as many rows for every day, so that nothing moves with the cursor.
        """
        used = {part: len(content.wrap(width + 1)) for part, content in shown.items()}  # there is no scrollbar
        used["why"] = max(used["why"], 1 if width >= WHY_WIDTH else 2)
        free = self.size.height - FIXED_ROWS - sum(used.values())
        for part in APART:
            self.query_one(f"#{part}").set_class(free <= 0, "-close")
            free -= part in shown

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Rest is planned from today on; nothing moves while the streak is off."""
        if action in ("move", "today", "rest") and self.page is None:
            return False
        return self.page is not None and self.cursor >= self.page.streak.today if action == "rest" else True

    def words_for(self, key: str, words: str) -> str:
        """Say what the key does to the day under the cursor."""
        if key == "r" and self.page is not None and self.page.kind(self.cursor) == RESTED:
            return "no rest"
        return words

    def action_move(self, days: int) -> None:
        """Move the cursor, from the first day of study to half a year ahead."""
        assert self.page is not None
        today = self.page.streak.today
        first = min(self.page.streak.days, default=today)
        self.cursor = max(first, min(today + FAR_AHEAD_DAYS, self.cursor + days))
        self.trouble = ""
        self.paint()

    def action_today(self) -> None:
        """Put the cursor on today."""
        assert self.page is not None
        self.cursor, self.trouble = self.page.streak.today, ""
        self.paint()

    def action_rest(self) -> None:
        """Plan rest on the day under the cursor, or take it back."""
        from studyapp.study.streaks import drop_rest, plan_rest

        assert self.page is not None
        assert self.desk is not None
        try:
            if self.cursor in self.page.planned:
                drop_rest(self.desk, self.cursor)
            else:
                plan_rest(self.desk, self.cursor)
        except StoreError as error:
            self.trouble = f"Not stored: {error.message}"
        else:
            self.page = streak_page(self.desk)
            self.study.refresh_status()
        self.paint()
