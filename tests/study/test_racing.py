"""The race: every number from the points; "never" is an answer."""

from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.experiments.claims.paper_race import paper_gpu_s
from studyapp.study.racing import Lane, cores_track, track_of

CONTROLS = {"width": 512, "launch_us": 25.0, "bus_gb_s": 16.0, "rate_tflop_s": 8.0}


def paper_points(per_row_s: float, width: int = 512) -> list[Point]:
    points = []
    for n in (1, 16, 256, 4096):
        points.append(Point("cpu", n, n * per_row_s))
        points.append(Point("paper", n, paper_gpu_s(n, width, 25.0, 16.0, 8.0), basis=Basis.ASSUMED))
    return points


def test_a_lane_fills_over_its_own_time() -> None:
    lane = Lane(wait_s=3.0, work_s=1.0)
    assert lane.share(0) == (0, 0)
    assert lane.share(1.5) == (0.375, 0)
    assert lane.share(3.5) == (0.75, 0.125)
    assert lane.share(9) == (0.75, 0.25)


def test_the_paper_gpu_waits_for_launch_and_trip_and_is_named() -> None:
    track = track_of(paper_points(5e-6), CONTROLS)
    assert track.rival_name == "paper GPU"
    assert not track.measured
    assert track.rival[256].total_s == pytest.approx(paper_gpu_s(256, 512, 25.0, 16.0, 8.0))
    assert track.rival[256].work_s == pytest.approx(2 * 256 * 512 * 512 / 8e12)
    assert track.winner(1) == "cpu"
    assert track.winner(256) == "rival"
    assert track.crossover() == 16
    assert "sooner from 16 rows on" in track.law()


def test_never_is_an_answer() -> None:
    track = track_of(paper_points(1e-9), CONTROLS)
    assert track.crossover() is None
    assert "never leads" in track.law()


def test_a_measured_gpu_splits_into_copies_and_work() -> None:
    points = [Point("cpu", n, n * 1e-5) for n in (1, 64)]
    points += [Point("resident", n, 2e-5) for n in (1, 64)] + [Point("copied", n, 5e-5) for n in (1, 64)]
    track = track_of(points, {"width": 512})
    assert track.measured
    assert track.rival[64].wait_s == pytest.approx(3e-5)
    assert track.rival[64].work_s == pytest.approx(2e-5)
    assert track.factor(64) == pytest.approx(12.8)


def test_points_without_a_gpu_lane_are_no_race() -> None:
    with pytest.raises(ValueError, match="no GPU lane"):
        track_of([Point("cpu", 1, 1.0)], CONTROLS)


def test_the_paper_gpu_names_its_three_numbers() -> None:
    basis = track_of(paper_points(5e-6), CONTROLS | {"bus_gb_s": 4.0}).basis
    assert "the GPU is on paper, assumed" in basis
    assert "launch 25 µs, bus 4 GB/s, arithmetic 8 TFLOP/s" in basis


def test_one_core_races_all_of_them_and_nothing_is_assumed() -> None:
    points = [Point("one", n, n * 1e-6) for n in (2, 16, 128)]
    points += [Point("all", n, 1e-5 + n * 0.5e-6) for n in (2, 16, 128)]
    track = cores_track(points, {"width": 64}, 8)
    assert track.measured
    assert track.won(2) == "One core wins by 5.5×."
    assert track.won(128) == "All 8 cores win by 1.7×."
    assert track.law() == "At width 64 all 8 cores are sooner from 128 rows on."


def test_a_single_core_has_nobody_to_race() -> None:
    with pytest.raises(ValueError, match="share no batch"):
        cores_track([Point("one", 2, 1.0)], {"width": 64}, 1)
