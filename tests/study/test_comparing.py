"""Two runs in one picture: solid where both were measured here, and a sentence that the points bear out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from studyapp.core.errors import UsageError
from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment
from studyapp.experiments.protocol import Ready
from studyapp.store.records import NewRun
from studyapp.study.comparing import Compared, compare
from studyapp.study.desk import Desk
from studyapp.study.lab import remember
from studyapp.study.run_list import pick, runs_of, varying
from tests.study.conftest import Watch

Maker = Callable[..., Desk]
HERE = Facts(device="cpu", device_name="This CPU", cores=2)
GREETING = Ready(cpu="This CPU", cores=2, devices=[{"type": "cpu", "count": 1, "name": "This CPU"}])
COUNTED = Basis.COUNTED


@pytest.fixture
def desk(desk_of: Maker, watch: Watch) -> Desk:
    watch.set("2026-03-02T10:00")
    found = desk_of()
    remember(found, GREETING)
    return found


def keep(
    desk: Desk,
    ys: Sequence[float],
    *,
    name: str = "kept",
    series: str = "kept",
    outcome: Outcome = Outcome.HOLDS,
    facts: Facts = HERE,
    days_ago: int = 0,
    basis: Basis = COUNTED,
    spread: float = 0.0,
    measured: float | None = 2.0,
    **controls: int | str,
) -> None:
    given = {**experiment(name).parse_controls({}), **controls}
    points = [Point(series, 2.0**n, y, y, y * (1 + spread), basis=basis) for n, y in enumerate(ys, start=3)]
    at_ms = desk.clock().at_ms - days_ago * 86_400_000
    verdict = Verdict(outcome, "so it is", measured, experiment(name).unit)
    desk.store.save_run(NewRun(name, given, replace(facts, controls=given), at_ms, 1), points, verdict)


def compared(desk: Desk, name: str = "kept") -> Compared:
    listed = runs_of(desk, name)
    return compare(listed[0], listed[1])


def test_the_same_points_on_two_days_are_the_same(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), days_ago=3)
    keep(desk, (1e9, 2e9))

    found = compared(desk)

    assert found.sentence.startswith("The same as 27 Feb at 16 pictures in a batch")
    assert found.sentence.endswith("; the verdict is the same: it holds.")
    assert found.ratios == (("kept", 8.0, 1.0), ("kept", 16.0, 1.0))


def test_a_change_is_told_in_times_with_the_day_and_the_place(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), days_ago=3)
    keep(desk, (2e9, 6e9), outcome=Outcome.DOES_NOT_HOLD)

    found = compared(desk)

    assert found.sentence.startswith("3.0× more than on 27 Feb at 16 pictures in a batch")
    assert "2.5× more in the middle of 2 points" in found.sentence
    assert found.sentence.endswith("; it held then, and does not hold now.")


@pytest.mark.parametrize(("before", "after", "words"), [(4e-3, 2e-3, "2.0× faster"), (2e-3, 4e-3, "2.0× slower")])
def test_a_shorter_time_is_faster(desk: Desk, before: float, after: float, words: str) -> None:
    for y, days_ago in ((before, 1), (after, 0)):
        keep(desk, (y,), name="layer-batch", series="time", days_ago=days_ago, basis=Basis.MEASURED)

    assert compared(desk, "layer-batch").sentence.startswith(f"{words} than on 1 Mar at 8 rows at once")


def test_a_higher_rate_is_faster(desk: Desk) -> None:
    for y, days_ago in ((1e9, 1), (3e9, 0)):
        keep(desk, (y,), name="width", series="whole", days_ago=days_ago, basis=Basis.MEASURED)

    assert compared(desk, "width").sentence.startswith("3.0× faster than on 1 Mar")


def test_a_difference_within_the_noise_is_no_change(desk: Desk) -> None:
    for y, days_ago in ((1e-3, 1), (1.2e-3, 0)):
        keep(desk, (y,), name="layer-batch", series="time", days_ago=days_ago, spread=0.3)

    assert compared(desk, "layer-batch").sentence.startswith("No clear change from 1 Mar at")


def test_two_settings_are_named_by_what_differs_and_both_verdicts_told(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), side=224)
    keep(desk, (4e9, 8e9), side=384, outcome=Outcome.DOES_NOT_HOLD)

    found = compared(desk)
    labels = {series.lane.label for series in found.figure.series}

    assert "more than with side 224 at" in found.sentence or "less than with side 384 at" in found.sentence
    assert labels == {"side 224", "side 384"}
    assert "holds with side 224" in found.sentence
    assert "does not hold with side 384" in found.sentence


def test_what_was_measured_here_twice_is_solid_with_markers_of_its_own(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), days_ago=3)
    keep(desk, (2e9, 6e9))

    figure = compared(desk).figure

    assert [series.dashed for series in figure.series] == [False, False]
    assert len({series.lane.role for series in figure.series}) == 2
    assert figure.notes == ()


def test_what_was_measured_on_another_machine_is_dashed_and_named(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), days_ago=3, facts=replace(HERE, device_name="Another CPU"))
    keep(desk, (2e9, 6e9))

    found = compared(desk)

    assert [series.dashed for series in found.figure.series] == [True, False]
    assert "recorded, not measured here" in " ".join(found.figure.notes)
    assert not found.before.here


def test_what_is_assumed_stays_assumed(desk: Desk) -> None:
    keep(desk, (1e9, 2e9), days_ago=3, basis=Basis.ASSUMED)
    keep(desk, (2e9, 6e9))

    assert "assumed" in " ".join(compared(desk).figure.notes)


def test_runs_that_share_no_x_are_compared_by_their_numbers(desk: Desk) -> None:
    keep(desk, (1e9,), days_ago=1, measured=3.0)
    keep(desk, (1e9, 2e9, 3e9), measured=5.0)
    listed = runs_of(desk, "kept")
    apart = replace(listed[0], points=(Point("kept", 999.0, 1.0),))

    assert compare(apart, listed[1]).sentence.startswith("They share no x; 5 B now, 3 B on 1 Mar;")


def test_the_order_in_which_two_runs_are_named_does_not_matter(desk: Desk) -> None:
    keep(desk, (1e9,), days_ago=1)
    keep(desk, (3e9,))
    first, second = runs_of(desk, "kept")

    assert compare(first, second) == compare(second, first)
    with pytest.raises(UsageError, match="with itself"):
        compare(first, first)


def test_a_run_is_picked_by_its_number_or_the_beginning_of_its_id(desk: Desk) -> None:
    keep(desk, (1e9,), days_ago=1, side=64)
    keep(desk, (3e9,))
    listed = runs_of(desk, "kept")

    assert pick(listed, "1") is listed[0]
    assert pick(listed, listed[1].run.uid[:8]) is listed[1]
    assert varying(listed) == ["side"]
    for wanted in ("0", "3", "zzzz", ""):
        with pytest.raises(UsageError, match="There is no run"):
            pick(listed, wanted)
    with pytest.raises(UsageError, match="no run with a verdict"):
        pick([], "1")
