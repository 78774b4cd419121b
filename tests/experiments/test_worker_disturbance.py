"""Whether a machine counts as disturbed: on fake counters and a fake canary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studyapp.experiments.worker.disturbance import Canary, Thresholds, Watch, judge_busy, shares

LIMITS = Thresholds()


def write(root: Path, schedstat: str | None, pressure: str | None) -> Path:
    for name, text in (("proc/self/schedstat", schedstat), ("proc/pressure/cpu", pressure)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_text(text, encoding="ascii")
    return root


def test_counters_are_read_in_seconds(tmp_path: Path) -> None:
    pressure = (
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
    )

    watch = Watch.now(write(tmp_path, "3000000000 500000000 42\n", pressure), clock=lambda: 9.0)

    assert watch == Watch(9.0, ran_s=3.0, waited_s=0.5, pressed_s=2.5)


@pytest.mark.parametrize("text", [None, "", "garbage", "1"])
def test_missing_or_odd_counters_are_unknown(tmp_path: Path, text: str | None) -> None:
    watch = Watch.now(write(tmp_path, text, text), clock=lambda: 9.0)

    assert watch == Watch(9.0)
    assert shares(watch, watch, LIMITS) == {}


def test_shares_are_of_the_window_between_two_moments() -> None:
    before, after = Watch(0.0, 1.0, 1.0, 1.0), Watch(10.0, 4.0, 2.0, 6.0)

    assert shares(before, after, LIMITS) == {"wait_share": 0.25, "pressure_share": 0.5}


def test_short_windows_say_nothing() -> None:
    assert shares(Watch(0.0, 0.0, 0.0, 0.0), Watch(1.0, 0.001, 0.04, 1.0), LIMITS) == {}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({}, ""),
        ({"compute_ratio": LIMITS.compute_ratio, "memory_ratio": LIMITS.memory_ratio}, ""),
        ({"wait_share": LIMITS.wait_share, "pressure_share": LIMITS.pressure_share}, ""),
        ({"others": 0.0}, ""),
        ({"others": 1.0}, "another program uses the same card"),
        ({"compute_ratio": 2.0}, "arithmetic took 2.0 times"),
        ({"memory_ratio": 3.0}, "reading memory took 3.0 times"),
        ({"wait_share": 0.5}, "waited for a core 50 %"),
        ({"pressure_share": 0.9}, "waiting for a core 90 %"),
    ],
)
def test_a_run_is_disturbed_only_beyond_a_threshold(found: dict[str, float], words: str) -> None:
    why = judge_busy(found, LIMITS)

    assert words in why
    assert bool(why) == bool(words)


@pytest.mark.parametrize(
    "found",
    [
        {"compute_ratio": 1.07, "memory_ratio": 1.68, "wait_share": 0.03, "pressure_share": 0.18},
        {"compute_ratio": 1.0, "memory_ratio": 1.32, "wait_share": 0.0, "pressure_share": 0.04},
    ],
)
def test_what_was_measured_on_a_quiet_machine_counts_as_quiet(found: dict[str, float]) -> None:
    assert judge_busy(found, LIMITS) == ""


@pytest.mark.parametrize("found", [{"memory_ratio": 2.3}, {"wait_share": 0.34}, {"pressure_share": 0.63}])
def test_what_was_measured_beside_disturbing_programs_counts_as_busy(found: dict[str, float]) -> None:
    assert judge_busy(found, LIMITS) != ""


class FakeTime:
    """A canary part whose seconds are told in advance."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
        self.seconds = list(seconds)
        monkeypatch.setattr("studyapp.experiments.worker.disturbance._seconds", lambda work: self.seconds.pop(0))


def canary(**best: float) -> Canary:
    bird = Canary(torch=None, best=dict(best))
    bird._works = {"memory": lambda: None}
    return bird


def test_the_canary_is_compared_with_its_own_best(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeTime(monkeypatch, 4.0, 3.0, 5.0, 3.5, *[1.5] * 4, *[3.0] * 4)
    bird = canary()

    assert [bird.ratios()["memory_ratio"] for _ in range(3)] == [1.0, 1.0, 2.0]


def test_one_hiccup_is_no_disturbance(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeTime(monkeypatch, *[2.0] * 4, *[1.1] * 4)

    assert canary(memory=1.0).look(LIMITS) == {"memory_ratio": pytest.approx(1.1)}


def test_a_lasting_slowdown_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeTime(monkeypatch, *[2.0] * 4, *[1.9] * 4)

    assert canary(memory=1.0).look(LIMITS) == {"memory_ratio": pytest.approx(1.9)}


@pytest.mark.parametrize("junk", [{"memory": 0}, {"memory": "fast"}, {"memory": -1.0}, {"memory": 9.0}, {}])
def test_a_baseline_from_another_worker_only_ever_improves_ours(junk: dict[str, Any]) -> None:
    bird = canary(memory=1.0)

    bird.remember(junk)
    assert bird.best == {"memory": 1.0}

    bird.remember({"memory": 0.5})
    assert bird.best == {"memory": 0.5}
