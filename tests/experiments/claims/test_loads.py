"""What claims state of their points' arithmetic, bytes and calls, held against recorded runs.

The roof is that of a passport of such a machine: two cores of an AMD EPYC (virtual machine), torch 2.13.0,
30 November 2026, figures rounded.
"""

from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point, series, value
from studyapp.core.roofline import ALL, ONE, Roof
from studyapp.core.verdicts import Facts
from studyapp.experiments import catalog
from tests.experiments.claims.builders import RECORDINGS, Recording, recorded

MIB = 2.0**20
ROOF = Roof(
    peaks={
        ("float32", ONE): 1.1e11,
        ("float32", ALL): 2.1e11,
        ("bfloat16", ONE): 4.7e11,
        ("bfloat16", ALL): 9.1e11,
    },
    ladder={
        ONE: [(MIB / 4, 1.6e11), (4 * MIB, 1.05e11), (16 * MIB, 5.3e10), (128 * MIB, 4e10)],
        ALL: [(MIB / 2, 2.3e11), (8 * MIB, 1.8e11), (16 * MIB, 7e10), (128 * MIB, 4.1e10)],
    },
    calls={ONE: 6.4e-7, ALL: 3e-6},
)
RUNS = [run for run in map(recorded, RECORDINGS) if "calm" in run.name]
WITH_LOADS = [run for run in RUNS if tuple(run.experiment.loads(run.points, run.facts))]
every_run = pytest.mark.parametrize("run", WITH_LOADS, ids=lambda run: run.name)
NAMED = {
    "layer-batch",
    "core-race",
    "width",
    "small-net",
    "half-speed",
    "memory-ladder",
    "worth-moving",
    "one-request",
}


def test_the_claims_that_state_loads_are_those_that_time_what_can_be_counted() -> None:
    assert {run.experiment.id for run in WITH_LOADS} == NAMED


@every_run
def test_loads_speak_of_points_that_were_measured(run: Recording) -> None:
    points = {(p.series, p.x) for p in run.points if p.solid}

    assert {(load.series, load.x) for load in run.experiment.loads(run.points, run.facts)} <= points


@every_run
def test_the_roofline_is_no_slower_than_the_machine_and_within_a_factor_of_a_hundred(run: Recording) -> None:
    measured = {(p.series, p.x): value(p) for p in run.points if p.finite}
    for load in run.experiment.loads(run.points, run.facts):
        expected = ROOF.expects(load)
        assert expected is not None
        sooner = measured[load.series, load.x] / expected
        if load.amount or load.over:
            sooner = 1 / sooner
        assert 0.3 < sooner < 100, (load.series, load.x)


@every_run
def test_the_judge_reads_the_roofline_as_it_reads_a_run(run: Recording) -> None:
    expected = [
        Point(load.series, load.x, ROOF.expects(load), basis=Basis.ASSUMED)
        for load in run.experiment.loads(run.points, run.facts)
    ]
    others = [point for point in run.points if not point.solid]

    found = run.experiment.judge([*expected, *others], run.facts)

    assert found.measured is None or found.measured > 0


def test_a_claim_that_states_nothing_has_no_loads() -> None:
    assert tuple(catalog.experiment("kept").loads([Point("kept", 1, 2.0)], Facts())) == ()


def test_on_a_gpu_the_loads_are_the_devices() -> None:
    points = [Point(lane, n, 1e-5) for lane in ("answer", "queued", "graph") for n in (1.0, 256.0)]
    facts = Facts("cuda", controls={"width": 512, "weights": "one"})

    loads = {(load.series, load.x): load for load in catalog.experiment("layer-batch").loads(points, facts)}

    assert loads["graph", 1].calls == 0
    assert loads["answer", 1].call == "answered"
    assert {load.where for load in loads.values()} == {"device"}
    assert loads["queued", 256].flop == 256 * loads["queued", 1].flop


def test_copied_rows_cross_the_bus_and_a_graph_is_launched_once() -> None:
    points = [Point(lane, 32.0, 1e-4) for lane in ("resident", "copied", "graph")]
    facts = Facts("cuda", controls={"hidden": 64})

    loads = {load.series: load for load in catalog.experiment("small-net").loads(points, facts)}

    assert loads["copied"].moved > 0 == loads["resident"].moved
    assert loads["graph"].calls == 1 < loads["resident"].calls


def test_more_rows_are_more_arithmetic_in_proportion() -> None:
    points = [Point("one", n, 1e-4) for n in (2.0, 64.0)]

    few, many = catalog.experiment("core-race").loads(points, Facts(controls={"width": 512}))

    assert many.flop == 32 * few.flop
    assert series(points, "one").keys() == {few.x, many.x}
