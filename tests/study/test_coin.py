"""The coin in practice: counted from the day it was taken up, on cards with an experiment, over both arms."""

from __future__ import annotations

from collections.abc import Callable

from studyapp.core.coin import PREDICT, arm, needed
from studyapp.core.reviews import Kind, Rating
from studyapp.study.coin import compare, take_up
from studyapp.study.desk import Desk
from studyapp.study.reading import finish
from studyapp.study.reviewing import Sitting
from tests.study.conftest import Watch


def answer_all(desk: Desk, rating: Rating) -> int:
    sitting, count = Sitting(desk), 0
    while (showing := sitting.next()) is not None:
        sitting.grade(showing, rating, duration_ms=1000)
        count += 1
    return count


def test_only_next_day_answers_since_the_coin_was_taken_up_are_compared(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    finish(desk, "demo", None)
    assert compare(desk) is None
    answer_all(desk, Rating.EASY)

    watch.set("2026-04-20T10:00")
    since = take_up(desk)
    assert take_up(desk) == since
    found = compare(desk)
    assert found is not None
    assert (found.predict.total, found.plain.total) == (0, 0)
    assert found.lacking == needed()

    counted = answer_all(desk, Rating.GOOD)

    found = compare(desk)
    assert found is not None
    cards = [row.card for row in desk.store.reviews() if row.at_ms >= since and row.kind is Kind.REVIEW]
    assert len(cards) < counted  # some were new: no recall after a day or more
    assert found.predict.total + found.plain.total == len(cards)
    assert found.predict.total == sum(arm(card) == PREDICT for card in cards)
    assert (found.predict + found.plain).value == 1.0
    assert (found.growth_predict or found.growth_plain or 0) > 1
    assert found.predicted == 0


def test_an_answer_taken_back_is_not_counted(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    finish(desk, "demo", None)
    answer_all(desk, Rating.EASY)
    watch.set("2026-04-20T10:00")
    take_up(desk)
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.AGAIN, duration_ms=1000)

    sitting.undo()

    found = compare(desk)
    assert found is not None
    assert (found.predict + found.plain).total == 0
