"""Fresh numbers for each showing, the same for the same showing; one trial a day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from studyapp.core.errors import ControlError
from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.catalog import experiments
from studyapp.store.records import NewRun
from studyapp.study.desk import Desk
from studyapp.study.fresh import LONGEST_DAILY_S, controls_for, draw_controls, keep_trial, of_the_day, trial_done
from tests.study.conftest import Watch


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


def predicted(desk: Desk, experiment: str, controls: Mapping[str, object]) -> None:
    desk.store.save_prediction(
        Prediction(1.0, Sure.FAIRLY, 1), experiment=experiment, controls=controls, device="cpu"
    )


def run(desk: Desk, experiment: str, study_day: int) -> str:
    told = NewRun(experiment, {}, Facts(), 1, study_day, "done")
    verdict = Verdict(Outcome.HOLDS, "So.", 1.0)
    return desk.store.save_run(told, [Point("a", 1.0, 1.0, basis=Basis.MEASURED)], verdict)


def test_the_first_prediction_is_asked_at_the_lessons_own_numbers_and_later_ones_are_not(desk: Desk) -> None:
    own = look_up("kept").parse_controls({})
    assert controls_for(desk, "kept", {}, "showing") == own

    predicted(desk, "kept", own)

    drawn = [controls_for(desk, "kept", {}, f"showing {i}")["batch"] for i in range(60)]
    assert set(drawn) == set(look_up("kept").control("batch").fresh)


def test_the_same_showing_has_the_same_numbers_again() -> None:
    claim = look_up("core-race")
    assert draw_controls(claim, {}, "ab") == draw_controls(claim, {}, "ab")
    assert len({str(draw_controls(claim, {}, str(i))) for i in range(50)}) > 1


def test_what_the_card_fixed_stays_fixed_and_is_checked() -> None:
    assert {draw_controls(look_up("kept"), {"batch": 7}, str(i))["batch"] for i in range(20)} == {7}
    with pytest.raises(ControlError, match="batch must be"):
        draw_controls(look_up("kept"), {"batch": "many"}, "ab")


@pytest.mark.parametrize("claim", experiments(), ids=lambda claim: claim.id)
def test_every_fresh_value_of_every_experiment_is_one_its_control_takes(claim: object) -> None:
    for control in claim.controls:  # type: ignore[attr-defined]
        assert [control.parse(value) for value in control.fresh] == list(control.fresh)


def test_a_day_has_one_trial_from_morning_to_night_and_the_next_day_another(desk: Desk, watch: Watch) -> None:
    watch.set("2026-03-02T08:00")
    morning = of_the_day(desk)
    run(desk, morning[0], desk.clock().study_day)
    predicted(desk, *morning)
    watch.set("2026-03-03T03:30")
    assert of_the_day(desk) == morning

    watch.set("2026-03-03T04:30")

    assert of_the_day(desk)[0] != morning[0]


def test_in_as_many_days_as_there_are_daily_experiments_each_comes_once(desk: Desk) -> None:
    first, seen = desk.clock().study_day, Counter[str]()
    fit = [e.id for e in experiments() if e.usual_s <= LONGEST_DAILY_S and not e.wants_history]
    fit = [e for e in fit if "accelerator" not in look_up(e).needs and "two accelerators" not in look_up(e).needs]
    for day in range(first, first + len(fit)):
        name, _ = of_the_day(desk, day)
        seen[name] += 1
        run(desk, name, day)

    assert seen == Counter(fit)


def test_only_the_first_run_of_the_day_is_the_days_trial(desk: Desk, watch: Watch) -> None:
    assert trial_done(desk) is None
    first = run(desk, "kept", desk.clock().study_day)
    keep_trial(desk, first)
    keep_trial(desk, "another")

    assert trial_done(desk) == first
    watch.set("2026-03-03T10:00")
    assert trial_done(desk) is None
