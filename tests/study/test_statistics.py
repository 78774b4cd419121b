from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from studyapp.core.calibration import Share
from studyapp.core.predictions import Closeness, Prediction, Score, Sure
from studyapp.core.reviews import Memory, Rating, ReviewRow
from studyapp.core.scheduling import answer, kind_of, retrievability
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.records import NewRun
from studyapp.study.curves import MOST_PARTS, RANGES, parts, recall_curve, usual_range
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.statistics import FORGET_DAYS, gather
from studyapp.study.today import overview
from tests.store.build import a_card, save
from tests.study.conftest import Watch
from tests.study.log import live, study

MakeDesk = Callable[..., Desk]


def names(desk: Desk) -> list[str]:
    return [card.id for card in desk.store.cards()]


def test_a_new_desk_has_figures_of_nothing(desk_of: MakeDesk) -> None:
    found = gather(desk_of())

    assert (found.today_answers, found.reviews, found.learned, found.overdue) == (0, 0, 0, 0)
    assert found.retention_30.value is None
    assert (found.own.log_loss, list(found.own.table), list(found.hardest)) == (None, [], [])
    assert list(found.forgetting) == []
    assert sum(found.stability) == 0
    assert recall_curve(found).series == ()


def test_true_retention_is_parted_at_three_weeks_and_by_module(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    first, second, *_ = names(desk)
    memory = live(desk.store, first, [(today - 60, 4), (today - 52, 4), (today - 1, 3)])
    assert memory.interval_days >= 21
    live(desk.store, second, [(today - 20, 4), (today - 12, 1), (today - 12, 3), (today, 3)])

    found = gather(desk)

    assert found.recall(30).mature == Share(1, 1)
    assert found.recall(30).young == Share(1, 2)  # the second answer of that day is no test of a day's memory
    assert found.retention_30 == Share(2, 3)
    assert found.recall(365).all == Share(3, 4)
    assert found.recall(1).all == Share(1, 1)
    assert {title: recall.all for title, recall in found.by_module.items()} == {"Demo": Share(2, 3)}


def test_the_curve_and_the_figure_count_the_same_answers(desk_of: MakeDesk, watch: Watch) -> None:
    desk = desk_of()
    study(desk.store, [f"old/{k}" for k in range(30)], watch().study_day, days=200)
    found = gather(desk)

    for last_days in RANGES:
        spans = parts(found, last_days)
        shares = [share for _, _, share in spans]
        figure = recall_curve(found, last_days)

        assert len(spans) <= MOST_PARTS
        assert spans[-1][1] <= found.study_day
        assert sum(s.total for s in shares) >= found.recall(last_days or 1_000_000).all.total
        assert [p.repeats for p in figure.series[0].points] == [s.total for s in shares]
        assert figure.marks[0].at == pytest.approx(90)
        assert all(p.low <= p.y <= p.high for p in figure.series[0].points)  # type: ignore[operator]
    assert f"of {found.recall(90).all.total} answers over the last 90 days" in recall_curve(found, 90).sentence
    assert usual_range(found) in RANGES


def test_what_is_overdue_counts_for_today_and_is_named(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    first, second, third, *_ = names(desk)
    live(desk.store, first, [(today - 30, 4)])
    live(desk.store, second, [(today, 4)])
    live(desk.store, third, [(today, 3)])  # on a step
    live(desk.store, "elsewhere/1", [(today - 30, 4)])  # a merged log may know cards that are not here
    expected = desk.store.due_forecast(today, 30)

    found = gather(desk)

    assert found.forecast == expected
    assert (found.forecast[today], found.overdue) == (2, 1)
    desk.store.set_suspended(first, True, at=watch())
    again = gather(desk)
    assert again.forecast == desk.store.due_forecast(today, 30)
    assert (again.overdue, again.suspended) == (0, 1)


def test_what_a_week_would_take_is_the_fall_of_the_chances(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    cards = names(desk)[:2]
    memories = [live(desk.store, card, [(today - 5 * k - 3, 4)]) for k, card in enumerate(cards)]
    policy = desk.options.policy
    now = sum(retrievability(m, today, policy) or 0 for m in memories)
    then = sum(retrievability(m, today + FORGET_DAYS, policy) or 0 for m in memories)

    (found,) = gather(desk).forgetting

    assert (found.title, found.cards) == ("Demo", 2)
    assert (found.known_now, found.known_then) == pytest.approx((now, then))
    assert found.lost == pytest.approx(now - then)


def test_cards_are_counted_by_how_durable_they_are(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    stable = [live(desk.store, card, [(today - 9, 4)]).stability or 0 for card in names(desk)[:3]]

    found = gather(desk)

    assert 7 <= stable[0] < 21
    assert list(found.stability) == [0, 0, 3, 0, 0, 0]
    assert (found.learned, found.cards) == (3, len(names(desk)))


def test_the_hardest_cards_come_with_their_lapses_and_their_chance_today(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    first, second, *_ = names(desk)
    live(desk.store, first, [(today - 40, 4), *((today - 30 + k, 1 + 2 * (k % 2)) for k in range(20))])
    memory = live(desk.store, second, [(today - 30, 4), (today - 20, 1), (today - 20, 3)])

    hardest = gather(desk).hardest

    assert [card.id for card in hardest] == [first, second]
    assert hardest[0].leech
    assert hardest[1].lapses == 1
    assert hardest[1].recall == pytest.approx(retrievability(memory, today, desk.options.policy))


def test_the_schedulers_own_forecasts_are_scored_from_what_was_stored(desk_of: MakeDesk, watch: Watch) -> None:
    desk = desk_of()
    study(desk.store, [f"old/{k}" for k in range(60)], watch().study_day, days=150)
    scored = [r for r in desk.store.reviews() if r.kind.value == "review" and r.elapsed_days]

    own = gather(desk).own

    assert own.reviews == len(scored) > 100
    assert own.log_loss is not None
    assert sum(row.recalled.passed for row in own.table) == sum(r.rating > 1 for r in scored)
    assert gather(desk).own_lately.reviews < own.reviews


def test_only_first_predictions_count(desk_of: MakeDesk) -> None:
    desk = desk_of()
    for value in (3.0, 4.0):
        desk.store.save_prediction(
            Prediction(value, Sure.GUESS), experiment="small-net", controls={"hidden": 64}, device="cpu"
        )

    assert gather(desk).calibration.made == 1


def test_a_number_said_for_certain_and_wrong_asks_for_another_look_until_one_is_right(desk_of: MakeDesk) -> None:
    desk = desk_of()
    found = []
    for batch, (sure, inside) in enumerate([(Sure.GUESS, False), (Sure.CERTAIN, False), (Sure.CERTAIN, True)]):
        controls, at = {"hidden": batch}, desk.clock().at_ms + batch
        said = desk.store.save_prediction(
            Prediction(3.0, sure, at), experiment="small-net", controls=controls, device="cpu"
        )
        run = NewRun("small-net", controls, Facts("cpu", "EPYC", 1, 2, controls), at, desk.clock().study_day)
        score = Score(Closeness.CLOSE if inside else Closeness.FAR_OFF, 1.5, inside)
        desk.store.save_run(run, [], Verdict(Outcome.HOLDS, "So."), said, score)
        figures = gather(desk)
        found.append((figures.missed, figures.missed_cards))

    linked = sum("small-net" in str(card.experiments) for card in desk.store.cards())
    assert linked > 0
    assert found == [((), 0), (("small-net",), linked), ((), 0)]


def test_time_is_capped_at_a_minute_an_answer(desk_of: MakeDesk, watch: Watch) -> None:
    desk = desk_of()
    desk.store.mark_read("demo", None, at_ms=watch().at_ms, study_day=watch().study_day)
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.GOOD, duration_ms=600_000)

    assert gather(desk).today_seconds == 60


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("Europe/Paris", ("2026-10-22", "2026-10-23", "2026-10-24")),
        ("Europe/Paris", ("2026-03-27", "2026-03-28", "2026-03-29")),
        ("Australia/Lord_Howe", ("2026-10-02", "2026-10-03", "2026-10-04")),
        ("Australia/Lord_Howe", ("2026-04-03", "2026-04-04", "2026-04-05")),
    ],
)
def test_a01_a_clock_change_moves_no_review_to_another_day(
    desk_of: MakeDesk, watch: Watch, zone: str, days: tuple[str, ...]
) -> None:
    ordinals = [date.fromisoformat(day).toordinal() for day in days]
    desk = desk_of()
    for number, (day, card) in enumerate(zip(days, names(desk), strict=False)):
        watch.set(f"{day}T04:30", zone=zone)
        live_at(desk, card, watch)
        assert watch().study_day == ordinals[number]
    due = {card.id: card.memory.due_day for card in desk.store.cards()}

    watch.set(f"{date.fromordinal(ordinals[-1] + 3)}T10:00", zone=zone)
    found = gather(desk)

    assert [d.day for d in found.days] == ordinals
    assert found.streak.best == 3
    heat = overview(desk)["heat"]
    assert heat == {str(day): 1 for day in ordinals}
    assert {card.id: card.memory.due_day for card in desk.store.cards()} == due


def live_at(desk: Desk, card: str, watch: Watch) -> None:
    """Answer a card at this moment, through the store, as reviewing does."""
    moment = watch()
    done = answer(card, Memory(), Rating.EASY, moment.at_ms, moment.study_day, desk.options.policy)
    row = ReviewRow(
        uid="",
        device="",
        counter=0,
        card=card,
        rating=4,
        kind=kind_of(Memory()),
        at_ms=moment.at_ms,
        offset_min=moment.offset_min,
        zone=moment.zone_name,
        study_day=moment.study_day,
        before=Memory(),
        after=done.after,
        showing=card,
    )
    desk.store.record(row, expected=Memory())


def test_a_modules_figures_are_those_of_its_cards_and_all_modules_together_make_the_whole(
    desk_of: MakeDesk, watch: Watch
) -> None:
    desk, today = desk_of(), watch().study_day
    save(desk.store, a_card("x"))  # of the module "gpu"
    ours, theirs = next(card for card in names(desk) if card != "x"), "x"
    live(desk.store, ours, [(today - 20, 4), (today - 12, 1), (today - 12, 3), (today, 3)])
    live(desk.store, theirs, [(today - 9, 4), (today - 1, 3)])

    whole, demo, other = gather(desk), gather(desk, "demo"), gather(desk, "gpu")

    assert (whole.reviews, demo.reviews, other.reviews) == (6, 4, 2)
    assert whole.recall(30).all == demo.recall(30).all + other.recall(30).all
    assert [card.id for card in demo.hardest] == [ours]
    assert [card.id for card in other.hardest] == []
    assert whole.cards == demo.cards + other.cards
    assert sum(whole.forecast.values()) == sum(demo.forecast.values()) + sum(other.forecast.values())
    assert {f.module for f in other.forgetting} == {"gpu"}
    assert demo.streak == whole.streak
