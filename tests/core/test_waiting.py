"""A queue over more cards than it holds: the same cards in the same order, fetched as they are needed."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.queue import Done, Limits, Queue, QueueRow, relative_overdueness
from studyapp.core.reviews import Memory, State
from studyapp.core.waiting import HELPING, LongQueue

TODAY = 739_000
NOW = 1_768_000_000_000
DONE = Memory(state=State.REVIEW, due_day=TODAY + 3, last_day=TODAY)


class Rows:
    """Cards that wait, as a store has them: an answered or buried one is there no more."""

    def __init__(self, reviews: list[QueueRow], steps: list[QueueRow]) -> None:
        self.due = {row.card: row for row in reviews}
        self.on_step = {row.card: row for row in steps}
        self.fetched = 0

    def counted(self) -> tuple[int, int]:
        return len(self.due), len(self.on_step) - len(self.soon())

    def soon(self) -> list[int]:
        times = (row.due_at_ms or 0 for row in self.on_step.values())
        return sorted(at_ms for at_ms in times if at_ms > NOW)

    def reviews(self, most: int) -> list[QueueRow]:
        self.fetched += most
        return sorted(self.due.values(), key=lambda row: (relative_overdueness(row, TODAY), row.card))[:most]

    def steps(self, most: int) -> list[QueueRow]:
        self.fetched += most
        return sorted(self.on_step.values(), key=lambda row: (row.due_at_ms or 0, row.card))[:most]

    def row(self, card: str) -> QueueRow | None:
        return self.due.get(card) or self.on_step.get(card)

    def answered(self, card: str, after: Memory) -> None:
        self.gone(card)
        if after.state is State.LEARNING:
            self.on_step[card] = QueueRow(card, after.state, due_at_ms=after.due_at_ms, last_day=TODAY)

    def gone(self, card: str) -> None:
        self.due.pop(card, None)
        self.on_step.pop(card, None)


def cards(reviews: int, late: int, seed: int) -> tuple[list[QueueRow], list[QueueRow]]:
    draw, step = random.Random(seed), 2**0.5 / 10  # no two are equally overdue: a limit would cut either
    due = [
        QueueRow(
            f"r{n}", State.REVIEW, due_day=TODAY, stability=1 + n * step, last_day=TODAY - draw.randrange(1, 90)
        )
        for n in range(reviews)
    ]
    times = [NOW - 1 - n * 1000 for n in range(late)] + [NOW + 1 + n * 77_000 for n in range(late // 3)]
    return due, [QueueRow(f"s{n}", State.LEARNING, due_at_ms=at_ms) for n, at_ms in enumerate(times)]


def a_pair(
    due: list[QueueRow], late: list[QueueRow], new: int = 0, limits: Limits | None = None, done: Done | None = None
) -> tuple[Queue, LongQueue, Rows]:
    limits = limits or Limits(new_per_day=9, reviews_per_day=10_000)
    fresh = [QueueRow(f"n{n}", State.NEW, ordinal=n) for n in range(new)]
    waiting = Rows(due, late)
    return (
        Queue(due, late, fresh, limits=limits, today=TODAY, done=done),
        LongQueue(waiting, fresh, limits=limits, today=TODAY, now_ms=NOW, done=done),
        waiting,
    )


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 400),
    st.integers(0, 300),
    st.integers(0, 12),
    st.integers(0, 500),
    st.integers(0, 60),
    st.data(),
)
def test_it_gives_the_cards_and_counts_of_a_queue_that_holds_them_all(
    reviews: int, late: int, new: int, limit: int, had: int, data: st.DataObject
) -> None:
    limits = Limits(new_per_day=9, reviews_per_day=limit)
    plain, long, waiting = a_pair(*cards(reviews, late, 1), new, limits, Done(reviews=had))
    draw = random.Random(data.draw(st.integers(0, 99)))
    now_ms = NOW
    while True:
        assert long.counts(now_ms) == plain.counts(now_ms)
        wanted = plain.next(now_ms)
        assert long.next(now_ms) == wanted
        if wanted is None:
            break
        now_ms += draw.randrange(9000)
        again = Memory(state=State.LEARNING, step=0, due_at_ms=now_ms + draw.randrange(1800_000), last_day=TODAY)
        after = again if draw.random() < 0.1 else DONE
        waiting.answered(wanted.card, after)
        for queue in (plain, long):
            queue.answered(wanted.card, after, now_ms)


def test_only_as_many_cards_are_fetched_as_are_shown() -> None:
    _, queue, waiting = a_pair(*cards(50_000, 0, 1))

    assert queue.counts(NOW).review == 10_000
    assert queue.counts(NOW).held_back == 40_000
    for _ in range(HELPING):
        row = queue.next(NOW)
        assert row is not None
        waiting.gone(row.card)
        queue.answered(row.card, DONE, NOW)

    assert waiting.fetched == HELPING


def test_a_card_that_was_put_away_before_it_was_fetched_is_neither_shown_nor_counted() -> None:
    _, queue, waiting = a_pair(*cards(200, 100, 1))
    assert queue.next(NOW) is not None

    for card in ("r199", "s99", "elsewhere"):
        waiting.gone(card)
        queue.drop(card)
        queue.drop(card)

    counts = queue.counts(NOW)
    assert (counts.review, counts.learning) == (199, 99 + 16)  # 16 more come within the learn-ahead time
    seen = []
    while (row := queue.next(NOW)) is not None:
        seen.append(row.card)
        waiting.gone(row.card)
        queue.answered(row.card, DONE, NOW)
    assert len(seen) == len(set(seen)) == 298 + 16
    assert {"r199", "s99"}.isdisjoint(seen)


def test_cards_answered_in_another_window_end_the_sitting_earlier() -> None:
    due, late = cards(200, 100, 1)
    _, queue, waiting = a_pair(due, late)
    assert queue.next(NOW) is not None
    for row in (*due[150:], *late[90:]):
        waiting.gone(row.card)

    seen = []
    while (found := queue.next(NOW)) is not None:
        seen.append(found.card)
        waiting.gone(found.card)
        queue.answered(found.card, DONE, NOW)

    assert len(seen) == len(set(seen))
    assert len(seen) <= 333
    assert queue.counts(NOW).due == 0


def test_a_card_taken_back_is_first_also_where_it_was_not_fetched() -> None:
    due, late = cards(300, 90, 1)
    for card in ("r299", "s89", "s95"):
        limits = Limits(new_per_day=0, reviews_per_day=500)
        queue = LongQueue(Rows(due, late), [], limits=limits, today=TODAY, now_ms=NOW, first=card)
        row = queue.next(NOW)

        assert row is not None
        assert row.card == card
        assert queue.counts(NOW).due == 390 + 16


def test_of_what_was_fetched_the_card_after_this_one_may_come_next() -> None:
    reviews = [
        QueueRow(f"r{n}", State.REVIEW, due_day=TODAY, stability=10.0, last_day=TODAY - n) for n in range(4)
    ]
    new = [QueueRow(f"n{n}", State.NEW, ordinal=n) for n in range(3)]
    rows = Rows(reviews, [])
    limits = Limits(new_per_day=9, reviews_per_day=200)
    queue = LongQueue(rows, new, limits=limits, today=TODAY, now_ms=NOW)
    coming: list[str | None] = []
    seen: list[str] = []
    while (row := queue.next(NOW)) is not None:
        fetched = rows.fetched
        coming.append(queue.coming(row.card))
        assert (rows.fetched, queue.next(NOW)) == (fetched, row)
        seen.append(row.card)
        rows.answered(row.card, DONE)
        queue.answered(row.card, DONE, NOW)

    assert len(seen) == 7
    assert coming == [*seen[1:], None]
