from __future__ import annotations

import zlib

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.decode_workers import Order, counts, unpacked
from studyapp.experiments.processes import Crew
from tests.experiments.claims.builders import a_run, curve, verdict


def shared(gain: float, *, spread: float = 0.03, settled: bool = True, most: int = 2) -> list[Point]:
    """Return the time per picture of one process, and of `most` that are so many times as fast."""
    return curve("processes", (1, most), lambda n: 1e-3 if n == 1 else 1e-3 / gain, spread=spread, settled=settled)


def test_nearly_twice_the_pictures_on_two_cores_let_the_claim_hold() -> None:
    told = verdict("decode-workers", shared(1.8), a_run("decode-workers"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == "2 processes unpack 1.8× as many pictures as one: 1,800 against 1,000 a second."
    assert told.measured is not None
    assert abs(told.measured - 1.8) < 1e-9


def test_processes_that_bring_nothing_contradict_the_claim() -> None:
    told = verdict("decode-workers", shared(0.95), a_run("decode-workers", pictures=1))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_gain_near_the_line_is_too_noisy_to_say() -> None:
    assert (
        verdict("decode-workers", shared(1.22, spread=0.1), a_run("decode-workers")).outcome is Outcome.TOO_NOISY
    )


def test_many_cores_must_bring_many_times_the_pictures() -> None:
    assert verdict("decode-workers", shared(4, most=8), a_run("decode-workers", cores=64)).outcome is (
        Outcome.DOES_NOT_HOLD
    )
    assert verdict("decode-workers", shared(7, most=8), a_run("decode-workers", cores=8)).outcome is Outcome.HOLDS


def test_a_single_core_cannot_test_it() -> None:
    told = verdict("decode-workers", shared(1.8)[:1], a_run("decode-workers", cores=1))

    assert told.outcome is Outcome.CANNOT_TEST


def test_processes_whose_cores_were_taken_by_others_decide_nothing() -> None:
    told = verdict("decode-workers", shared(0.9, settled=False), a_run("decode-workers"))

    assert told.outcome is Outcome.TOO_NOISY


def test_there_are_never_more_processes_than_cores() -> None:
    assert all(max(counts(cores)) <= cores for cores in range(1, 100))


def test_an_order_is_shared_out_whole_and_knows_whether_the_cores_were_free() -> None:
    class Members(Crew):
        def __init__(self, cpu_s: float) -> None:
            self.cpu_s = cpu_s

        def answers(self, tasks: object) -> list[tuple[float, float]]:
            return [(self.cpu_s, 1.0)] * 3

    free, taken = Order(Members(0.99), 32, 3), Order(Members(0.5), 32, 3)
    free.fill()
    taken.fill()

    assert free.shares == [11, 11, 10]
    assert (free.undisturbed, taken.undisturbed) == (True, False)


def test_unpacking_tells_how_long_it_computed() -> None:
    cpu_s, wall_s = unpacked(zlib.compress(bytes(10**6)), 3)

    assert cpu_s >= 0
    assert wall_s > 0
    assert unpacked(b"", 0)[1] >= 0
