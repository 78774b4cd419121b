"""One card, whole: its text, what is known of its memory, every answer, its forgetting curve, its trials."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.core.percent import percent
from studyapp.tui.app import Synced
from studyapp.tui.margins import page_width
from studyapp.tui.screens import browse_parts as parts
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place, trail
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.core.reviews import ReviewRow
    from studyapp.study.browsing import Detail

NAME_ROOM = 12
"""Cells of the names of facts."""
MOST_ANSWERS = 40
"""Answers listed one by one, the latest first."""


class CardScreen(StudyScreen):
    """Everything there is to know of a card."""

    PLACE = "card"
    HELP = (
        "The curve is the chance of recall from the last answer on, as the schedule reckons it: the bright column "
        "is today. Stability is the days until the chance falls to 90 %; difficulty goes from 1 to 10."
    )
    DEFAULT_CSS = """
    CardScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }
    CardScreen #card { max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "trial", "experiment", id="card.trial", tooltip="Put the answer on trial"),
        Binding("m", "place", "lesson", id="card.place", tooltip="Its place in the lesson"),
        Binding("e", "edit", "edit", id="card.edit", tooltip="Open its file in your editor, at its line"),
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="card.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="card.up", tooltip="A line up"),
        Binding("space,pagedown,ctrl+d", "scroll(12)", "", show=False, id="card.page", tooltip="A page down"),
        Binding("pageup,ctrl+u", "scroll(-12)", "", show=False, id="card.pageup", tooltip="A page up"),
        Binding("q,escape,enter", "back", "back", id="back", key_display="q", tooltip="Back to the list"),
    ]

    def __init__(self, card: str) -> None:
        super().__init__()
        self.card_id = card
        self.detail: Detail | None = None
        self.note = ""
        """What came of the last edit."""

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="card", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Read the card."""
        self._read()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again."""
        super().on_resize(event)
        self.call_after_refresh(self.paint)

    @on(Synced)
    def _synced(self) -> None:
        """Its file was changed, or answers came in."""
        self._read()

    def on_screen_resume(self) -> None:
        """A trial may have ended, the text may have been edited."""
        self._read()

    def _read(self) -> None:
        from studyapp.study.browsing import detail_of

        if self.desk is not None:
            self.detail = detail_of(self.desk, self.card_id)
            self.paint()

    def paint(self) -> None:
        """Draw the page."""
        detail = self.detail
        if detail is None or self.desk is None:
            return
        card = detail.found.card
        today, ascii_only = self.desk.clock().study_day, self.study.settings.ascii
        width = min(100, page_width(self.size.width or 80))
        text = min(width, 84)
        self.top.show(trail(detail.title, detail.section))
        lines = [Content.styled(clean_place(self.note), "$s-muted"), Content("")] if self.note else []
        lines += [line.stylize_before("bold $s-bright") for line in prose(card.prompt, text)]
        lines += [Content(""), *prose(card.answer, text)]
        lines += [Content("")] if card.key_points else []
        for point in card.key_points:
            wrapped = prose(point, text - 2)
            lines += [Content.assemble(("• " if n == 0 else "  ", "$s-muted"), p) for n, p in enumerate(wrapped)]
        lines += [Content(""), *self._facts(detail, today, width)]
        curve = parts.forgetting(card.memory, today, self.desk.options.policy, width, 5, ascii_only)
        if curve:
            lines += [Content(""), *curve]
        lines += [Content(""), parts.history(detail.answers, width, ascii_only)]
        lines += [_answer_line(row) for row in reversed(detail.answers[-MOST_ANSWERS:])]
        self.query_one("#card", Static).update(Content("\n").join(lines))
        self.show_keys()

    def _facts(self, detail: Detail, today: int, width: int) -> list[Content]:
        found, memory = detail.found, detail.found.card.memory
        rows = [("due", parts.due_words(found, today))]
        if memory.stability is not None and memory.difficulty is not None:
            rows += [
                ("stability", parts.days_words(memory.stability)),
                ("difficulty", f"{memory.difficulty:.1f} of 10"),
                ("interval", f"{memory.interval_days} d"),
            ]
        rows += [("answers", str(memory.reps)), ("lapses", str(memory.lapses))]
        tags = "  ".join([*found.card.tags, *found.marked.tags])
        rows += [("tags", tags)] if tags else []
        rows += [("flag", found.marked.flag)] if found.marked.flag else []
        file = clean_place(f"{found.card.path}:{found.card.line}")
        if len(file) > width - NAME_ROOM:  # the end says more than the beginning
            file = f"…{file[-(width - NAME_ROOM - 1) :]}"
        rows += [("file", file), ("id", found.card.id)]
        rows += [("trial", line) for line in detail.trials]
        return [
            Content.assemble((name.ljust(NAME_ROOM), "$s-muted"), (clean_place(value), "$s-text")).truncate(
                width, ellipsis=True
            )
            for name, value in rows
        ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A card without an experiment has no trial; one that left its lesson no place."""
        card = self.detail.found.card if self.detail is not None else None
        if action == "trial":
            return card is not None and bool(card.experiments)
        if action == "place":
            return card is not None and not card.hidden
        return True

    def action_scroll(self, step: int) -> None:
        """Scroll by lines."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_to(y=scroll.scroll_y + step, animate=False)

    def action_trial(self) -> None:
        """Put the answer on trial."""
        if self.detail is not None and self.detail.found.card.experiments:
            from studyapp.tui.screens.experiment import ExperimentScreen

            self.app.push_screen(ExperimentScreen.of(list(self.detail.found.card.experiments)))

    @work(exclusive=True, group="edit")
    async def action_edit(self) -> None:
        """Open the card's file in the editor."""
        from studyapp.tui.editing import edit_card
        from studyapp.tui.rewrites import ask_about_rewrites

        said = await edit_card(self, self.card_id)
        if said:
            await ask_about_rewrites(self)
            self._read()
            self.note = said
            self.paint()

    def action_place(self) -> None:
        """Open the lesson where the card stands."""
        if self.detail is not None:
            from studyapp.tui.screens.read import ReadScreen

            card = self.detail.found.card
            self.app.push_screen(ReadScreen(card.module, card.section))


def _answer_line(row: ReviewRow) -> Content:
    day = date.fromordinal(row.study_day)
    chance = "" if row.retrievability is None else percent(row.retrievability)
    took = f"{row.duration_ms / 1000:.0f} s" if row.duration_ms else ""
    after = row.after.interval_days if row.after is not None else 0
    return Content.assemble(
        (f"{day.day:>2} {day:%b %Y}  ", "$s-muted"),
        (parts.RATINGS[row.rating - 1].ljust(7), parts.RATING_STYLES[row.rating - 1]),
        (f"{f'chance {chance}' if chance else '':14}{took.rjust(6)}   ", "$s-muted"),
        (f"then {after} d" if after else "a cram" if row.after is None else "then a step", "$s-muted"),
    )
