"""Fresh numbers for a showing, and the day's trial: chosen by a seed, so that the same showing is the same again.

A remembered number must not pass for understanding. The first time an experiment is predicted it has the lesson's
own numbers; after that its controls are drawn from the sensible values its author named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.catalog import experiments
from studyapp.experiments.claim import Experiment

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

LONGEST_DAILY_S = 30.0
"""A day's trial is over within a minute, torch's start and the prediction included."""
NOT_DAILY = frozenset({"accelerator", "two accelerators"})
"""Needs that a machine seldom meets: a day's trial should end in a verdict."""


def draw_controls(experiment: Experiment, given: Mapping[str, Any], seed: str) -> dict[str, Any]:
    """Return controls drawn for one showing: those given stay, the others come from their fresh values.

    Args:
        experiment: Whose controls.
        given: What the card or the learner fixed.
        seed: The showing; the same seed gives the same controls.

    Raises:
        ControlError: If a given control is unknown or out of range.
    """
    drawn = dict(given)
    for control in experiment.controls:
        if control.name not in drawn and control.fresh:
            drawn[control.name] = control.fresh[_number(f"{seed}/{control.name}") % len(control.fresh)]
    return experiment.parse_controls(drawn)


def controls_for(desk: Desk, experiment_id: str, given: Mapping[str, Any], seed: str) -> dict[str, Any]:
    """Return the controls of a showing: the lesson's own until they were predicted once, then drawn anew.

    Raises:
        ControlError: If a given control is unknown or out of range.
        UsageError: If there is no such experiment.
    """
    experiment = look_up(experiment_id)
    own = experiment.parse_controls(given)
    if not desk.store.predicted_with(experiment_id, own):
        return own
    return draw_controls(experiment, given, seed)


def of_the_day(desk: Desk, study_day: int | None = None) -> tuple[str, dict[str, Any]]:
    """Return the day's trial: an experiment and its controls, the same for the whole day.

    Among those that take less than half a minute and need no GPU, the ones tried on the fewest days before
    this one come first; chance, seeded by the day, picks among them.
    """
    day = desk.clock().study_day if study_day is None else study_day
    fit = [e for e in experiments() if e.usual_s <= LONGEST_DAILY_S and not e.needs & NOT_DAILY]
    fit = [e for e in fit if not e.wants_history]
    tried = desk.store.days_tried(before_day=day)
    fewest = min(tried.get(e.id, 0) for e in fit)
    rare = sorted((e for e in fit if tried.get(e.id, 0) == fewest), key=lambda e: e.id)
    chosen = rare[_number(f"{day}") % len(rare)]
    return chosen.id, draw_controls(chosen, {}, f"day {day}")


def trial_done(desk: Desk) -> str | None:
    """Return the uid of the run with which the day's trial was done, or None."""
    day = desk.clock().study_day
    notes = desk.store.day_notes(day, day, "trial")
    return notes[0].value if notes else None


def keep_trial(desk: Desk, run_uid: str) -> None:
    """Note that the day's trial was done, with its run; only the first of a day counts.

    Raises:
        StoreError: If it cannot be written.
    """
    moment = desk.clock()
    if trial_done(desk) is None:
        desk.store.put_day_note(moment.study_day, "trial", run_uid, at_ms=moment.at_ms)


def _number(seed: str) -> int:
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
