"""What is given before the reveal: a number or a line that is typed, options that are chosen by their digits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content

from studyapp.tui.screens.review_ends import ReviewEnds
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.core.attempts import Attempt
    from studyapp.core.choices import Choice

FIRST = {"numeric": "NUMBER FIRST", "typed": "TYPE IT FIRST", "choice": "CHOOSE FIRST"}
"""The eyebrow above a question, by kind; other kinds are said."""
FIT_STYLES = {"RIGHT": "$s-good", "NEAR": "$s-hard", "OFF": "$s-again"}
_PIECES = {"SAME": ("", "$s-text", ""), "EXTRA": ("[-", "$s-again", "-]"), "MISSING": ("{+", "$s-good", "+}")}
"""By name: the first paint need not wait for what compares them."""
CHOOSE = tuple(
    Binding(str(digit), f"choose({digit})", "", id=f"choose.{digit}", show=False, tooltip=f"Choose option {digit}")
    for digit in range(5, 10)
)
"""The digits that are no grades."""
_SIDE = 7
"""Columns before an option once the answer is shown: a word of `_SIDES` or nothing."""
_SIDES = {"right": "$s-good", "missed": "$s-hard", "wrong": "$s-again"}
"""What is said of an option, with its style; who chose none missed none."""


@lru_cache(maxsize=8)
def _hint(words: str, width: int) -> tuple[Content, ...]:
    """Return what is asked of the learner, wrapped; kept, since the thinking bar draws it at every move."""
    return tuple(Content.styled(words, "$s-muted").wrap(width))


class ReviewAttempt(ReviewEnds):
    """Keeps the attempt of the card on screen, and draws it."""

    def __init__(self) -> None:
        super().__init__()
        self.attempt: Attempt | None = None
        self.chosen: set[int] = set()
        """Options chosen, by their number in the lesson, from 0."""

    @property
    def kind(self) -> str:
        """Return how the card on screen is asked: a choice whose options are gone is a question."""
        if self.showing is None:
            return ""
        from studyapp.core.attempts import CHOICE

        kind = self.showing.card.kind
        return "basic" if kind == CHOICE and self.choice is None else kind

    @property
    def first_word(self) -> str:
        """Return the eyebrow above the question."""
        return FIRST.get(self.kind, "SAY IT FIRST")

    @property
    def is_typed(self) -> bool:
        """Whether this card is answered on the keyboard before it is revealed."""
        from studyapp.core.attempts import ATTEMPTED, CHOICE

        return self.kind in ATTEMPTED and self.kind != CHOICE

    @property
    def choice(self) -> Choice | None:
        """Return the options of the card on screen, or None."""
        card = self.showing.card if self.showing is not None else None
        if card is None:  # in the first frame, which need not wait for what compares
            return None
        from studyapp.core.attempts import CHOICE

        if card.kind != CHOICE:
            return None
        from studyapp.core.choices import read_choice

        return read_choice(card.answer)

    def forget_attempt(self) -> None:
        """Begin a new card."""
        self.attempt, self.chosen = None, set()

    def chooses(self, digit: int) -> bool:
        """Return whether a digit stands for an option now."""
        choice = None if self.revealed else self.choice
        return choice is not None and 1 <= digit <= len(choice.options)

    def choose(self, digit: int) -> None:
        """Take the option with this number, or leave it; where one alone is right, it takes the other's place."""
        choice = self.choice
        if choice is None or self.showing is None or not self.chooses(digit):
            return
        from studyapp.core.choices import order

        at = order(len(choice.options), self.showing.key)[digit - 1]
        self.chosen = self.chosen ^ {at} if len(choice.right) > 1 else set() if at in self.chosen else {at}
        self._tick()

    def _tick(self) -> None:
        raise NotImplementedError

    def weigh_choice(self) -> None:
        """Compare what was chosen with what is right."""
        from studyapp.core.choices import judge_choice

        choice = self.choice
        if choice is not None:
            self.attempt = judge_choice(choice, {at for at in self.chosen if at < len(choice.options)})

    @property
    def digits(self) -> str:
        """Return the digits that choose now, "1–4", or ""."""
        choice = None if self.revealed else self.choice
        return f"1–{len(choice.options)}" if choice is not None else ""

    def action_choose(self, digit: int) -> None:
        """Choose an option, or leave it, before the answer is shown."""
        if not self.stale_key:
            self.choose(digit)

    def asked_lines(self, width: int) -> tuple[list[Content], list[Content]]:
        """Return the options under a question, in the order of this showing, and what is asked of the learner."""
        choice = self.choice
        if choice is None:
            words = "Say the answer out loud. Recalling it is what makes it stick."
            return [], list(_hint(words, width))
        several = "several are right" if len(choice.right) > 1 else "one is right"
        hint = _hint(f"Say it, then choose: {several}.", width)
        return [*self._options(choice, width, told=False), Content("")], list(hint)

    def _options(self, choice: Choice, width: int, *, told: bool) -> list[Content]:
        from studyapp.core.choices import order

        assert self.showing is not None
        several = len(choice.right) > 1
        lines: list[Content] = []
        for number, at in enumerate(order(len(choice.options), self.showing.key), 1):
            option, picked = choice.options[at], at in self.chosen
            box = ("[x] " if picked else "[ ] ") if several else ("(x) " if picked else "( ) ")
            word = ""
            if told and option.right:
                word = "missed" if several and self.chosen and not picked else "right"
            elif told and picked:
                word = "wrong"
            style = _SIDES.get(word) or ("$s-bright" if picked else "$s-muted")
            side = word.ljust(_SIDE) if told else f"{number}  "
            room = max(8, width - len(side) - len(box))
            for row, line in enumerate(prose(option.text, room)):
                lead = side + box if row == 0 else " " * (len(side) + len(box))
                lines.append(Content.assemble((lead, style), line))
        return lines

    def told_lines(self, width: int) -> list[Content]:
        """Return what the learner gave beside what is right; it stands above the answer while that is shown."""
        lines: list[Content] = []
        choice = self.choice
        if choice is not None:
            lines = self._options(choice, width, told=True)
        tried = self.attempt
        if tried is not None and (tried.said or tried.words):
            parts = [*self._said(tried), *self._compared(tried)]
            lines += [line for part in parts for line in part.wrap(max(8, width))]
        return lines

    def _said(self, tried: Attempt) -> Sequence[Content]:
        fit = (f"{tried.fit.value}  ", f"bold {FIT_STYLES[tried.fit.name]}") if tried.fit is not None else ("", "")
        words = (clean_place(tried.words), "$s-muted")
        from studyapp.core.attempts import CHOICE

        if self.kind == CHOICE:
            return [Content(""), Content.assemble(fit, words)] if tried.fit is not None else []
        said = (f"{clean_place(tried.said)}  ", "$s-text")
        return [Content.assemble(("you said  ", "$s-you"), said, fit, words).rstrip()]

    def _compared(self, tried: Attempt) -> Sequence[Content]:
        if not tried.pieces:
            return []
        found: list[tuple[str, str]] = [("compared  ", "$s-muted")]
        for piece in tried.pieces:
            opens, style, closes = _PIECES[piece.mark.name]
            found.append((f"{opens}{clean_place(piece.text)}{closes}", style))
        return [Content.assemble(*found)]
