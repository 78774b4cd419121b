"""The keys of the review screen, its help, and which of them do something now."""

from __future__ import annotations

from dataclasses import replace

from textual.binding import Binding, BindingType

from studyapp.core.grades import Rating
from studyapp.tui.screens.review_attempt import CHOOSE
from studyapp.tui.screens.review_edit import ReviewEdit

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
KEYS: list[BindingType] = [
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
    Binding("m", "more", "", id="review.more", show=False, tooltip="Its place in the lesson; at the end, more"),
    Binding("s", "spread(True)", "spread it", id="review.spread", tooltip="Part now, the rest over days"),
    Binding("a", "further", "ahead", id="review.further", tooltip="All that is due, or cards of the next days"),
    Binding("c", "cram", "cram", id="review.cram", tooltip="Go over cards that are not due; moves nothing"),
    Binding("exclamation_mark", "correct", "", show=False, id="review.correct", tooltip="Correct the card"),
    Binding("down,j", "move(1)", "", id="review.down", show=False, tooltip="The next key point"),
    Binding("pagedown,ctrl+d", "scroll(8)", "", id="review.pagedown", show=False, tooltip="Scroll down"),
    Binding("pageup,ctrl+u", "scroll(-8)", "", id="review.pageup", show=False, tooltip="Scroll up"),
    Binding("up,k", "move(-1)", "", id="review.up", show=False, tooltip="The key point before"),
    Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; all is saved"),
]


class ReviewKeys(ReviewEdit):
    """Offers only what does something now."""

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
        if self.paused:
            return [replace(b, description="go on", show=True) if b.id == "grade.suggested" else b for b in found]
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
