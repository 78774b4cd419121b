from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.optimising import supply
from studyapp.core.policy import DEFAULT_PARAMETERS, Policy
from studyapp.core.replay import replay_all
from studyapp.core.reviews import Kind, State
from studyapp.experiments.protocol import Message, PointMessage
from studyapp.study import optimising
from studyapp.study.desk import Desk
from studyapp.study.own import histories, use_own
from tests.study.conftest import Watch
from tests.study.fit_worker import NUMBERS
from tests.study.log import live, study

FAKE = Path(__file__).with_name("fit_worker.py")
MakeDesk = Callable[..., Desk]


def worker(mode: str) -> tuple[str, ...]:
    return (sys.executable, str(FAKE), mode)


@pytest.fixture
def studied(desk_of: MakeDesk, watch: Watch) -> Desk:
    """A desk whose log holds enough to train on, 100 cards that no lesson shows any more."""
    desk = desk_of()
    study(desk.store, (f"old/{k}" for k in range(100)), watch().study_day)
    assert supply(histories(desk)).enough
    return desk


def due_days(desk: Desk) -> dict[str, int | None]:
    return {card.id: card.memory.due_day for card in desk.store.cards(include_hidden=True)}


# too little (A13)


@pytest.mark.parametrize("answers", [0, 5, 60])
def test_a13_too_little_to_train_on_starts_no_worker_and_says_how_much_is_needed(
    desk_of: MakeDesk, watch: Watch, answers: int
) -> None:
    desk, today = desk_of(), watch().study_day
    for number in range(answers):
        live(desk.store, f"old/{number}", [(today - 30, 4), (today - 20, 3)])

    found = optimising.optimise(desk, command=("no-such-program",))

    assert found.state == "too_little"
    assert found.words == (
        f"Your numbers stay as they are: {answers} usable reviews; about 400 are needed. "
        "A review counts from the day after the answer before."
    )
    assert desk.store.parameter_sets() == []


def test_a13_six_hundred_cards_answered_once_are_no_usable_review(desk_of: MakeDesk, watch: Watch) -> None:
    desk = desk_of()
    for number in range(600):
        live(desk.store, f"old/{number}", [(watch().study_day - 5, 4)])

    assert optimising.optimise(desk).words.startswith("Your numbers stay as they are: 0 usable reviews")


# training


def test_better_numbers_are_taken_and_move_no_due_day(studied: Desk) -> None:
    before, heard = due_days(studied), list[Message]()

    found = optimising.optimise(studied, hear=heard.append, command=worker("better"))

    assert found.state == "taken"
    assert "0.4000 -> 0.3000 on the 100 latest reviews" in found.words
    assert studied.options.policy.parameters == tuple(NUMBERS)
    assert due_days(studied) == before
    (kept,) = studied.store.parameter_sets()
    assert (kept.key, kept.numbers, kept.reviews) == (Policy(parameters=tuple(NUMBERS)).key, tuple(NUMBERS), 500)
    assert (kept.loss_before, kept.loss_after, kept.replaces) == (0.4, 0.3, "")
    assert any(isinstance(message, PointMessage) for message in heard)


def test_the_numbers_in_force_are_those_at_the_next_start(studied: Desk, desk_of: MakeDesk) -> None:
    optimising.optimise(studied, command=worker("better"))

    again = desk_of()
    assert again.options.policy.parameters == DEFAULT_PARAMETERS
    use_own(again)

    assert again.options.policy.parameters == tuple(NUMBERS)
    assert not again.options.policy.fuzz  # what the learner chose stays


@pytest.mark.parametrize(
    ("mode", "state", "words"),
    [
        ("worse", "kept_old", "0.4000 -> 0.5000"),
        ("nan", "kept_old", "outside the allowed range"),
        ("crash", "failed", "The old numbers stay."),
        ("no_torch", "failed", "No module named 'torch'."),
    ],
)
def test_a13_anything_but_better_numbers_leaves_the_old_in_force(
    studied: Desk, mode: str, state: str, words: str
) -> None:
    found = optimising.optimise(studied, command=worker(mode))

    assert found.state == state
    assert words in found.words
    assert found.hint == ("Install torch: pip install torch" if mode == "no_torch" else found.hint)
    assert studied.store.parameters_in_force() is None
    assert studied.options.policy.parameters == DEFAULT_PARAMETERS


def test_a_dry_run_says_what_would_happen_and_changes_nothing(studied: Desk) -> None:
    found = optimising.optimise(studied, command=worker("better"), dry_run=True)

    assert found.state == "better"
    assert found.words.endswith("Nothing was changed.")
    assert studied.store.parameter_sets() == []


