"""Review: say it first, reveal, check yourself, grade. A grade is stored before the next card is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer

from studyapp.core.prompt import streak_now
from studyapp.core.timebox import Timebox
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.pace import Frames
from studyapp.tui.screens.review_ends import eyebrow
from studyapp.tui.screens.review_grade import ReviewGrade
from studyapp.tui.screens.review_keys import HELP, KEYS
from studyapp.tui.screens.review_parts import think
from studyapp.tui.widgets.bars import clean_place, trail

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond
    from studyapp.study.reviewing import Showing

TICK_S = {"full": 0.25, "reduced": 5.0, "none": 60.0}
"""Seconds between two moves of the thinking bar, by how much may move."""


class ReviewScreen(ReviewGrade):
    """One card at a time."""

    CSS_PATH = "review.tcss"
    HELP = HELP
    BINDINGS = KEYS

    def __init__(self, module: str | None, wish: Beyond | None = None) -> None:
        super().__init__()
        self.module = module
        self.wish = wish
        """What is asked for beyond today's cards."""
        self._places: dict[tuple[str, str], str] = {}
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the card."""
        yield self.top
        with Vertical(id="frame"):
            yield self.card
            yield self.tiles
        yield self.keys

    def begin(self) -> None:
        """Draw the frame; the first card follows when the desk is open."""
        tick_s = TICK_S[self.study.motion]
        frames = Frames(self.study.pace, 1 / tick_s)
        # on a slow line the bar would fill it, and the answer would wait behind the bar; nor does it move where
        # another screen is in front: each move would send that one whole
        self._timer = self.set_interval(
            tick_s, lambda: self._tick() if self.app.screen is self and frames.due() else None, pause=True
        )
        self.box = Timebox(self.study.settings.timebox_minutes)
        if self.desk is not None:
            self._begin()
        else:
            self.body = [Content.styled("Laying out your cards ...", "$s-muted")]

    @on(DeskReady)
    def _begin(self) -> None:
        from studyapp.study.cramming import sit_down

        assert self.desk is not None
        self.sitting = sit_down(self.desk, self.module, self.wish)
        self.before = self.desk.store.active_days().get(self.desk.clock().study_day, 0)
        for module in self.desk.store.modules():
            self._places[module.id, ""] = module.title
            for section in self.desk.store.sections(module.id):
                self._places[module.id, section.id] = trail(module.title, section.title)
        if self.wish is not None or not self.welcome_back():
            self._draw_next()
            self.ask_rewrites()

    @on(Synced)
    def _synced(self) -> None:
        """Another machine's answers came in, or a lesson was changed: what follows the card is counted anew."""
        if self.sitting is not None:
            if self.file_changed():
                self.show_again("its file was changed")
            self.sitting.look_again()
            self._paint_top()
            if self.showing is None and self.offer is None and not self.paused:
                self._draw_next()
            if self.app.screen is self:
                self.ask_rewrites()

    @on(DeskFailed)
    def _failed(self, message: DeskFailed) -> None:
        self.head = eyebrow("CANNOT OPEN", "$s-again")
        text = Content.assemble((message.error.message, "bold $s-again"), "\n\n", message.error.hint)
        self.body = text.split("\n")
        self.repaint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins for the window and wrap again."""
        self.set_class(event.size.width >= 100, "-wide")
        self.set_class(event.size.height < 16 or event.size.width < 50, "-low")
        self.set_class(event.size.width >= 110 and event.size.height >= 34, "-roomy")
        self.call_after_refresh(self.repaint)

    def on_screen_resume(self) -> None:
        """Back from an experiment or help: the clock of thinking goes on."""
        if not self.revealed:
            self.thinking.go_on()
        self.at_card.go_on()
        self.paint_last()
        if self.showing is None and self.sitting is not None and self.offer is None and not self.paused:
            self._draw_next()
        else:
            self.repaint()

    def on_screen_suspend(self) -> None:
        """Another screen is in front: that is not thinking time, unless it is the one the answer is typed on."""
        if not self.typing:
            self.thinking.pause()
            self.at_card.pause()

    # drawing

    def _draw_next(self) -> None:
        assert self.sitting is not None
        showing = self.sitting.next()
        if showing is not None and self.box.over:
            self._paint_box()
        else:
            self._draw(showing)

    def _draw(self, showing: Showing | None) -> None:
        self.showing, self.paused, self.trial = showing, False, None
        self.revealed = False
        self.ticked, self.cursor, self.scroll_at = set(), 0, 0
        self.forget_attempt()
        self.paint_last()
        self._paint_top()
        if showing is None:
            self._paint_over()
            return
        self.thinking.start()
        self.at_card.start()
        if not self.note and showing.card.experiments:
            self.note = self._why_back(showing)
        note = self.note or ("" if showing.moves else "moves nothing, each until Good")
        words = f"{self.first_word}   {note}" if note else self.first_word
        self.note = ""
        self.head, self.question = eyebrow(words, "$s-you"), showing.card.prompt
        self._tick()
        if self._timer is not None:
            self._timer.resume()
        if showing.card.experiments:
            self.call_after_refresh(self._warm_the_worker)  # starting it costs 8 ms: after the question is painted
        self.drawn()
        self.call_after_refresh(self.prepare_answer)
        self.show_keys()
        self.paint_now(self.card, self.tiles)
        if self.is_typed or (self.study.settings.typed and self.choice is None):
            self.action_type()

    def _why_back(self, showing: Showing) -> str:
        """Return that the card is due since a run changed its claim's verdict, "" for any other."""
        from studyapp.study.going_stale import stale_of

        found = stale_of(self.desk, showing.card.id) if self.desk is not None else None
        return found.brief if found is not None else ""

    def _paint_top(self) -> None:
        assert self.sitting is not None
        counts = self.sitting.counts()
        place = self.sitting.title
        if self.showing is not None:
            card = self.showing.card
            place = clean_place(self._places.get((card.module, card.section), "review"))
            place = place if self.wish is None else f"{self.sitting.title}   {place}"
        answered = self.sitting.answered
        done = answered + (self.before if self.module is None and self.wish is None else 0)
        streak = streak_now(self.study.status, self.sitting.desk.clock().at_ms, answered > 0)
        self.top.show(place, done=done, total=done + counts.due, streak=streak)

    def progress(self) -> tuple[int, int, int] | None:
        """Return how far the sitting is."""
        return None if self.showing is None else (self.top.done, self.top.total, self.top.streak or 0)

    def _tick(self) -> None:
        if self.showing is None or self.revealed:
            return
        seconds = self.thinking.seconds
        width = max(20, self.card.size.width or 72)
        bar = think(seconds, width)
        options, hint = self.asked_lines(width)
        still = self.study.motion == "none"
        below = [*options, *hint] if still else [*options, *hint, Content(""), *self.first_words(), bar]
        self.body = below if self.size.height >= 14 else options or ([] if still else [bar])
        self.repaint()
        if (seconds > 20 or self.study.motion == "none") and self._timer is not None:
            self._timer.pause()  # nothing moves any more: an idle screen writes no byte

    def _warm_the_worker(self) -> None:
        self.study.runner().preload()
