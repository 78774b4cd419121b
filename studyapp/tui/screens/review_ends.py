"""The ends of a sitting: welcome back after a pause, done for today, a few more, trials put off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from studyapp.core.errors import StoreError
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.study.coming_back import Return
    from studyapp.study.reviewing import Showing, Sitting


class ReviewEnds(StudyScreen):
    """What the review screen shows when no card is on it."""

    def __init__(self) -> None:
        super().__init__()
        self.sitting: Sitting | None = None
        self.showing: Showing | None = None
        self.note = ""
        self.later: list[tuple[str, dict[str, str], str]] = []
        """Trials put off until the sitting is over: experiment, controls, card."""
        self.head = Content("")
        self.question = ""
        """The question, or what stands in its place, as Markdown."""
        self.body: list[Content] = []
        self.offer: Return | None = None
        """What a learner who comes back after a pause is asked."""
        self._timer: Timer | None = None

    def _draw_next(self) -> None:
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw head, title and body; rows that stay the same are not painted again."""
        raise NotImplementedError

    def ends_action(self, action: str) -> bool:
        """Return whether an action of this half does something now."""
        if action == "spread":
            return self.offer is not None
        return self.showing is None and self.offer is None and self.sitting is not None

    def welcome_back(self) -> bool:
        """Show what a learner who was away is offered; False when there is nothing to offer."""
        from studyapp.study import coming_back

        assert self.desk is not None
        self.offer = coming_back.offer(self.desk)
        if self.offer is None:
            return False
        found = self.offer
        rest = "the rest tomorrow" if found.days == 2 else f"the rest over {found.days - 1} days"
        lines = [
            Content.assemble(
                (f"{found.per_day} now", "bold $s-bright"),
                (f" (about {found.minutes} minutes), {rest}.", "$s-text"),
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
        if self.sitting is not None and self.showing is None and self.sitting.more_today():
            self._draw_next()

    def action_trial(self) -> None:
        """Put the card's claim on trial."""
        from studyapp.tui.screens.experiment import ExperimentScreen

        if self.showing is None:
            if self.later:
                name, controls, card = self.later.pop(0)
                self.app.push_screen(ExperimentScreen(name, controls, card=card))
        elif self.showing.card.experiments:
            self.app.push_screen(ExperimentScreen.of(self.showing.card.experiments, self.showing.card.id))

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
        from studyapp.tui.screens.review_over import over

        assert self.sitting is not None
        assert self.desk is not None
        if self._timer is not None:
            self._timer.pause()
        self.study.refresh_status()
        waiting = [name for name, _, _ in self.later]
        head, title, rest = over(self.study.status, self.sitting, self.note, waiting)
        self.note = ""
        self.head, self.question, self.body = eyebrow(head, "$s-good"), title, rest.split("\n")
        self.repaint()
        self.show_keys()
        waiting_until_ms = self.sitting.counts().waiting_until_ms
        if waiting_until_ms is not None:
            self.set_timer(max(0.5, (waiting_until_ms - self.desk.clock().at_ms) / 1000), self._draw_if_over)

    def _draw_if_over(self) -> None:
        """A step that was waited for is due: go on, if nothing else is on the card."""
        if self.sitting is not None and self.showing is None and self.offer is None and self.desk is not None:
            self._draw_next()


def eyebrow(text: str, style: str) -> Content:
    """Return an eyebrow; what follows three blanks is muted."""
    head, _, rest = text.partition("   ")
    return Content.assemble((head, f"bold {style}"), (f"   {rest}" if rest else "", "$s-muted"))
