from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.optimising import (
    ENOUGH_REVIEWS,
    LONGEST_HISTORY,
    MOST_REVIEWS,
    Entry,
    Fit,
    History,
    decide,
    history_of,
    pack,
    split_day,
    supply,
    trainable,
    unpack,
)
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS
from studyapp.core.reviews import Kind

TODAY = 739_617
GOOD_FIT = Fit(DEFAULT_PARAMETERS, 500, 100, 0.35, 0.34)


def entry(kind: str, days_ago: int, rating: int = 3, action: str = "") -> Entry:
    kinds = {"L": Kind.LEARN, "R": Kind.REVIEW, "X": Kind.RELEARN, "C": Kind.CRAM, "M": Kind.MANUAL}
    return Entry(kinds[kind], 0 if kind == "M" else rating, TODAY - days_ago, action)


def log(*entries: tuple[str, int]) -> list[Entry]:
    return [entry(kind, days_ago) for kind, days_ago in entries]


# vector 16 of the conformance list


def test_deltas_are_differences_of_study_days() -> None:
    found = history_of(log(("L", 15), ("L", 13), ("R", 10), ("R", 5)))

    assert found is not None
    assert found.deltas == (0, 2, 3, 5)
    assert found.days == (TODAY - 15, TODAY - 13, TODAY - 10, TODAY - 5)
    assert found.usable() == 3


def test_cram_and_manual_rows_are_ignored() -> None:
    plain = log(("L", 15), ("L", 13), ("R", 10), ("R", 5))
    mixed = [*plain[:2], entry("C", 12), entry("M", 11, action="bury 3"), *plain[2:], entry("C", 1)]

    assert history_of(mixed) == history_of(plain)


def test_a_reset_drops_everything_before_it() -> None:
    before = log(("L", 60), ("R", 50), ("R", 20))

    assert history_of([*before, entry("M", 16, action="reset with 0a"), *log(("L", 15), ("R", 10))]) == history_of(
        log(("L", 15), ("R", 10))
    )
    assert history_of([*before, entry("M", 16, action="reset")]) is None


def test_a_card_whose_beginning_is_missing_is_left_out() -> None:
    assert history_of(log(("R", 10), ("R", 5))) is None
    assert history_of(log(("X", 10), ("L", 9), ("R", 5))) is None
    assert history_of([]) is None


def test_a_clock_set_back_gives_no_negative_days() -> None:
    found = history_of(log(("L", 10), ("R", 400), ("R", 5)))

    assert found is not None
    assert found.deltas == (0, 0, 395)


def test_of_a_long_history_the_first_answers_are_kept() -> None:
    found = history_of([entry("L", 200), *(entry("R", 199 - k) for k in range(100))])

    assert found is not None
    assert len(found.ratings) == LONGEST_HISTORY
    assert found.first_day == TODAY - 200


# what is enough (A13)


def cards(count: int, *, ratings: tuple[int, ...] = (3, 3), deltas: tuple[int, ...] = (0, 3)) -> list[History]:
    return [History(TODAY - k % 50, ratings, deltas) for k in range(count)]


@pytest.mark.parametrize(
    ("histories", "usable"),
    [([], 0), (cards(5), 5), (cards(600, ratings=(3,), deltas=(0,)), 0), (cards(60), 60)],
    ids=["none", "five", "600 cards answered once", "60 all Good"],
)
def test_a13_too_little_is_said_in_one_sentence_with_the_number(histories: list[History], usable: int) -> None:
    found = supply(histories)

    assert (found.usable, found.enough) == (usable, False)
    assert f"{usable} usable review" in found.words
    assert "about 400 are needed" in found.words


def test_a13_many_reviews_that_are_all_alike_are_not_enough() -> None:
    found = supply(cards(650))

    assert not found.enough
    assert "650 usable reviews, 0 of them forgotten" in found.words


def test_a13_650_mixed_reviews_are_enough() -> None:
    mixed = [*cards(600), *cards(50, ratings=(3, 1))]

    assert supply(mixed).enough
    assert supply(mixed).forgotten == 50
    assert not supply(cards(ENOUGH_REVIEWS - 1)).enough


# the split


def test_the_later_part_is_whole_days_and_at_least_its_share() -> None:
    histories = cards(100)
    day = split_day(histories, 0.2)
    days = [d for h in histories for d, delta in zip(h.days, h.deltas, strict=True) if delta]

    assert sum(d >= day for d in days) >= 20
    assert sum(d > day for d in days) < 20


def test_a_log_without_usable_reviews_has_no_split() -> None:
    with pytest.raises(ValueError, match="no usable review"):
        split_day(cards(3, ratings=(3,), deltas=(0,)))


# the decision


def test_numbers_are_taken_when_they_forecast_unseen_reviews_better() -> None:
    found = decide(GOOD_FIT)

    assert found.keep
    assert "0.3500 -> 0.3400 on the 100 latest reviews" in found.because


@pytest.mark.parametrize("after", [0.35, 0.36, math.nan, math.inf])
def test_numbers_that_are_no_better_leave_the_old_in_force(after: float) -> None:
    found = decide(replace(GOOD_FIT, loss_after=after))

    assert not found.keep
    assert "the old numbers stay" in found.because


@pytest.mark.parametrize("bad", [math.nan, math.inf, LOWER_BOUNDS[20] - 0.01])
def test_a13_numbers_that_are_not_finite_or_out_of_bounds_are_never_taken(bad: float) -> None:
    assert not decide(replace(GOOD_FIT, parameters=(*DEFAULT_PARAMETERS[:20], bad))).keep
    assert not decide(replace(GOOD_FIT, parameters=DEFAULT_PARAMETERS[:20])).keep


# the wire

histories = st.lists(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 65_535)), min_size=1, max_size=LONGEST_HISTORY).flatmap(
        lambda rows: st.integers(0, 2**31 - 1).map(
            lambda day: History(day, tuple(r for r, _ in rows), (0, *(d for _, d in rows[1:])))
        )
    ),
    max_size=20,
)


@given(histories)
def test_packed_histories_come_back_as_they_were(found: list[History]) -> None:
    assert unpack(pack(found)) == found


@pytest.mark.parametrize("text", ["", "!!", "AAAA", pack(cards(3))[:-8]])
def test_a_damaged_pack_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        unpack(text)


def test_a_pack_of_another_version_or_cut_short_is_refused() -> None:
    import base64
    import zlib

    whole = zlib.decompress(base64.b64decode(pack(cards(3))))
    for data in (b"9" + whole[1:], whole[:-3]):
        with pytest.raises(ValueError):
            unpack(base64.b64encode(zlib.compress(data)).decode())


def test_of_too_many_answers_the_cards_begun_last_are_trained_on() -> None:
    old, new = History(TODAY - 900, (3,) * 64, (1,) * 64), History(TODAY, (3,) * 64, (1,) * 64)
    found = trainable([old] * 3000 + [new] * 3000)

    assert sum(len(h.ratings) for h in found) <= MOST_REVIEWS
    assert found.count(new) == 3000
    assert trainable(cards(3, ratings=(3,), deltas=(0,))) == []
