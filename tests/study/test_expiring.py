"""Facts that expire: runs of another torch, driver or machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from studyapp.core.verdicts import Facts
from studyapp.study import expiring
from studyapp.study.desk import Desk
from studyapp.study.expiring import Present, expired_runs, latest_runs
from tests.study.conftest import Watch
from tests.study.judged import ran


@pytest.fixture(autouse=True)
def torch_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "installed_torch", lambda: "2.13.0")


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ({"torch": "2.12.1+cpu"}, "measured with torch 2.12"),
        ({"torch": "2.13.0"}, ""),
        ({"torch": "2.13.0+cu130"}, ""),  # the package alone does not say which build it is
        ({"torch": ""}, ""),
        ({"machine": "oldbox"}, "measured on oldbox"),
        ({}, ""),
    ],
)
def test_a_run_expires_with_its_torch_or_its_machine(
    desk_of: Callable[..., Desk], then: dict[str, Any], why: str
) -> None:
    desk = desk_of()
    ran(desk, **then)

    assert [one.why for one in expired_runs(desk)] == ([why] if why else [])


def test_a_run_expires_with_its_driver_once_another_run_has_met_a_new_one(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    ran(desk, device="cuda", name="H200", driver="12.8")
    assert expired_runs(desk) == []

    watch.set("2026-03-03T10:00")
    ran(desk, experiment="kept", controls={"batch": 64}, device="cuda", name="H200", driver="13.0")

    assert [(one.run.experiment, one.note) for one in expired_runs(desk)] == [
        ("small-net", "measured with driver 12.8: run again")
    ]


def test_a_run_on_another_card_of_the_same_box_has_expired(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, device="cuda", name="A100")
    watch.set("2026-03-03T10:00")
    ran(desk, experiment="kept", controls={"batch": 64}, device="cuda", name="H200")

    assert [one.why for one in expired_runs(desk)] == ["measured on A100"]


def test_only_the_latest_run_of_a_trial_counts(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, torch="2.12.1")
    watch.set("2026-03-03T10:00")
    ran(desk)

    assert expired_runs(desk) == []
    assert len(latest_runs(desk)) == 1
    assert latest_runs(desk, "kept") == []


def test_other_controls_are_another_trial(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, torch="2.12.1", controls={"hidden": 16})
    watch.set("2026-03-03T10:00")
    ran(desk)

    assert [one.run.controls for one in expired_runs(desk)] == [{"hidden": 16}]


def test_a_later_run_of_a_merged_machine_does_not_hide_this_ones_own(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    ran(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, machine="laptop")

    assert expired_runs(desk) == []


def test_runs_on_a_named_host_are_compared_with_that_hosts_own(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, host="box", machine="box", torch="2.12.1")
    assert expired_runs(desk) == []  # nothing newer is known of that machine

    watch.set("2026-03-03T10:00")
    ran(desk, experiment="kept", controls={"batch": 64}, host="box", machine="box", torch="2.14.0")

    assert [one.why for one in expired_runs(desk)] == ["measured with torch 2.12"]


def test_another_interpreters_torch_is_told_by_its_latest_run(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(own_worker=False)
    ran(desk, torch="2.7.0")

    assert expired_runs(desk) == []


def test_without_any_run_the_present_is_this_machine_alone() -> None:
    assert Present("here").why(Facts()) == ""
