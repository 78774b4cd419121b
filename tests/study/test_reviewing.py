"""A sitting over days, zones and wrong clocks; every outcome as promised, every answer stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.days import day_to_iso, iso_to_day
from studyapp.core.errors import StaleShowingError
from studyapp.core.reviews import Rating
from studyapp.study import reading
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.today import overview, streak_today
from tests.study.conftest import Watch

Maker = Callable[..., Desk]


def answer_all(sitting: Sitting, rating: Rating = Rating.EASY) -> list[str]:
    """Answer until the sitting ends; return the cards in order."""
    seen = []
    while (showing := sitting.next()) is not None:
        sitting.grade(showing, rating, duration_ms=5000)
        seen.append(showing.card.id)
        assert len(seen) < 100, "the sitting never ends"
    return seen


def test_cards_wait_until_their_section_was_read(desk_of: Maker) -> None:
    desk = desk_of()
    assert Sitting(desk).next() is None
    reading.finish(desk, "demo", "one")
    assert answer_all(Sitting(desk)) == ["demo/a0", "demo/a1", "demo/a2", "demo/a3"]


def test_new_cards_come_by_time_budget_about_five_a_day(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of()
    reading.finish(desk, "demo", None)
    assert len(answer_all(Sitting(desk))) == 5
    watch.set("2026-03-03T10:00")
    assert answer_all(Sitting(desk)) == ["demo/b1"]


def test_everything_is_released_at_once_by_choice(desk_of: Maker) -> None:
    desk = desk_of(release="all", new_minutes=60)
    assert len(answer_all(Sitting(desk))) == 6


def test_a_failed_card_returns_in_the_same_sitting_and_the_sitting_ends(desk_of: Maker) -> None:
    desk = desk_of()
    reading.finish(desk, "demo", "one")
    sitting = Sitting(desk)
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.AGAIN, duration_ms=1)
    seen = answer_all(sitting)
    assert seen.count(first.card.id) == 1


def test_outcomes_are_those_of_the_showing_however_late_they_are_looked_at(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of()
    reading.finish(desk, "demo", "one")
    sitting = Sitting(desk)
    shown_ms = desk.clock().at_ms
    showing, other = sitting.next(), sitting.next()
    assert showing is not None
    assert other is not None
    early = dict(other.outcomes)

    watch.set("2026-03-05T10:00")

    assert dict(showing.outcomes) == early
    again = showing.outcomes[Rating.AGAIN]
    assert again.after.due_at_ms == shown_ms + again.delay_ms
    assert (list(showing.outcomes), len(showing.outcomes)) == (list(Rating), 4)


def test_the_card_that_may_come_next_is_guessed_and_nothing_changes(desk_of: Maker) -> None:
    desk = desk_of(release="all", new_minutes=60)
    plain = [row.card for row in desk.store.new_rows(100)]
    sitting = Sitting(desk)
    guessed: list[str | None] = []
    seen = []
    while (showing := sitting.next()) is not None:
        found = sitting.coming(showing)
        guessed.append(None if found is None else found.id)
        assert sitting.coming(showing) == found
        sitting.grade(showing, Rating.EASY, duration_ms=1)
        seen.append(showing.card.id)

    assert seen == plain
    assert guessed == [*plain[1:], None]


def test_a08_one_showing_is_stored_once(desk_of: Maker) -> None:
    desk = desk_of()
    reading.finish(desk, "demo", "one")
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.GOOD, duration_ms=1)
    with pytest.raises(StaleShowingError):
        sitting.grade(showing, Rating.GOOD, duration_ms=1)
    assert len(desk.store.reviews()) == 1


def test_d02_a_card_answered_in_another_window_is_not_answered_again(desk_of: Maker) -> None:
    here, there = desk_of(), desk_of()
    reading.finish(here, "demo", "one")
    mine, theirs = Sitting(here).next(), Sitting(there).next()
    assert mine is not None
    assert theirs is not None
    Sitting(there).grade(theirs, Rating.EASY, duration_ms=1)
    with pytest.raises(StaleShowingError):
        Sitting(here).grade(mine, Rating.GOOD, duration_ms=1)
    assert len(here.store.reviews()) == 1


@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a04_one_night_is_one_study_day_and_the_card_comes_at_four(
    desk_of: Maker, watch: Watch, zone: str
) -> None:
    watch.set("2026-01-14T23:50", zone)
    desk = desk_of()
    reading.finish(desk, "demo", "one")
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    graded = sitting.grade(showing, Rating.EASY, duration_ms=1)
    assert graded.row.study_day == iso_to_day("2026-01-14")
    assert graded.answered.after.due_day == iso_to_day("2026-01-22")
    watch.set("2026-01-15T01:00")
    second = sitting.next()
    assert second is not None
    assert sitting.grade(second, Rating.EASY, duration_ms=1).row.study_day == iso_to_day("2026-01-14")
    assert streak_today(desk).length == 1
    due = {}
    for clock in ("01:00", "03:59", "04:01"):
        watch.set(f"2026-01-22T{clock}")
        due[clock] = overview(desk)["days"][0]["review"]
    assert due == {"01:00": 0, "03:59": 0, "04:01": 2}


def test_a06_a_clock_set_back_and_far_ahead_harms_little(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(new_minutes=60)
    reading.finish(desk, "demo", "one")
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.EASY, duration_ms=1)

    watch.set("2025-01-26T10:00")  # 400 days back
    again = Sitting(desk).show(showing.card.id)
    assert again is not None
    back = Sitting(desk).grade(again, Rating.GOOD, duration_ms=1)
    assert back.answered.elapsed_days == 0
    assert back.answered.after.due_day is not None
    assert back.answered.after.due_day >= iso_to_day("2026-03-02")
    assert len(desk.notices()) == 1
    assert "The clock says 26 Jan 2025" in desk.notices()[0]

    watch.set("2028-03-02T10:00")  # two years ahead
    ahead = Sitting(desk)
    other = ahead.next()
    assert other is not None
    ahead.grade(other, Rating.EASY, duration_ms=1)

    watch.set("2026-03-03T10:00")
    later = Sitting(desk)
    status = overview(desk)
    assert status["streak"]["length"] in (0, 1)
    assert status["days"][0]["iso"] == "2026-03-03"
    assert later.undo() is not None  # the answer from 2028 is the latest: taken back, it harms nothing


def test_a10_undo_restores_every_derived_figure_bit_by_bit(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(new_minutes=60, release="all")
    sitting = Sitting(desk)

    def picture() -> object:
        status = overview(desk)
        cards = [(c.id, c.memory, c.leech, c.suspended) for c in desk.store.cards()]
        return status["days"], status["heat"], status["streak"], cards, sitting.counts()

    before = []
    for rating in (Rating.AGAIN, Rating.GOOD, Rating.EASY, Rating.HARD, Rating.EASY):
        before.append(picture())
        showing = sitting.next()
        assert showing is not None
        sitting.grade(showing, rating, duration_ms=10)
    for expected in reversed(before):
        assert sitting.undo() is not None
        assert picture() == expected
    assert sitting.undo() is None


def test_a15_the_queue_goes_on_where_it_stood(desk_of: Maker) -> None:
    first = desk_of(release="all", new_minutes=60)
    sitting = Sitting(first)
    done = []
    for _ in range(3):
        showing = sitting.next()
        assert showing is not None
        done.append(showing.card.id)
        sitting.grade(showing, Rating.EASY, duration_ms=1)
    again = Sitting(desk_of(release="all", new_minutes=60))
    assert set(answer_all(again)) == {"demo/a3", "demo/b0", "demo/b1"}


def test_a_buried_card_comes_back_tomorrow_and_a_suspended_one_does_not(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=60)
    sitting = Sitting(desk)
    first = sitting.next()
    assert first is not None
    sitting.bury(first)
    second = sitting.next()
    assert second is not None
    assert second.card.id != first.card.id
    sitting.suspend(second)
    today = answer_all(sitting)
    assert first.card.id not in today
    assert second.card.id not in today
    watch.set("2026-03-03T10:00")
    assert answer_all(Sitting(desk)) == [first.card.id]


def test_a_card_forgotten_eight_times_is_a_leech_and_again_at_twelve(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    day = watch().study_day
    named = []
    sitting = Sitting(desk)
    first = sitting.show("demo/a0")
    assert first is not None
    sitting.grade(first, Rating.EASY, duration_ms=1)
    for lapse in range(1, 13):
        day += 400
        watch.set(f"{day_to_iso(day)}T10:00")
        forgotten = sitting.show("demo/a0")
        assert forgotten is not None
        if sitting.grade(forgotten, Rating.AGAIN, duration_ms=1).leech:
            named.append(lapse)
        again = sitting.show("demo/a0")
        assert again is not None
        sitting.grade(again, Rating.EASY, duration_ms=1)
    assert named == [8, 12]


def test_a_host_on_utc_with_no_zone_named_is_told_on_home_alone(desk_of: Maker) -> None:
    assert desk_of().hints() == []
    guessing = desk_of(zone_is_a_guess=True)
    assert guessing.notices() == []
    [notice] = overview(guessing)["notices"]
    assert notice == "Days begin at 04:00 UTC. Elsewhere: studyapp config zone Europe/Paris"


def test_siblings_of_one_note_are_not_shown_on_the_same_day(
    desk_of: Maker, lesson_path: Path, watch: Watch
) -> None:
    lesson_path.write_text(
        "C: A kernel [launch] costs [microseconds]. <!-- id: warps -->\n\nQ: What? <!-- id: q -->\nA: It.\n"
    )
    desk = desk_of(new_minutes=60)
    assert [card.id for card in desk.store.cards()] == ["warps:c1", "warps:c2", "q"]
    assert answer_all(Sitting(desk)) == ["warps:c1", "q"]
    watch.set("2026-03-03T10:00")
    assert answer_all(Sitting(desk)) == ["warps:c2"]


def test_d02_a_card_answered_elsewhere_is_not_asked_here_again(desk_of: Maker) -> None:
    here, there = desk_of(release="all", new_minutes=60), desk_of(release="all", new_minutes=60)
    mine = Sitting(here)
    theirs = Sitting(there)
    first = theirs.next()
    assert first is not None
    theirs.grade(first, Rating.EASY, duration_ms=1)
    asked = mine.next()
    assert asked is not None
    assert asked.card.id != first.card.id


def test_a04_a_card_buried_after_the_rollover_is_buried_until_the_next_one(desk_of: Maker, watch: Watch) -> None:
    watch.set("2026-03-03T03:59")
    desk = desk_of(release="all", new_minutes=60)
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    watch.set("2026-03-03T04:01")
    sitting.bury(showing)
    assert showing.card.id not in answer_all(sitting)
