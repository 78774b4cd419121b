"""Facts that expire: runs of another torch, driver or machine, and cards whose verdict changed since."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from studyapp.core.reviews import Rating, State
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.records import NewRun
from studyapp.study import expiring
from studyapp.study.desk import Desk
from studyapp.study.expiring import Present, bring_back, expired_runs, latest_runs, stale_cards, stale_of
from studyapp.study.planning import queue_today
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting
from tests.study.conftest import Watch

HERE = os.uname().nodename
CONTROLS = {"hidden": 64}
"""Those of small-net, which the cards of the demo lesson link to."""


@pytest.fixture(autouse=True)
def torch_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "installed_torch", lambda: "2.13.0")


def ran(
    desk: Desk,
    outcome: Outcome = Outcome.HOLDS,
    *,
    experiment: str = "small-net",
    controls: dict[str, Any] | None = None,
    device: str = "cpu",
    name: str = "Test CPU",
    back: bool = False,
    **more: str,
) -> str:
    """Store a judged run made now; with `back` also what a trial does after it."""
    facts = Facts(device, name, more={"torch": "2.13.0+cpu", "machine": HERE, **more})
    moment = desk.clock()
    run = NewRun(experiment, controls or CONTROLS, facts, moment.at_ms, moment.study_day, "done")
    uid = desk.store.save_run(run, [], Verdict(outcome, "because", 2.0, "x"))
    if back:
        bring_back(desk, uid, experiment)
    return uid


def learned(desk: Desk, card: str = "demo/a0") -> None:
    """Learn a card, so that it comes back on a later day."""
    desk.store.mark_read("demo", None, at_ms=desk.clock().at_ms, study_day=desk.clock().study_day)
    sitting = Sitting(desk)
    showing = sitting.show(card)
    assert showing is not None
    sitting.grade(showing, Rating.EASY, duration_ms=1000)


def due(desk: Desk, card: str = "demo/a0") -> int:
    found = desk.store.card(card)
    assert found is not None
    assert found.memory.state is State.REVIEW
    assert found.memory.due_day is not None
    return found.memory.due_day


# runs


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


# cards


def changed(desk: Desk, watch: Watch, **more: Any) -> str:
    """Learn a card, run its claim under an old torch, then under the present one with another verdict."""
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    watch.set("2026-03-03T10:00")
    return ran(desk, Outcome.HOLDS, back=True, **more)


def test_a_card_whose_verdict_changed_is_due_today_and_says_why(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()

    uid = changed(desk, watch)

    assert due(desk) == desk.clock().study_day
    assert [(one.card, one.run) for one in stale_cards(desk)] == [("demo/a0", uid)]
    found = stale_of(desk, "demo/a0")
    assert found is not None
    assert found.note == "Your answer went stale: small-net does not hold with torch 2.12, holds with torch 2.13."
    assert found.brief == "went stale: small-net holds now"
    assert stale_of(desk, "demo/a1") is None
    assert queue_today(desk).counts(desk.clock().at_ms).review == 1
    assert rebuild(desk).equal  # the log alone gives the same day


def test_it_comes_back_once(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    changed(desk, watch)
    sitting = Sitting(desk)
    showing = sitting.show("demo/a0")
    assert showing is not None
    sitting.grade(showing, Rating.GOOD, duration_ms=1000)

    assert stale_cards(desk) == []
    assert due(desk) > desk.clock().study_day
    watch.set("2026-03-03T11:00")
    ran(desk, Outcome.HOLDS, back=True)
    assert stale_cards(desk) == []
    assert due(desk) > desk.clock().study_day


def test_undo_takes_the_return_back(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    changed(desk, watch)

    Sitting(desk).undo()

    assert due(desk) > desk.clock().study_day
    assert stale_cards(desk) == []


def test_a_verdict_that_changes_by_itself_calls_no_card_back(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD)
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, Outcome.HOLDS, back=True)

    assert stale_cards(desk) == []


@pytest.mark.parametrize("outcome", [Outcome.DOES_NOT_HOLD, Outcome.TOO_NOISY])
def test_the_same_verdict_or_none_calls_no_card_back(
    desk_of: Callable[..., Desk], watch: Watch, outcome: Outcome
) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, outcome, back=True)

    assert stale_cards(desk) == []


def test_noise_between_two_verdicts_hides_nothing(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, Outcome.TOO_NOISY, back=True)
    watch.set("2026-03-03T10:05")
    ran(desk, Outcome.HOLDS, back=True)

    assert len(stale_cards(desk)) == 1


def test_two_machines_that_disagree_call_a_card_back_once_not_at_every_run(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, name="Old CPU")
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, Outcome.HOLDS, name="New CPU", back=True)
    found = stale_of(desk, "demo/a0")
    learned_again = Sitting(desk).show("demo/a0")
    assert learned_again is not None
    Sitting(desk).grade(learned_again, Rating.GOOD, duration_ms=1)

    watch.set("2026-03-04T10:00")
    ran(desk, Outcome.DOES_NOT_HOLD, name="Old CPU", back=True)

    assert found is not None
    assert found.note == "Your answer went stale: small-net does not hold on Old CPU, holds on New CPU."
    assert stale_cards(desk) == []


def test_cards_with_other_controls_and_new_or_suspended_ones_stay_where_they_are(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1", controls={"hidden": 16})
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    learned(desk, "demo/a1")
    desk.store.set_suspended("demo/a1", True, at=desk.clock())
    watch.set("2026-03-03T10:00")

    ran(desk, Outcome.HOLDS, controls={"hidden": 16}, back=True)
    assert stale_cards(desk) == []
    ran(desk, Outcome.HOLDS, back=True)
    assert [one.card for one in stale_cards(desk)] == ["demo/a0"]
