"""Answering from a script and taking answers back: `answer` and `undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.cards import RATINGS, due_of, find_card
from studyapp.cli.group import words
from studyapp.cli.output import plural, print_data, say
from studyapp.core.days import day_to_iso, instant_of
from studyapp.core.errors import StudyError, UsageError
from studyapp.core.manual import verb

if TYPE_CHECKING:
    from studyapp.core.reviews import Rating, ReviewRow
    from studyapp.study.reviewing import Graded


class NothingToUndoError(StudyError):
    """There is no answer that could be taken back."""

    kind = "nothing"


@words("answer", data=True)
@click.argument("card")
@click.argument("rating")
@click.pass_obj
def answer_command(call: Call, card: str, rating: str) -> int:
    """Store one answer without showing the card.

    CARD is its id; RATING is 1 to 4, or again, hard, good, easy.
    """
    grade = _rating(rating)
    with call.desk() as desk:
        from studyapp.study.reviewing import Sitting

        found = find_card(desk, card)
        if found.hidden:
            raise UsageError(f"{found.id} is no longer in its lesson.", "Its history is kept for its return.")
        sitting = Sitting(desk)
        showing = sitting.show(found.id)
        assert showing is not None  # the card was there a moment ago, and cards are never deleted
        graded = sitting.grade(showing, grade, duration_ms=0)
        call.refresh(desk, changed=True)
    if call.json:
        print_data(_answer_fields(graded))
    else:
        after = graded.answered.after
        said = f"It comes back {_when_back(graded, call)}."
        often = f"Forgotten {after.lapses} times:"
        if graded.put_away:
            said = f"{often} it is suspended."
        elif graded.leech:
            said = f"{said} {often} worth rewriting."
        say(f"Stored: {found.id}, {grade.name.lower()}. {said}")
    return 0


def _when_back(graded: Graded, call: Call) -> str:
    """Return when the card is due, a step by the learner's own clock."""
    after = graded.answered.after
    if after.interval_days or after.due_at_ms is None:
        return f"in {plural(after.interval_days, 'day')}, on {due_of(after)}"
    minutes = max(1, round(graded.answered.delay_ms / 60_000))
    local = instant_of(after.due_at_ms).astimezone(call.settings.clock().zone)
    return f"in {plural(minutes, 'minute')}, at {local:%H:%M}"


def _rating(text: str) -> Rating:
    from studyapp.core.reviews import Rating

    word = text.lower()
    if word in RATINGS:
        return Rating(RATINGS.index(word) + 1)
    if word in ("1", "2", "3", "4"):
        return Rating(int(word))
    raise UsageError(f"{text!r} is no rating.", "Give 1, 2, 3 or 4, or again, hard, good or easy.")


def _answer_fields(graded: Graded) -> dict[str, Any]:
    after = graded.answered.after
    return {
        "card": graded.row.card,
        "rating": graded.row.rating,
        "interval_days": graded.answered.interval_days,
        "due": due_of(after),
        "study_day": day_to_iso(graded.row.study_day),
        "stability": after.stability,
        "difficulty": after.difficulty,
        "state": after.state.name.lower(),
        "leech": graded.leech,
        "suspended": graded.put_away,
    }


@words("undo", data=True)
@click.pass_obj
def undo_command(call: Call) -> int:
    """Take back the latest answer, or a card put away.

    With all that went with it, at any depth, whenever it was; the log keeps both.
    """
    with call.desk() as desk:
        from studyapp.study.reviewing import Sitting

        voided = Sitting(desk).undo()
        if voided is None:
            raise NothingToUndoError("There is nothing to take back.")
        card = find_card(desk, voided.card)
        call.refresh(desk, changed=True)
    if call.json:
        print_data(_undo_fields(voided) | {"due": due_of(card.memory), "state": card.memory.state.name.lower()})
    else:
        word = f"{RATINGS[voided.rating - 1]}, answered" if voided.rating else verb(voided.action)
        what = f"{voided.card}, {word}" if word != "reschedule" else "the reschedule of all cards"
        say(f"Taken back: {what} on {day_to_iso(voided.study_day)}.")
    return 0


def _undo_fields(row: ReviewRow) -> dict[str, Any]:
    return {
        "card": row.card,
        "rating": row.rating,
        "action": verb(row.action) or "answer",
        "answered_at": instant_of(row.at_ms).isoformat(),
        "study_day": day_to_iso(row.study_day),
    }