def test_a13_ctrl_c_half_way_keeps_the_old_numbers(studied: Desk) -> None:
    def interrupt(message: Message) -> None:
        if isinstance(message, PointMessage):
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        optimising.optimise(studied, hear=interrupt, command=worker("hang"))

    assert studied.store.parameter_sets() == []


def test_every_set_is_kept_and_can_be_returned_to(studied: Desk) -> None:
    optimising.optimise(studied, command=worker("better"))
    first = studied.store.parameters_in_force()
    assert first is not None

    told = optimising.back(studied)

    assert told == f"Back to the defaults. {first.key} is kept. No due day was moved."
    assert studied.options.policy.parameters == DEFAULT_PARAMETERS
    assert studied.store.parameter_sets() == [first]
    assert optimising.back(studied) == "The defaults are in force; there is nothing to go back to."


@pytest.mark.torch
def test_a13_650_mixed_reviews_are_trained_on_by_the_real_worker(desk_of: MakeDesk, watch: Watch) -> None:
    desk = desk_of()
    study(desk.store, (f"old/{k}" for k in range(130)), watch().study_day, fails=0.3)
    assert supply(histories(desk)).usable >= 650

    found = optimising.optimise(desk)

    assert found.state in ("taken", "kept_old")
    assert found.fit is not None
    assert found.fit.trained + found.fit.held_out == found.supply.usable
    taken = desk.store.parameters_in_force()
    assert (taken is not None) is (found.fit.loss_after < found.fit.loss_before)


# the log as training sees it


def test_the_histories_leave_out_what_was_taken_back_and_what_was_put_away(
    desk_of: MakeDesk, watch: Watch
) -> None:
    desk, today = desk_of(), watch().study_day
    card = desk.store.cards()[0].id
    live(desk.store, card, [(today - 20, 4), (today - 10, 3)])
    desk.store.set_suspended(card, True, at=watch())
    at = watch()
    desk.store.set_suspended(card, False, at=at)
    kept = histories(desk)
    live(desk.store, "old/1", [(today - 9, 4)])
    undone = desk.store.undo(at_ms=at.at_ms, offset_min=0, zone="UTC", study_day=today)
    assert undone is not None
    assert undone.card == "old/1"

    assert histories(desk) == kept
    assert [(h.ratings, h.deltas) for h in kept] == [((4, 3), (0, 10))]


# moving due days


def test_a_dry_reschedule_shows_the_load_before_and_after_and_moves_nothing(
    desk_of: MakeDesk, watch: Watch
) -> None:
    desk = desk_of()
    cards = [card.id for card in desk.store.cards()]
    study(desk.store, cards, watch().study_day)
    optimising.take(desk, NUMBERS)
    before = due_days(desk)

    planned = optimising.plan(desk)

    assert due_days(desk) == before
    assert len(planned.before) == len(planned.after) == 30
    assert planned.earlier + planned.later > 0
    assert planned.cards == len(cards)


def test_a_reschedule_gives_every_card_the_day_it_had_come_under_the_new_numbers(
    desk_of: MakeDesk, watch: Watch
) -> None:
    desk = desk_of()
    today = watch().study_day
    cards = [card.id for card in desk.store.cards()]
    study(desk.store, cards, today)
    optimising.take(desk, NUMBERS)

    moved = optimising.move(desk, optimising.plan(desk))

    own = Policy(parameters=tuple(NUMBERS), fuzz=False)
    answers = [row for row in desk.store.reviews() if row.kind is not Kind.MANUAL]
    wanted = replay_all(answers, lambda _: own, recompute=True)
    assert moved > 0
    assert {card.id: card.memory for card in desk.store.cards()} == wanted
    # the log holds the move, so a replay of the stored rows leads to the same memory, and a second plan is empty
    assert replay_all(desk.store.reviews(), lambda _: own) == wanted
    assert optimising.plan(desk).moves == ()
    assert desk.store.check_rollups() == []


def test_a_card_that_was_answered_meanwhile_is_not_moved(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    cards = [card.id for card in desk.store.cards()]
    study(desk.store, cards, today)
    optimising.take(desk, NUMBERS)
    planned = optimising.plan(desk)
    assert planned.moves
    with desk.store.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET reps = reps + 1")

    assert optimising.move(desk, planned) == 0


def test_a_card_on_a_learning_step_is_left_alone(desk_of: MakeDesk, watch: Watch) -> None:
    desk, today = desk_of(), watch().study_day
    card = desk.store.cards()[0].id
    live(desk.store, card, [(today - 1, 1)])
    optimising.take(desk, NUMBERS)

    assert optimising.plan(desk).moves == ()
    stored = desk.store.card(card)
    assert stored is not None
    assert stored.memory.state is State.LEARNING
