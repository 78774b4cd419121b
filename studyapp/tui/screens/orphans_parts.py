"""The parts of the orphans screen as Content: a row for each, and what is known of one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from studyapp.core.percent import percent
from studyapp.core.policy import Policy
from studyapp.core.reviews import ReviewRow
from studyapp.tui.screens import browse_parts
from studyapp.tui.widgets.bars import clean_place, shortened
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard
    from studyapp.study.settling import Lost

NONE = (
    "No card with a history has left its file. When one does, because its text was deleted or its id changed, it "
    "waits here with all that was answered."
)
ANSWERS = 13
"""Columns of the number of answers."""
NARROW = 56
"""Columns below which the list does not tell how alike the nearest card is."""


def head(count: int, width: int) -> list[Content]:
    """Return what the list is about."""
    some = "1 answered card is" if count == 1 else f"{count} answered cards are"
    words = f"{some} in no file any more. What was answered stays, and another card can go on with it."
    return Content.styled(words if count else NONE, "$s-muted").wrap(width)


def _one_line(prompt: str) -> str:
    from studyapp.decks.md_plain import plain_line  # brings the Markdown parser

    return clean_place(plain_line(prompt))


def row(lost: Lost, width: int, *, here: bool) -> Content:
    """Return one card's row: how often it was answered, its question, how like the nearest card is."""
    answers = "1 answer" if lost.orphan.answers == 1 else f"{lost.orphan.answers} answers"
    alike = f"{percent(lost.orphan.likeness)} alike" if lost.near is not None else "none alike"
    parts = [("▌ " if here else "  ", "$s-sky"), (answers.ljust(ANSWERS), "$s-muted")]
    if width >= NARROW:
        parts.append((f"{alike:13}", "$s-text" if lost.near is not None else "$s-muted"))
    room = max(8, width - sum(len(text) for text, _ in parts))
    text = Content(_one_line(lost.orphan.prompt)).truncate(room, ellipsis=True)
    return Content.assemble(*parts, text.stylize_before("bold $s-bright" if here else "$s-text"))


def known(
    lost: Lost, answers: Sequence[ReviewRow], today: int, policy: Policy, size: tuple[int, int], ascii_only: bool
) -> list[Content]:
    """Return what is known of a card that left, and the card that may be it.

    Args:
        lost: The card.
        answers: Those that count, oldest first.
        today: The study day.
        policy: Whose forgetting curve.
        size: Columns and rows there are.
        ascii_only: Draw with ASCII glyphs.
    """
    (width, height), card = size, lost.found.card
    tail = [browse_parts.history(answers, width, ascii_only)]
    tail += browse_parts.forgetting(card.memory, today, policy, width, 1, ascii_only)
    tail.append(_place(lost, width))
    now = [Content(""), *_side("now", lost.near, width, 2)] if lost.near is not None else []
    room = max(1, height - 1 - len(tail) - len(now))
    return [Content.styled("─" * width, "$s-track"), *_side("was", card, width, room), *tail, *now]


def _side(name: str, card: StoredCard, width: int, rows: int) -> list[Content]:
    """Return a card's question, and its answer as far as there is room."""
    asked = shortened(Content(_one_line(card.prompt)), width - 5, 2 if rows > 2 else 1)
    lines = [line.stylize_before("bold $s-bright") for line in asked]
    answer = prose(card.answer, width - 5)
    room = max(0, rows - len(lines))
    if len(answer) > room > 0:
        answer = [*answer[: room - 1], Content.assemble(answer[room - 1].rstrip(), (" …", "$s-muted"))]
    lines += answer[:room]
    return [Content.assemble((f"{name if not at else '':5}", "$s-muted"), line) for at, line in enumerate(lines)]


def _place(lost: Lost, width: int) -> Content:
    """Return where the card stood, and its id."""
    card = lost.found.card
    lapses = "1 lapse" if card.memory.lapses == 1 else f"{card.memory.lapses} lapses"
    words = clean_place(f"{card.path.rpartition('/')[2]}:{card.line}, {lapses}, id {card.id}")
    return Content.styled(f"left     {words}", "$s-muted").truncate(width, ellipsis=True)


def question(lost: Lost, card: StoredCard, width: int) -> list[Content]:
    """Return the two cards side by side, for the learner to say whether they are one."""
    lines = [*_side("was", lost.found.card, width, 3), *_side("now", card, width, 3), Content("")]
    answers = "Its answer" if lost.orphan.answers == 1 else f"Its {lost.orphan.answers} answers"
    says = f"{answers} and its schedule go on under the card as it is now."
    if not card.explicit_id:
        says += " That card has no id of its own, so this cannot be taken back."
    return [*lines, *Content.styled(says, "$s-muted").wrap(width)]
