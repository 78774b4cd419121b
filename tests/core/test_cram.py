"""The order of a cram and what fills a timebox."""

from __future__ import annotations

import pytest

from studyapp.core.cram import CRAM, RETURN_AFTER, Beyond, CramQueue, ahead
from studyapp.core.queue import QueueRow
from studyapp.core.reviews import Rating, State
from studyapp.core.timebox import LONGEST_CARD_S, Timebox


def queue_of(*cards: str) -> CramQueue:
    return CramQueue([QueueRow(card, State.REVIEW) for card in cards])


def order(queue: CramQueue, *fails: str) -> list[str]:
    """Answer to the end; each card named in `fails` is failed once for each time it is named."""
    left, seen = list(fails), []
    while (row := queue.next(0)) is not None:
        seen.append(row.card)
        failed = row.card in left
        if failed:
            left.remove(row.card)
        queue.answered(row.card, Rating.AGAIN if failed else Rating.GOOD)
        assert len(seen) < 100, "the cram never ends"
    return seen


def test_a_failed_card_returns_after_four_others() -> None:
    assert order(queue_of(*"abcdefg"), "a") == [*"abcde", "a", *"fg"]
    assert RETURN_AFTER == 4


def test_near_the_end_a_failed_card_returns_sooner_and_every_card_ends_with_good() -> None:
    assert order(queue_of(*"abc"), "c", "c", "b") == ["a", "b", "c", "b", "c", "c"]


def test_a_cram_of_one_card_asks_it_until_it_is_good() -> None:
    assert order(queue_of("a"), "a", "a") == ["a", "a", "a"]


@pytest.mark.parametrize(("rating", "left"), [(1, 1), (2, 1), (3, 0), (4, 0)])
def test_good_and_easy_end_a_card_again_and_hard_do_not(rating: int, left: int) -> None:
    queue = queue_of("a")
    queue.answered("a", Rating(rating))
    assert (queue.counts(0).due, queue.counts(0).learning) == (left, left)


def test_siblings_let_another_card_pass_where_there_is_one() -> None:
    assert order(queue_of("n:1", "n:2", "b", "n:3")) == ["n:1", "b", "n:2", "n:3"]


def test_an_answer_taken_back_is_asked_first_and_no_longer_counts_as_failed() -> None:
    queue = queue_of("a", "b")
    queue.answered("a", Rating.AGAIN)
    queue.answered("b", Rating.GOOD)
    queue.take_back("b")
    assert order(queue) == ["b", "a"]
    queue.take_back("a")
    assert queue.counts(0).learning == 0
    queue.take_back("unknown")
    assert order(queue) == ["a"]


def test_time_away_from_a_card_does_not_fill_the_box() -> None:
    box = Timebox(5)
    box.spend(3600)
    assert not box.over
    box.spend(2 * 60)
    box.spend(5 * 60 - 2 * LONGEST_CARD_S)
    assert box.over
    assert box.words(1) == "5 minutes are over: 3 cards answered, 1 waits."
    box.begin_again()
    assert not box.over


def test_a_box_of_no_minutes_is_never_full() -> None:
    box = Timebox(0)
    box.spend(100)
    assert not box.over


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        (CRAM, "cram"),
        (ahead(1), "1 day ahead"),
        (Beyond(None, moves=True), "cram, reviews"),
        (Beyond(3, moves=False), "3 days ahead, moves nothing"),
    ],
)
def test_a_sitting_is_called_by_what_it_does(wish: Beyond, title: str) -> None:
    assert wish.title == title


def test_in_a_cram_the_card_after_this_one_may_come_next() -> None:
    assert queue_of(*"abc").coming("a") == "b"
    assert queue_of("a").coming("a") is None
