"""Beyond what is due: an early answer is a true review, a cram moves nothing unless it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.cram import CRAM, Beyond, ahead
from studyapp.core.reviews import Kind, Memory, Rating, State
from studyapp.core.scheduling import preview
from studyapp.study import cramming, optimising, reading
from studyapp.study.cramming import Extra, offers, sit_down
from studyapp.study.desk import Desk
from studyapp.study.own import histories
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting
from studyapp.study.today import counts_today, overview
from tests.study.conftest import Watch
from tests.study.test_reviewing import answer_all

Maker = Callable[..., Desk]
TODAY, TOMORROW, LATER = "2026-03-02T10:00", "2026-03-03T10:00", "2026-03-06T10:00"


def learned(desk_of: Maker, **options: object) -> Desk:
    """Return a desk whose six cards were answered Easy today: each is due in eight days."""
    desk = desk_of(release="all", new_minutes=60, **options)
    answer_all(Sitting(desk))
    return desk


def memories(desk: Desk) -> dict[str, Memory]:
    return {card.id: card.memory for card in desk.store.cards()}


def test_an_early_answer_is_a_true_review_with_the_days_that_really_passed(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(LATER)
    assert Sitting(desk).next() is None
    assert sit_down(desk, wish=ahead(3)).next() is None
    sitting = sit_down(desk, wish=ahead(4))
    showing = sitting.next()
    assert showing is not None
    usual = preview(showing.card.id, showing.card.memory, watch().at_ms, watch().study_day, desk.options.policy)
    assert showing.outcomes == usual

    graded = sitting.grade(showing, Rating.GOOD, duration_ms=1)

    assert (graded.row.kind, graded.row.elapsed_days, graded.row.study_day) == (Kind.REVIEW, 4, watch().study_day)
    assert memories(desk)[showing.card.id] == usual[Rating.GOOD].after


def test_studying_ahead_ends_and_asks_no_card_of_today_twice(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(TOMORROW)
    assert len(answer_all(sit_down(desk, wish=ahead(30)), Rating.GOOD)) == 6
    assert sit_down(desk, wish=ahead(30)).next() is None


def test_a_card_failed_ahead_returns_in_the_same_sitting(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(TOMORROW)
    sitting = sit_down(desk, wish=ahead(30))
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.AGAIN, duration_ms=1)
    assert answer_all(sitting)[-1] == first.card.id


def test_a_cram_moves_nothing_and_its_buttons_say_so(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(TOMORROW)
    before, due = memories(desk), counts_today(desk)
    sitting = sit_down(desk, wish=CRAM)
    while (showing := sitting.next()) is not None:
        assert not showing.moves
        assert all(outcome.after == outcome.before for outcome in showing.outcomes.values())
        row = sitting.grade(showing, Rating.GOOD, duration_ms=5000).row
        assert (row.kind, row.after, row.elapsed_days) == (Kind.CRAM, None, 1)

    assert memories(desk) == before
    assert counts_today(desk) == due
    assert sitting.answered == 6


def test_a_cram_asks_each_card_until_it_was_good_once_and_failed_ones_return(desk_of: Maker) -> None:
    desk = learned(desk_of)
    sitting = sit_down(desk, wish=CRAM)
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.AGAIN, duration_ms=1)
    assert sitting.counts().learning == 1
    second = sitting.next()
    assert second is not None
    sitting.grade(second, Rating.HARD, duration_ms=1)
    seen = answer_all(sitting, Rating.GOOD)
    assert len(seen) == 6
    assert seen.index(first.card.id) == 3
    assert seen.index(second.card.id) == 4


def test_a_cram_begins_with_what_is_likeliest_forgotten_and_goes_on_where_it_was(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of(release="all", new_minutes=60)
    weak = Sitting(desk).show("demo/b0")
    strong = Sitting(desk).show("demo/a1")
    assert weak is not None
    assert strong is not None
    Sitting(desk).grade(weak, Rating.GOOD, duration_ms=1)
    Sitting(desk).grade(strong, Rating.EASY, duration_ms=1)
    watch.set(TOMORROW)
    sitting = sit_down(desk, wish=CRAM)
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.GOOD, duration_ms=1)
    expected = ["demo/a1", "demo/a0", "demo/a2", "demo/a3", "demo/b1"]

    rest = answer_all(sit_down(desk, wish=CRAM), Rating.GOOD)

    assert first.card.id == "demo/b0"
    assert rest == [*expected, "demo/b0"]


def test_a_cram_asks_only_what_was_taught_and_not_what_was_put_away(desk_of: Maker) -> None:
    desk = desk_of()
    assert not offers(desk).cram
    assert sit_down(desk, wish=CRAM).next() is None
    reading.finish(desk, "demo", "one")
    day = desk.clock().study_day
    desk.store.set_suspended("demo/a0", True, at=desk.clock())
    desk.store.bury("demo/a1", day + 1, at=desk.clock())
    assert offers(desk).cram
    assert answer_all(sit_down(desk, "demo", CRAM), Rating.GOOD) == ["demo/a2", "demo/a3"]


def test_siblings_are_all_crammed_and_apart(desk_of: Maker, lesson_path: Path) -> None:
    lesson_path.write_text(
        "C: A kernel [launch] costs [microseconds]. <!-- id: warps -->\n\nQ: What? <!-- id: q -->\nA: It.\n"
    )
    desk = desk_of(new_minutes=60)
    answer_all(Sitting(desk))  # buries the second gap until tomorrow
    assert answer_all(sit_down(desk, wish=CRAM), Rating.GOOD) in (
        ["warps:c1", "q", "warps:c2"],
        ["q", "warps:c1", "warps:c2"],
    )


def test_a_cram_with_reviews_counts_each_answer_as_one(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(TOMORROW)
    sitting = sit_down(desk, wish=Beyond(None, moves=True))
    showing = sitting.next()
    assert showing is not None
    graded = sitting.grade(showing, Rating.GOOD, duration_ms=1)
    assert graded.row.kind is Kind.REVIEW
    assert memories(desk)[showing.card.id] == showing.outcomes[Rating.GOOD].after
    assert desk.store.done_today(watch().study_day).reviews == 1


def test_studying_ahead_can_leave_the_cards_where_they_are(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(LATER)
    before = memories(desk)
    assert sit_down(desk, wish=Beyond(3, moves=False)).next() is None
    assert len(answer_all(sit_down(desk, wish=Beyond(4, moves=False)), Rating.GOOD)) == 6
    assert memories(desk) == before
    assert {row.kind for row in desk.store.reviews(since_day=watch().study_day)} == {Kind.CRAM}


def test_undo_in_a_cram_puts_the_card_in_front_again(desk_of: Maker) -> None:
    desk = learned(desk_of)
    before = desk.store.reviews()
    sitting = sit_down(desk, wish=CRAM)
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.AGAIN, duration_ms=1)
    voided = sitting.undo()
    assert voided is not None
    again = sitting.again(voided)
    assert again is not None
    assert (again.card.id, again.moves, sitting.counts().due, sitting.counts().learning) == (
        first.card.id,
        False,
        6,
        0,
    )
    assert desk.store.reviews() == before


def test_a_true_review_taken_back_in_a_cram_is_answered_as_one_again(desk_of: Maker) -> None:
    desk = learned(desk_of)
    sitting = sit_down(desk, wish=CRAM)
    voided = sitting.undo()
    assert voided is not None
    again = sitting.again(voided)
    assert again is not None
    assert (again.card.id, again.moves) == (voided.card, True)
    sitting.grade(again, Rating.EASY, duration_ms=1)
    assert memories(desk)[voided.card].interval_days == 8
    assert sitting.next() is not None
    assert rebuild(desk).equal


def test_a_cram_answer_taken_back_later_is_not_asked_as_a_review(desk_of: Maker) -> None:
    desk = learned(desk_of)
    crammed = sit_down(desk, wish=CRAM)
    first = crammed.next()
    assert first is not None
    crammed.grade(first, Rating.GOOD, duration_ms=1)
    usual = Sitting(desk)
    voided = usual.undo()
    assert voided is not None
    assert voided.kind is Kind.CRAM
    assert usual.again(voided) is None


def test_cram_answers_are_activity_and_nothing_else(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set("2026-03-10T10:00")  # all six are due
    recall, trained = desk.store.retention(0, watch().study_day), histories(desk)
    answer_all(sit_down(desk, wish=CRAM), Rating.GOOD)
    day = overview(desk)
    assert day["done_today"] == 6
    assert day["streak"]["active_today"]
    assert counts_today(desk)["review"] == 6
    assert desk.store.retention(0, watch().study_day) == recall
    assert desk.store.forecast_bins() == []
    assert histories(desk) == trained
    assert desk.store.done_today(watch().study_day)[:2] == (0, 0)


def test_replay_roll_ups_and_reschedule_agree_after_reviews_and_crams_were_mixed(
    desk_of: Maker, watch: Watch
) -> None:
    desk = learned(desk_of)
    for day, wish in ((TOMORROW, CRAM), (LATER, ahead(10)), ("2026-03-08T10:00", CRAM)):
        watch.set(day)
        sitting = sit_down(desk, wish=wish)
        for rating in (Rating.AGAIN, Rating.HARD, Rating.GOOD):
            showing = sitting.next()
            assert showing is not None
            sitting.grade(showing, rating, duration_ms=2000)
        sitting.undo()
    found = rebuild(desk)
    assert (found.equal, found.figures) == (True, ())
    assert optimising.plan(desk).moves == ()


def test_done_for_today_offers_the_shortest_way_ahead_that_holds_a_card(desk_of: Maker, watch: Watch) -> None:
    desk = learned(desk_of)
    watch.set(LATER)
    found = offers(desk)
    assert (found.ahead_days, found.ahead, found.cram) == (7, 6, True)
    watch.set("2026-03-09T10:00")
    assert offers(desk).ahead_days == 1


def test_a_long_deck_is_crammed_a_helping_at_a_time(desk_of: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = learned(desk_of)
    monkeypatch.setattr(cramming, "AT_MOST", 4)
    sitting = sit_down(desk, wish=CRAM)
    assert (sitting.counts().due, sitting.counts().held_back) == (4, 2)
    first = set(answer_all(sitting, Rating.GOOD))
    second = answer_all(sit_down(desk, wish=CRAM), Rating.GOOD)
    assert not first & set(second[:2])


def test_a_card_put_away_in_a_cram_leaves_it_and_undo_brings_it_back(desk_of: Maker) -> None:
    desk = learned(desk_of)
    for put_away in (Sitting.bury, Sitting.suspend):
        sitting = sit_down(desk, wish=CRAM)
        showing = sitting.next()
        assert showing is not None
        put_away(sitting, showing)
        assert sitting.counts().due == 5
        voided = sitting.undo()
        assert voided is not None
        again = sitting.again(voided)
        assert again is not None
        assert (again.card.id, sitting.counts().due) == (showing.card.id, 6)


def test_a_cram_survives_the_rollover(desk_of: Maker, watch: Watch) -> None:
    watch.set("2026-03-03T03:58")
    desk = learned(desk_of)
    sitting = sit_down(desk, wish=CRAM)
    assert isinstance(sitting, Extra)
    first = sitting.next()
    assert first is not None
    sitting.grade(first, Rating.GOOD, duration_ms=1)
    watch.set("2026-03-03T04:02")
    assert len(answer_all(sitting, Rating.GOOD)) == 5
    assert all(card.memory.state is State.REVIEW for card in desk.store.cards())
