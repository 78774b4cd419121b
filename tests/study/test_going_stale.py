"""Cards whose verdict changed under another torch, driver or machine come back, once, and say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from studyapp.core.reviews import Rating, State
from studyapp.core.verdicts import Outcome
from studyapp.study import expiring
from studyapp.study.desk import Desk
from studyapp.study.going_stale import stale_of
from studyapp.study.planning import queue_today
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting
from tests.study.conftest import Watch
from tests.study.judged import ran


@pytest.fixture(autouse=True)
def torch_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "installed_torch", lambda: "2.13.0")


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
    assert desk.store.came_back() == [("demo/a0", uid)]
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

    assert desk.store.came_back() == []
    assert due(desk) > desk.clock().study_day
    watch.set("2026-03-03T11:00")
    ran(desk, Outcome.HOLDS, back=True)
    assert desk.store.came_back() == []
    assert due(desk) > desk.clock().study_day


def test_undo_takes_the_return_back(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    changed(desk, watch)

    Sitting(desk).undo()

    assert due(desk) > desk.clock().study_day
    assert desk.store.came_back() == []


def test_a_verdict_that_changes_by_itself_calls_no_card_back(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD)
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, Outcome.HOLDS, back=True)

    assert desk.store.came_back() == []


@pytest.mark.parametrize("outcome", [Outcome.DOES_NOT_HOLD, Outcome.TOO_NOISY])
def test_the_same_verdict_or_none_calls_no_card_back(
    desk_of: Callable[..., Desk], watch: Watch, outcome: Outcome
) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, outcome, back=True)

    assert desk.store.came_back() == []


def test_noise_between_two_verdicts_hides_nothing(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    ran(desk, Outcome.DOES_NOT_HOLD, torch="2.12.1")
    learned(desk)
    watch.set("2026-03-03T10:00")
    ran(desk, Outcome.TOO_NOISY, back=True)
    watch.set("2026-03-03T10:05")
    ran(desk, Outcome.HOLDS, back=True)

    assert len(desk.store.came_back()) == 1


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
    assert desk.store.came_back() == []


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
    assert desk.store.came_back() == []
    ran(desk, Outcome.HOLDS, back=True)
    assert [card for card, _ in desk.store.came_back()] == ["demo/a0"]
