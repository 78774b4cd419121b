"""The ends of a sitting: welcome back after a pause, minutes that are over, done for today, what is beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from studyapp.core.errors import StoreError
from studyapp.core.timebox import Timebox
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond
    from studyapp.study.coming_back import Return
    from studyapp.study.cramming import Offers
    from studyapp.study.reviewing import Showing, Sitting
    from studyapp.study.surprises import Surprises
    from studyapp.tui.screens.experiment import ExperimentScreen

COUNT_S = 20.0
"""Seconds between two looks at the minutes left; nothing is written where they are the same."""

PutOff = tuple[str, dict[str, str], str]
"""A trial put off until the sitting is over: experiment, controls, card."""


class ReviewEnds(StudyScreen):
    """What the review screen shows when no card is on it."""

    def __init__(self) -> None:
        super().__init__()
        self.sitting: Sitting | None = None
        self.showing: Showing | None = None
        self.note = ""
        self.later: list[PutOff] = []
        """Trials put off until the sitting is over."""
        self.surprises: Surprises | None = None
        self.head = Content("")
        self.question = ""
        """The question, or what stands in its place, as Markdown."""
        self.body: list[Content] = []
        self.offer: Return | None = None
        """What a learner who comes back after a pause is asked."""
        self.paused = False
        """Whether the minutes are over and the learner is asked whether to go on."""
        self.wish: Beyond | None = None
        self.beyond: Offers | None = None
        """What a learner who is done may ask for."""
        self.trial: ExperimentScreen | None = None
        """The trial of the card on screen, which goes with its answer."""
        self.box = Timebox(0)
        self._timer: Timer | None = None
        self._countdown: Timer | None = None
        self.revealed = False
        self.before = 0
        """Answers of today before this sitting: the first row counts the day, as it does everywhere."""

    def _draw_next(self) -> None:
        raise NotImplementedError

    def _paint_top(self) -> None:
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw head, title and body; rows that stay the same are not painted again."""
        raise NotImplementedError

    def ends_action(self, action: str) -> bool:
        """Return whether an action of this half does something now."""
        if action == "spread":
            return self.offer is not None
        if action == "further" and self.offer is not None:
            return True
        over = self.showing is None and self.offer is None and self.sitting is not None and not self.paused
        if action in ("further", "cram"):
            found = self.beyond
            return over and found is not None and (found.cram if action == "cram" else found.ahead > 0)
        return over

    def welcome_back(self) -> bool:
        """Show what a learner who was away is offered; False when there is nothing to offer."""
        from studyapp.study import coming_back

        assert self.desk is not None
        self.offer = coming_back.offer(self.desk)
        if self.offer is None:
            return False
        found = self.offer
        lines = [
            Content.assemble(
                (f"{found.per_day} now", "bold $s-bright"),
                (f" (about {found.minutes} minutes), {found.rest}.", "$s-text"),
            ),
            Content.styled("Cards that wait longer are forgotten a little more often; none is lost.", "$s-muted"),
            Content(""),
            Content.assemble(
                ("s", "bold $s-bright"),
                (" spread it   ", "$s-muted"),
                ("a", "bold $s-bright"),
                (" all now", "$s-muted"),
            ),
        ]
        self.top.show("review")
        self.head = eyebrow("WELCOME BACK", "$s-good")
        self.question = f"Away {found.away_days} days, {found.due} due."
        self.body = lines
        self.repaint()
        self.show_keys()
        return True

    def action_spread(self, spread: bool) -> None:
        """Take a part of the backlog now and the rest over the next days, or everything."""
        from studyapp.study import coming_back
        from studyapp.study.reviewing import Sitting

        if self.offer is None or self.desk is None or self.sitting is None:
            return
        try:
            if spread:
                coming_back.accept(self.desk, self.offer)
            else:
                coming_back.decline(self.desk)
        except StoreError as error:
            self.head = Content.styled(clean_place(f"{error.message} {error.hint}"), "$s-again")
            self.repaint()
            return
        self.offer = None
        self.sitting = Sitting(self.desk, self.sitting.module)
        self._draw_next()

    def action_more(self) -> None:
        """A few cards beyond today's limits."""
        if self.ends_action("more") and self.sitting is not None and self.sitting.more_today():
            self._draw_next()

    def action_further(self) -> None:
        """Take all that is due after a pause; else study cards of the next days ahead, as true reviews."""
        from studyapp.core.cram import ahead

        if self.offer is not None:
            self.action_spread(False)
        elif self.beyond is not None and self.ends_action("further"):
            self._go_beyond(ahead(self.beyond.ahead_days))

    def action_cram(self) -> None:
        """Go over cards that are not due, without moving any."""
        from studyapp.core.cram import CRAM

        if self.ends_action("cram"):
            self._go_beyond(CRAM)

    def _go_beyond(self, wish: Beyond) -> None:
        from studyapp.study.cramming import sit_down

        if self.desk is not None and self.sitting is not None:
            self.wish = wish
            self.sitting = sit_down(self.desk, self.sitting.module, wish)
            self._draw_next()

    def _paint_box(self) -> None:
        """Say that the minutes are over, and how to go on or end."""
        assert self.sitting is not None
        self.showing, self.paused, self.revealed = None, True, False
        self._rest()
        self._paint_top()
        self.head, self.question = eyebrow("TIME", "$s-good"), self.box.words(self.sitting.counts().due)
        bright, muted = "bold $s-bright", "$s-muted"
        keys = (("enter", bright), (" goes on   ", muted), ("q", bright), (" ends", muted))
        self.body = [Content.assemble(*keys), Content(""), Content.styled("All answers are stored.", "$s-muted")]
        self.repaint()
        self.drawn()
        self.show_keys()

    def _rest(self) -> None:
        """Nothing ticks while no card is on screen."""
        for timer in (self._timer, self._countdown):
            if timer is not None:
                timer.pause()

    def go_on(self) -> None:
        """Go on after the minutes are over, for as many again."""
        if self.paused and not self.stale_key:
            self.paused = False
            self.box.begin_again()
            self._draw_next()

    def action_trial(self) -> None:
        """Put the card's claim on trial, with numbers of this showing's own."""
        from studyapp.tui.screens.experiment import ExperimentScreen

        if self.showing is None and self.later:
            waiting = self.later.pop(0)
            name, controls, put_off = waiting
            screen = ExperimentScreen(name, controls, card=put_off, showing=f"{put_off} put off")
            self.app.push_screen(screen, lambda _: self._tried(screen, waiting))
            return
        if self.showing is not None and self.showing.card.experiments:
            card = self.showing.card
            screen = self.trial = ExperimentScreen.of(card.experiments, card.id, self.showing.key)
            self.app.push_screen(screen, lambda _: self._tried(screen))

    def _tried(self, screen: ExperimentScreen, waiting: PutOff | None = None) -> None:
        """Let a number that was said for certain and was wrong come back once, at the end of this sitting.

        Args:
            screen: Where it was tried.
            waiting: The trial that had been put off; it waits on where it was left before its verdict.
        """
        from studyapp.study.surprises import Surprises

        if waiting is not None and not screen.finished:
            self.later.insert(0, waiting)
            if self.showing is None:
                self._paint_over()
        self.surprises = self.surprises or Surprises()
        for trial, given in screen.finished:
            if self.surprises.to_meet_again(trial):
                self.later.append((trial.experiment.id, dict(given), trial.card or ""))
                self.note = f"{trial.experiment.id} comes back once at the end: you were certain"
                if self.showing is None:  # the end has come: it is offered there
                    self.note = ""
                    self._paint_over()
                    continue
                self.head = eyebrow(f"LATER   {clean_place(self.note)}", "$s-sky")
                self.repaint()

    def action_correct(self) -> None:
        """Write down what is wrong on this card."""
        from studyapp.tui.screens.correction import CorrectionScreen

        if self.showing is not None:
            self.app.push_screen(CorrectionScreen(self.showing.card.id))

    def action_later(self) -> None:
        """Put the card's trial off until the sitting is over, so that recall is not interrupted."""
        if self.showing is None or not self.showing.card.experiments:
            return
        link = self.showing.card.experiments[0]
        if link.experiment not in [name for name, _, _ in self.later]:
            self.later.append((link.experiment, dict(link.controls), self.showing.card.id))
        self.head = eyebrow(f"LATER   {clean_place(link.experiment)} waits for the end", "$s-sky")
        self.repaint()

    def _paint_over(self) -> None:
        from studyapp.study.cramming import offers
        from studyapp.tui.screens.review_over import over

        assert self.sitting is not None
        assert self.desk is not None
        self._rest()
        self.study.refresh_status()
        self.beyond = offers(self.desk, self.sitting.module)
        waiting = [self._put_off(name) for name, _, _ in self.later]
        head, title, rest = over(self.study.status, self.sitting, self.note, waiting, self.beyond)
        self.note = ""
        self.head, self.question, self.body = eyebrow(head, "$s-good"), title, rest.split("\n")
        self.repaint()
        self.show_keys()
        self._count_down()

    def _put_off(self, name: str) -> str:
        """Return a trial that waits, and why it does where it was met already."""
        again = self.surprises is not None and self.surprises.met(name)
        return f"{name} once more, with other numbers: you were certain" if again else name

    def _count_down(self) -> None:
        """Count the minutes until a waiting step can be shown, then go on, if nothing else is on the card."""
        from studyapp.tui.screens.review_over import until_step

        if self.sitting is None or self.desk is None or not self.ends_action("more"):
            return
        waiting_until_ms = self.sitting.counts().waiting_until_ms
        if waiting_until_ms is None:
            if self.sitting.counts().due:
                self._draw_next()
            return
        self.question = until_step(self.sitting) or self.question
        self.repaint()
        seconds = max(0.5, (waiting_until_ms - self.desk.clock().at_ms) / 1000)
        self._countdown = self.set_timer(min(seconds, COUNT_S), self._count_down)


def eyebrow(text: str, style: str) -> Content:
    """Return an eyebrow; what follows three blanks is muted."""
    head, _, rest = text.partition("   ")
    return Content.assemble((head, f"bold {style}"), (f"   {rest}" if rest else "", "$s-muted"))
