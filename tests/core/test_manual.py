from __future__ import annotations

from dataclasses import replace

from studyapp.core.manual import Marks, goes_with, going_with, marks, verb
from studyapp.core.replay import fold, replay_all
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.core.scheduling import Policy

ROW = ReviewRow("a" * 32, "d" * 32, 1, "card", 0, Kind.MANUAL, 0, 0, "UTC", 739_000)
MEMORY = Memory(State.REVIEW, None, 5.0, 5.0, 739_005, None, 739_000, 2, 0, 5)


def by_hand(*actions: str) -> list[ReviewRow]:
    return [replace(ROW, action=action) for action in actions]


def test_the_last_word_on_a_card_counts() -> None:
    assert marks([]) == Marks()
    assert marks(by_hand("suspend", "bury 739001", "unsuspend", "bury 739009")) == Marks(False, 739_009)
    assert marks(by_hand("bury 739001", "unbury", "suspend with " + "a" * 32)) == Marks(True, None)
    assert marks(by_hand("reschedule", "reset", "something newer 7")) == Marks()
    assert marks([replace(ROW, kind=Kind.REVIEW, action="suspend")]) == Marks()


def test_a_row_that_went_with_another_names_it() -> None:
    assert goes_with(replace(ROW, action=going_with("bury 7", "ab"))) == "ab"
    assert goes_with(replace(ROW, action="bury 7")) is None
    assert verb(going_with("suspend", "ab")) == "suspend"


def test_putting_a_card_away_on_one_machine_keeps_the_answer_given_on_another() -> None:
    suspended = replace(ROW, before=Memory(), after=Memory(), action="suspend", at_ms=9)
    answered = replace(ROW, uid="b", device="e", kind=Kind.LEARN, rating=3, before=Memory(), after=MEMORY, at_ms=5)

    assert replay_all([suspended, answered], lambda _: Policy()) == {"card": MEMORY}


def test_a_new_due_day_holds_for_the_memory_it_was_worked_out_from() -> None:
    later = replace(MEMORY, due_day=739_050, interval_days=50)
    moved = replace(ROW, before=MEMORY, after=later, action="reschedule")
    answered = replace(ROW, kind=Kind.LEARN, rating=3, before=Memory(), after=MEMORY)

    assert fold([answered, moved], lambda _: Policy()) == later
    assert fold([moved], lambda _: Policy()) == Memory()
    assert fold([answered, replace(moved, after=Memory(), before=later)], lambda _: Policy()) == Memory()


def test_an_answer_dated_ahead_is_replayed_on_the_day_of_its_neighbours() -> None:
    day_ms = 86_400_000
    before = replace(ROW, uid="b", counter=1, kind=Kind.LEARN, rating=3, card="other", at_ms=19_838 * day_ms)
    ahead = replace(
        ROW,
        uid="c",
        counter=2,
        kind=Kind.LEARN,
        rating=4,
        at_ms=before.at_ms + 730 * day_ms,
        study_day=739_731,
        before=Memory(),
        after=replace(MEMORY, last_day=739_731),
        clock_ahead=True,
    )

    memory = replay_all([before, ahead], lambda _: Policy())["card"]

    assert (memory.last_day, memory.reps) == (739_000, 1)
    assert replay_all([before, replace(ahead, clock_ahead=False)], lambda _: Policy())["card"].last_day == 739_731


def test_a06_an_answer_dated_ahead_after_a_clock_set_back_goes_to_the_latest_day_before_it() -> None:
    day_ms = 86_400_000
    first = replace(ROW, uid="b", counter=1, kind=Kind.LEARN, rating=3, card="other", at_ms=19_838 * day_ms)
    back = replace(first, uid="c", counter=2, card="third", at_ms=first.at_ms - 400 * day_ms)
    ahead = replace(
        first,
        uid="d",
        counter=3,
        card="card",
        at_ms=first.at_ms + 730 * day_ms,
        study_day=739_731,
        clock_ahead=True,
    )

    memory = replay_all([first, back, ahead], lambda _: Policy())["card"]

    assert memory.last_day == 739_000
