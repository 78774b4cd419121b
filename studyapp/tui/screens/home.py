"""Home: what is due, the streak, the year behind, the week ahead; painted from the cached status file first."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Digits, Static

from studyapp.core.prompt import day_now
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.places import PLACES, open_place
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.home_parts import heatmap, modules, trial, week, words
from studyapp.tui.widgets.bars import clean_place, shortened

if TYPE_CHECKING:
    from studyapp.tui.screens.last_picture import LastPicture

LEGEND = 22
"""Rows of the window from which the year has its legend."""
NOTICE_ROWS = 3
"""The most rows of a notice; what does not fit is cut at a word."""


class HomeScreen(StudyScreen):
    """The first screen."""

    CSS_PATH = "home.tcss"
    HELP = (
        "Cards that are due come first; **enter** starts them. A lesson's cards wait until you have read their "
        "section (**l**). The squares are the days you studied, the bars the week ahead."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "study", "study", id="home.study", tooltip="Start the cards that are due, or read on"),
        Binding("l", "read", "read", id="home.read", tooltip="Read the lesson, section by section"),
        Binding("x", "go('lab')", "lab", id="home.lab", tooltip="All experiments with their verdicts here"),
        Binding("b", "go('browse')", "browse", id="home.browse", tooltip="Look through all cards"),
        Binding("r", "go('race')", "race", id="home.race", tooltip="CPU against GPU, batch by batch"),
        Binding("s", "go('stats')", "stats", id="home.stats", tooltip="How it has been going"),
        Binding("slash", "search", "search", id="home.search", tooltip="Find a card or a section"),
        Binding("t", "go('streak')", "streak", id="home.streak", tooltip="The days behind the streak"),
        Binding("d", "go('daily')", "today's trial", id="home.daily", tooltip="Today's trial"),
        Binding("p", "go('passport')", "passport", id="home.passport", tooltip="This machine's passport"),
        Binding("comma", "go('settings')", "settings", id="home.settings", tooltip="Settings"),
        Binding("q", "leave", "quit", id="home.quit", tooltip="Leave; all is saved"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._shown: dict[str, Content] = {}
        """What each part shows now."""
        self._last: LastPicture | None = None

    def compose(self) -> ComposeResult:
        """Lay out the rows of Home."""
        yield self.top
        with Horizontal(id="due"):
            yield Digits("", id="count")
            yield Static("", id="words", markup=False)
        yield Static("", id="heat", markup=False)
        yield Static("", id="modules", markup=False)
        yield Static("", id="week", markup=False)
        yield Static("", id="notice", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Paint what the status file says."""
        self.paint()

    def on_screen_resume(self) -> None:
        """Count again: something may have been answered."""
        if self.desk is not None:
            self.study.refresh_status()
            self.paint()
            self.paint_last()
            self.call_after_refresh(self._name_trial)

    @on(DeskReady)
    def _ready(self) -> None:
        self.study.refresh_status()
        self.paint()
        self.paint_last()
        self.call_after_refresh(self._name_trial)

    def _name_trial(self) -> None:
        """Look up the question of today's trial, once a day, when everything else stands on the screen."""
        from studyapp.core.errors import StudyError
        from studyapp.study.today import name_trial

        if self.desk is not None and self.study.status and self.study.status.get("heat"):
            with suppress(StudyError):
                self.study.status = name_trial(self.desk, self.study.status)
                self.paint()

    @on(Synced)
    def _synced(self) -> None:
        self.study.refresh_status()
        self.paint()

    @on(DeskFailed)
    def _failed(self, message: DeskFailed) -> None:
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Give rows away when the window is low."""
        self.set_class(event.size.height < 20, "-short")
        self.set_class(event.size.height >= 34, "-tall")
        self.paint()
        self.paint_last()

    def paint(self) -> None:
        """Repaint everything from the status."""
        # the desk's clock knows of a changed rollover
        clock = self.study.settings.clock if self.desk is None else self.desk.clock
        status, now = self.study.status, clock()
        day = day_now(status, now.at_ms) if status else None
        due = 0 if day is None else day["review"] + day["new"] + day["relearning"]
        today = date.fromordinal(now.study_day)
        self.top.show(f"{today:%A} {today.day} {today:%B}")
        self.show_progress()
        self._count(str(due) if day and (due or status["heat"]) else "")
        self._put("#words", self._words(status, day, due))
        width = self.size.width or 80
        legend = self.size.height >= LEGEND
        year = heatmap(status, now.study_day, width, dense=self.study.dense_heat, legend=legend) if day else ""
        self._put("#heat", year)
        self._put("#modules", modules(status, width, now.study_day))
        ahead = [week(status, day, width), trial(status, now.study_day, width) if day else Content("")]
        rows = [row for row in ahead if row.plain]
        self._put("#week", Content("\n").join(rows))
        notices = [self.study.sync_trouble, *status.get("notices", ())]
        notice = next((clean_place(notice) for notice in notices if notice), "")
        needed = 2 if len(notice) <= width - 5 else 3  # a notice of two rows, with a blank one before it
        if self._free() + 1 < (needed + 1 if notice else 1) and len(rows) > 1:
            self._put("#week", rows[0])  # the row of the trial gives way first
        self._notice(notice, width)
        self.show_keys()

    def _notice(self, words: str, width: int) -> None:
        """Show a notice with a blank row before the keys, the parts above drawn together where they leave none."""
        notice, room = Content.styled(words, "$s-cpu"), max(10, width - 5)
        short, free = self.has_class("-short"), self._free()
        rows = min(NOTICE_ROWS, len(notice.wrap(room))) if words else 0
        crowded = not short and free + 1 < (3 if rows else 0)
        self.set_class(crowded, "-crowded")
        free += 2 + self._rows("#heat") if crowded else 0
        tight = free < (rows + 2 if rows else 1)
        if tight and free + 1 < rows + 2:
            rows = 1
        self.set_class(tight, "-tight")
        self._put("#notice", Content("\n").join(shortened(notice, room, rows)) if rows else notice)

    def _free(self) -> int:
        """Return how many rows nothing stands on; less than none where the window is too low."""
        short = self.has_class("-short")
        parts = ("#modules", "#week") if short else ("#heat", "#modules", "#week")
        used = 6 + sum(1 + self._rows(part) for part in parts)  # first row, numbers, keys
        return self.size.height - used - (0 if short else 1)

    def _rows(self, part: str) -> int:
        shown = self._shown.get(part)
        return len(shown.plain.split("\n")) if shown is not None else 0

    def _put(self, part: str, content: Content | str) -> None:
        """Show a part, unless it stands there already: a slow line pays for every row that is painted again."""
        new = Content(content) if isinstance(content, str) else content
        old = self._shown.get(part)
        if old is None or not old.is_same(new):
            self._shown[part] = new
            self.query_one(part, Static).update(new)

    def _count(self, text: str) -> None:
        if self._shown.get("#count") != Content(text):
            self._shown["#count"] = Content(text)
            self.query_one("#count", Digits).update(text)
            self.set_class(not text, "-uncounted")  # where nothing is counted the words begin at the margin

    def paint_last(self) -> None:
        """In a tall window, show the last experiment: extra height goes to what was measured."""
        if self.desk is None or not self.has_class("-tall"):
            return
        from studyapp.study.run_pictures import last_figure

        figure = last_figure(self.desk)
        if figure is None:
            return
        from studyapp.tui.screens.last_picture import LastPicture

        if self._last is None:
            self._last = LastPicture(ascii_only=self.study.settings.ascii)
            self.mount(self._last, before=self.keys)
        words = clean_place(f"{figure.title}. {figure.sentence}")
        self._last.show(figure, Content.assemble(("your last experiment   ", "$s-muted"), (words, "$s-text")))
        self.add_class("-measured")

    def _words(self, status: Mapping[str, Any], day: Mapping[str, Any] | None, due: int) -> Content:
        error = self.study.desk_error
        if error is not None:
            return Content.assemble((error.message + "\n", "bold $s-again"), (error.hint, "$s-text"))
        if day is None:
            return Content.styled("Laying out your cards ...", "$s-muted")
        return words(status, day, due, self.size.width or 80)

    def action_study(self) -> None:
        """Start what is due; with nothing due, read on."""
        status = self.study.status
        day = day_now(status, self.study.settings.clock().at_ms) if status else None
        if day is None or self.desk is None:
            return
        if day["review"] + day["new"] + day["relearning"] == 0 and any(m["unread"] for m in status["modules"]):
            self.action_read()
            return
        open_place(self.study, "review")

    def action_read(self) -> None:
        """Open the lesson."""
        open_place(self.study, "read")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only places that exist are offered."""
        if action == "go":
            return not parameters or parameters[0] in PLACES
        return "browse" in PLACES if action == "search" else True

    def action_go(self, name: str) -> None:
        """Go to a place."""
        open_place(self.study, name)

    def action_search(self) -> None:
        """Browse, with the cursor in the search line."""
        open_place(self.study, "browse", True)

    def action_leave(self) -> None:
        """Leave; everything is stored already."""
        self.app.exit(0)
