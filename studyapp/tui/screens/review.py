"""Review: say it first, reveal, check yourself, grade. A grade is stored before the next card is drawn."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer

from studyapp.core.errors import StaleShowingError, StoreError
from studyapp.core.grades import Rating
from studyapp.core.prompt import streak_now
from studyapp.core.timebox import Timebox
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.pace import Frames
from studyapp.tui.screens.review_answer import CHECK
from studyapp.tui.screens.review_attempt import CHOOSE
from studyapp.tui.screens.review_edit import ReviewEdit
from studyapp.tui.screens.review_ends import eyebrow
from studyapp.tui.screens.review_parts import leech_words, think
from studyapp.tui.thinking import Thinking
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond
    from studyapp.study.reviewing import Showing

STORING_S = 0.7
"""A write that takes longer waits for another program, and is named."""
TICK_S = {"full": 0.25, "reduced": 5.0, "none": 60.0}
"""Seconds between two moves of the thinking bar, by how much may move."""


class ReviewScreen(ReviewEdit):
    """One card at a time."""

    CSS_PATH = "review.tcss"
    HELP = (
        "Say the answer out loud, then reveal it with **space**. Tick the key points you said (**space**, "
        "**↑ ↓** move): they suggest a grade, and **enter** takes it. Or grade yourself with **1** to **4**; "
        "the time under each grade is exactly when the card comes back. **u** takes answers back, at any depth, "
        "also after a restart. Each answer is stored the moment you give it. Once the answer is shown, **m** "
        "opens the card's place in the lesson.\n\n"
        "Some cards ask for a number, a line to type or a choice before the answer is shown: what you gave is "
        "compared and suggests a grade, which you may overrule. **esc** leaves the line to say it instead.\n\n"
        "When nothing is due, studying ahead brings cards of the next days early, as true reviews; a cram goes "
        "over what you were taught, each card until it was Good once, and moves none."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "reveal", "reveal", id="review.reveal", tooltip="Show the answer; then tick a key point"),
        Binding("1", "grade(1)", "grade", id="grade.again", key_display="1–4", tooltip="Again"),
        Binding("2", "grade(2)", "", id="grade.hard", show=False, tooltip="Hard"),
        Binding("3", "grade(3)", "", id="grade.good", show=False, tooltip="Good"),
        Binding("4", "grade(4)", "", id="grade.easy", show=False, tooltip="Easy"),
        *CHOOSE,
        Binding("enter", "suggested", "", id="grade.suggested", show=False, tooltip="Take the suggested grade"),
        Binding("x", "trial", "experiment", id="review.trial", tooltip="Put the answer on trial"),
        Binding("X", "later", "", show=False, id="review.later", tooltip="Put it on trial at the end"),
        Binding("u", "undo", "undo", id="review.undo", tooltip="Take the last answer back"),
        Binding("b", "bury", "bury", id="review.bury", tooltip="Put the card away until tomorrow"),
        Binding("z", "suspend", "suspend", id="review.suspend", show=False, tooltip="Put the card away for good"),
        Binding("e", "edit", "", id="review.edit", show=False, tooltip="Open the card's file in your editor"),
        Binding("i", "type", "type it", id="review.type", show=False, tooltip="Type the answer before revealing"),
        Binding(
            "m", "more", "", id="review.more", show=False, tooltip="Its place in the lesson; at the end, more"
        ),
        Binding("s", "spread(True)", "spread it", id="review.spread", tooltip="Part now, the rest over days"),
        Binding(
            "a", "further", "ahead", id="review.further", tooltip="All that is due, or cards of the next days"
        ),
        Binding("c", "cram", "cram", id="review.cram", tooltip="Go over cards that are not due; moves nothing"),
        Binding("exclamation_mark", "correct", "", show=False, id="review.correct", tooltip="Correct the card"),
        Binding("down,j", "move(1)", "", id="review.down", show=False, tooltip="The next key point"),
        Binding("pagedown,ctrl+d", "scroll(8)", "", id="review.pagedown", show=False, tooltip="Scroll down"),
        Binding("pageup,ctrl+u", "scroll(-8)", "", id="review.pageup", show=False, tooltip="Scroll up"),
        Binding("up,k", "move(-1)", "", id="review.up", show=False, tooltip="The key point before"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; all is saved"),
    ]

    def __init__(self, module: str | None, wish: Beyond | None = None) -> None:
        super().__init__()
        self.module = module
        self.wish = wish
        """What is asked for beyond today's cards."""
        self.thinking = Thinking()
        self.at_card = Thinking()
        """Thinking and checking: what fills the timebox."""
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
                self._places[module.id, section.id] = f"{module.title} › {section.title}"
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

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is offered."""
        asked = self.showing is not None
        if action in ("reveal", "bury", "suspend", "type", "correct", "edit"):
            return asked and (action != "type" or not (self.revealed or self.choice))
        if action in ("grade", "choose") and parameters and self.chooses(int(str(parameters[0]))):
            return True
        if action == "choose":
            return False
        if action == "grade" and parameters and Rating(int(str(parameters[0]))) not in self.grades:
            return False
        if action == "suggested" and self.paused:
            return True
        if action == "more" and self.showing is not None:
            return self.revealed and bool(self.showing.card.section)
        if action in ("grade", "suggested", "move"):
            return asked and self.revealed
        if action == "trial":
            return bool(self.showing.card.experiments) if self.showing is not None else bool(self.later)
        if action in ("more", "spread", "further", "cram"):
            return self.ends_action(action)
        if action == "undo":
            return self.sitting is not None and self.offer is None
        if action == "later":
            return self.showing is not None and bool(self.showing.card.experiments)
        return True

    def bindings_here(self) -> list[Binding]:
        """Return the bindings; with two grades, or options to choose from, the last row names other digits."""
        found = super().bindings_here()
        if digits := self.digits:
            return [replace(b, key_display=digits) if b.id == "grade.again" else b for b in found]
        if self.study.settings.buttons == 4:
            return found
        return [replace(b, key_display="1 3") if b.key_display and b.id == "grade.again" else b for b in found]

    def words_for(self, key: str, words: str) -> str:
        """Once the answer is shown, space ticks its key points; after a pause, `a` is for all that is due."""
        if words == "ahead" and self.offer is not None:
            return "all now"
        if words == "grade" and self.digits:
            return "choose"
        points = self.showing.card.key_points if self.showing is not None else ()
        return ("tick" if points else "") if key == "space" and self.revealed else words

    def action_reveal(self) -> None:
        """Show the answer; once it is shown, tick the key point at the cursor."""
        if self.showing is None or self.stale_key:
            return
        if self.revealed:
            self.tick_point()
            return
        self.thinking.pause()
        self.weigh_choice()
        self.revealed = True
        self.head = CHECK
        self.repaint()
        self.paint_last()
        self.drawn()
        self.show_keys()
        self.paint_now(self.card, self.tiles)

    async def action_suggested(self) -> None:
        """Take the grade the ticked key points suggest, if any; go on after the minutes are over."""
        if self.paused:
            self.go_on()
        if self.showing is not None and self.revealed:
            suggestion = self.suggestion()
            if suggestion is not None:
                await self.action_grade(int(suggestion))

    async def action_grade(self, rating: int) -> None:
        """Store the grade, then draw the next card; a failed write keeps the card with the reason.

        Before the reveal, a digit takes an option where there are some.
        """
        self.action_choose(rating)
        if self.showing is None or not self.revealed or self.stale_key or self.saving:
            return
        assert self.sitting is not None
        self.saving = True
        run = self.trial.trial.run_uid if self.trial is not None and self.trial.trial is not None else None
        # no timer of the screen's own: it would be heard after this key has been dealt with
        waiting = asyncio.get_running_loop().call_later(STORING_S, self._say_storing)
        try:
            graded = await asyncio.to_thread(
                self.sitting.grade, self.showing, Rating(rating), duration_ms=self.thinking.milliseconds, run=run
            )
            self.box.spend(self.at_card.seconds)
            if graded.leech:
                self.note = leech_words(graded)
        except StaleShowingError as error:
            self.note = error.message
            await asyncio.to_thread(self.sitting.look_again)
        except StoreError as error:
            self._not_stored(error, str(rating))
            return
        finally:
            self.saving = False
            waiting.cancel()
        self._draw_next()
        self._cache_soon()

    def _say_storing(self) -> None:
        """A key that seems to do nothing is pressed again: say what is waited for."""
        self.head = eyebrow("STORING ...   another program holds the record; it is waited for", "$s-sky")
        self.repaint()

    def _warm_the_worker(self) -> None:
        self.study.runner().preload()
