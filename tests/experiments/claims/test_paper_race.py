from __future__ import annotations

import pytest

from studyapp.core.figures import draw
from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Facts, Outcome
from studyapp.experiments import catalog
from studyapp.experiments.claims.paper_race import BATCHES, break_even_width, paper_gpu_s
from studyapp.experiments.product import flop, flop_per_trip_byte
from tests.experiments.claims.builders import a_run, curve, verdict

CPU_FLOP_PER_S = 100e9


def the_race(facts: Facts, cpu_flop_per_s: float = CPU_FLOP_PER_S) -> list[Point]:
    width, *paper = (float(facts.controls[k]) for k in ("width", "launch_us", "bus_gb_s", "rate_tflop_s"))
    cpu = curve("cpu", BATCHES, lambda n: 2e-6 + flop(n, int(width)) / cpu_flop_per_s)
    gpu = curve("paper", BATCHES, lambda n: paper_gpu_s(n, int(width), *paper), spread=0, basis=Basis.ASSUMED)
    return cpu + gpu


def test_a_wide_layer_pays_for_the_trip_from_some_batch_on() -> None:
    facts = a_run("paper-race")

    told = verdict("paper-race", the_race(facts), facts)

    assert told.outcome is Outcome.CANNOT_TEST
    assert (told.low, told.measured, told.high) == (4, 8, 8)
    assert "A byte moved brings 128 FLOP" in told.because


def test_a_narrow_layer_on_a_slow_bus_never_pays() -> None:
    facts = a_run("paper-race", width=16, bus_gb_s=1.0)

    told = verdict("paper-race", the_race(facts), facts)

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.never
    assert told.measured is None


def test_paper_never_decides_even_far_beyond_the_noise() -> None:
    facts = a_run("paper-race", launch_us=1.0, rate_tflop_s=1000.0)

    assert verdict("paper-race", the_race(facts, 1e9), facts).outcome is Outcome.CANNOT_TEST


def test_the_paper_gpu_is_named_as_assumed_wherever_it_is_drawn() -> None:
    facts, experiment = a_run("paper-race"), catalog.experiment("paper-race")

    figure = draw(experiment.claim, experiment.plot, the_race(facts))

    assert "paper GPU (assumed)" in [series.name for series in figure.series]
    assert any("not measured here" in note for note in figure.notes)


def test_paper_time_is_launch_plus_trip_plus_arithmetic() -> None:
    launch_s, trip_s, arithmetic_s = 10e-6, 2 * 4 * 64 * 512 / 16e9, 2 * 64 * 512 * 512 / 8e12

    assert paper_gpu_s(64, 512, 10, 16, 8) == pytest.approx(launch_s + trip_s + arithmetic_s)


def test_work_per_byte_is_a_quarter_of_the_width_whatever_the_batch() -> None:
    assert flop_per_trip_byte(512) == 128
    assert break_even_width(107e9, 16) == pytest.approx(26.75)


@pytest.mark.parametrize("width", [20, 33])
def test_below_the_break_even_width_no_batch_wins_and_above_it_one_does(width: int) -> None:
    # 107 GFLOP/s over 16 GB/s breaks even at 26.75; arithmetic on the paper GPU costs next to nothing
    ahead = [n for n in BATCHES if paper_gpu_s(n, width, 10, 16, 1e6) < flop(n, width) / 107e9]

    assert bool(ahead) == (width > 26.75)
