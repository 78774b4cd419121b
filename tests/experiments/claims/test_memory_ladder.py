from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.memory_ladder import MB, sizes
from tests.experiments.claims.builders import a_run, curve, verdict


def ladder(near: float, far: float, largest_mb: int = 128, spread: float = 0.05, lane: str = "one") -> list[Point]:
    return curve(lane, sizes(largest_mb), lambda n: near if n <= 2 * MB else far, spread=spread)


def test_a_near_memory_more_than_twice_as_fast_lets_the_claim_hold() -> None:
    told = verdict("memory-ladder", ladder(129e9, 39e9), a_run("memory-ladder"))

    assert told.outcome is Outcome.HOLDS
    assert (told.measured or 0) > 3
    assert "134 MB at 39 GB/s (one core): 3.3×" in told.because


def test_a_ladder_that_ends_within_a_cache_contradicts_the_claim() -> None:
    told = verdict("memory-ladder", ladder(129e9, 129e9, 1), a_run("memory-ladder", largest_mb=1))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_all_cores_count_where_they_are_faster() -> None:
    points = ladder(129e9, 39e9) + ladder(100e9, 78e9, lane="all")

    told = verdict("memory-ladder", points, a_run("memory-ladder"))

    assert "(all cores): 1.7×" in told.because
    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_twice_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("memory-ladder", ladder(90e9, 40e9, spread=0.2), a_run("memory-ladder"))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_ladder_that_was_cut_short_says_nothing() -> None:
    points = [p for p in ladder(129e9, 39e9) if p.x < 128 * MB]

    assert verdict("memory-ladder", points, a_run("memory-ladder")).outcome is Outcome.TOO_NOISY
