"""Verdicts of runs recorded on real machines, and what must not change them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments import catalog
from tests.experiments.claims.builders import RECORDINGS, Recording, recorded

RUNS = [recorded(path) for path in RECORDINGS]
DECIDED = (Outcome.HOLDS, Outcome.DOES_NOT_HOLD)
IN_SECONDS = ("small-net", "layer-batch", "core-race", "race", "decode-workers", "wait-each-step", "worth-moving")
every_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
in_seconds = [run for run in RUNS if run.experiment.id in IN_SECONDS]


def test_every_experiment_has_a_recording_in_calm_and_beside_hogs() -> None:
    for load in ("calm", "hogs"):
        seen = {recorded(path).experiment.id for path in RECORDINGS if path.stem.endswith(load)}

        assert seen == set(catalog.ids())


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_says_where_when_and_with_what_it_was_made(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))

    assert data["facts"]["device_name"]
    assert data["facts"]["more"]["torch"]
    assert data["recorded_at"].startswith("20")


@every_run
def test_same_recording_gives_the_same_words(run: Recording) -> None:
    assert run.judged().as_json() == run.verdict


@every_run
def test_a_line_that_is_never_measured_says_so_before_any_run(run: Recording) -> None:
    declared = {lane.id: lane.basis for lane in run.experiment.plot.lanes}

    for point in run.points:
        told = declared.get(point.series, Basis.MEASURED)
        assert told in (Basis.MEASURED, point.basis), point
        assert (told is Basis.ASSUMED) == (point.basis is Basis.ASSUMED), point


@every_run
def test_swapped_point_order_gives_the_same_verdict(run: Recording) -> None:
    assert run.judged(run.points[::-1]) == run.judged()


@every_run
def test_the_last_of_two_points_at_one_x_counts(run: Recording) -> None:
    stale = [replace(point, y=1e9) for point in run.points]

    assert run.judged(stale + run.points) == run.judged()


@every_run
def test_points_survive_the_trip_as_json(run: Recording) -> None:
    sent = [Point.from_json(json.loads(json.dumps(point.as_json()))) for point in run.points]

    assert run.judged(sent) == run.judged()


@pytest.mark.parametrize("run", in_seconds, ids=lambda run: run.name)
def test_a_machine_four_times_slower_gets_the_same_verdict(run: Recording) -> None:
    slower = [replace(p, y=4 * (p.y or 0), low=4 * (p.low or 0), high=4 * (p.high or 0)) for p in run.points]

    assert run.judged(slower).outcome == run.judged().outcome
    assert run.judged(slower).measured == pytest.approx(run.judged().measured)


@every_run
def test_a_run_cut_short_anywhere_still_gets_a_verdict(run: Recording) -> None:
    for count in range(len(run.points)):
        cut = run.judged(run.points[:count])

        assert cut.because
        run.experiment.marks(run.points[:count], run.facts)


@every_run
def test_a_judge_missing_points_raises_nothing_but_key_and_value_errors(run: Recording) -> None:
    for missing in {point.series for point in run.points}:
        rest = [point for point in run.points if point.series != missing]
        try:
            run.experiment.judge(rest, run.facts)
        except (KeyError, ValueError):
            assert run.judged(rest).outcome is Outcome.TOO_NOISY


@every_run
def test_noise_above_the_effect_decides_nothing(run: Recording) -> None:
    if run.experiment.timed:
        noisy = [replace(p, low=(p.y or 0) / 50, high=50 * (p.y or 0)) for p in run.points]

        assert run.judged(noisy).outcome not in DECIDED


@every_run
def test_unsettled_timings_decide_nothing(run: Recording) -> None:
    unsettled = [replace(point, settled=False) for point in run.points]

    assert run.judged(unsettled).outcome not in DECIDED


@every_run
def test_a_busy_machine_spoils_timings_but_not_counts(run: Recording) -> None:
    busy = run.judged(facts=replace(run.facts, busy=True)).outcome
    calm = run.judged(facts=replace(run.facts, busy=False)).outcome

    assert busy == (Outcome.TOO_NOISY if run.experiment.timed and calm in DECIDED else calm)


@every_run
def test_the_reason_is_short_enough_for_a_line_or_two(run: Recording) -> None:
    assert 0 < len(run.judged().because) <= 160


@every_run
def test_the_measured_number_lies_in_its_own_interval(run: Recording) -> None:
    judged = run.judged()

    if judged.measured is not None:
        assert judged.low is not None
        assert judged.high is not None
        assert judged.low <= judged.measured <= judged.high
        assert judged.unit == run.experiment.unit
