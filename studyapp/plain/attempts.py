"""Cards that are answered before the reveal, in lines: a number, a typed line, options by their number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studyapp.core.attempts import CHOICE, NUMERIC, TYPED, Attempt, Mark, Piece, attempt
from studyapp.core.choices import Choice, judge_choice, order, read_choice
from studyapp.plain.talk import Talk
from studyapp.study.reviewing import Showing


def choice_of(showing: Showing) -> Choice | None:
    """Return a card's options, or None."""
    return read_choice(showing.card.answer) if showing.card.kind == CHOICE else None


def invitation(showing: Showing) -> str:
    """Return what the learner is asked to do before the answer is shown."""
    choice = choice_of(showing)
    if choice is not None:
        number = "numbers of your choice, as in 1 3" if len(choice.right) > 1 else "number of your choice"
        return f"Say it, then give the {number}; enter alone shows the answer,"
    if showing.card.kind == NUMERIC:
        return "Give a number with its unit; enter alone shows the answer,"
    if showing.card.kind == TYPED:
        return "Type the answer; enter alone shows it,"
    return "Say the answer aloud, then press enter;"


def ask_options(showing: Showing, talk: Talk) -> None:
    """Print the options of a choice, numbered, in the order of this showing."""
    choice = choice_of(showing)
    if choice is None:
        return
    for number, at in enumerate(order(len(choice.options), showing.key), 1):
        talk.markdown(f"{number}. {choice.options[at].text}")


def weigh(showing: Showing, said: str) -> Attempt | None:
    """Return how an attempt compares, or None where it says nothing that could be compared.

    Args:
        showing: The card on show.
        said: What was typed: a line, or numbers of options.
    """
    choice = choice_of(showing)
    if choice is None:
        return attempt(showing.card.kind, showing.card.answer, said) if said else None
    shown = order(len(choice.options), showing.key)
    numbers = [int(word) for word in re.split(r"[\s,;+]+", said) if word.isdigit() and len(word) < 3]
    if not numbers or not all(1 <= number <= len(shown) for number in numbers):
        return None
    return judge_choice(choice, {shown[number - 1] for number in numbers})


def compared(pieces: Sequence[Piece]) -> list[str]:
    """Return what a typed answer lacks and what it has too much, in words: brackets are not heard.

    >>> compared([Piece(Mark.SAME, "pin"), Piece(Mark.MISSING, "_memory")])
    ['Missing: _memory.']
    """
    parts = {Mark.MISSING: "Missing", Mark.EXTRA: "Too much"}
    told = {
        name: [p.text.strip() for p in pieces if p.mark is mark and p.text.strip()] for mark, name in parts.items()
    }
    return [f"{name}: {', '.join(texts)}." for name, texts in told.items() if texts]


def tell(showing: Showing, tried: Attempt | None, talk: Talk) -> None:
    """Print how the attempt compares, and the answer."""
    if tried is not None:
        fit = f": {tried.fit.value}." if tried.fit is not None else "."
        talk.say(f"You said {tried.said}{fit}{' ' + tried.words if tried.words else ''}")
        if tried.pieces:
            talk.say(*compared(tried.pieces))
    talk.say("Answer:")
    choice = choice_of(showing)
    if choice is None:
        talk.markdown(showing.card.answer)
        return
    for number, at in enumerate(order(len(choice.options), showing.key), 1):
        if choice.options[at].right:
            talk.markdown(f"{number}. {choice.options[at].text}")
    if choice.rest:
        talk.markdown(choice.rest)
