"""The learner's own log and numbers at the desk: small, for every start of the program passes here."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from studyapp.core.optimising import Entry, History, history_of, pack, supply, trainable
from studyapp.core.policy import DEFAULT_PARAMETERS
from studyapp.core.reviews import Kind

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


def use_own(desk: Desk) -> None:
    """Let the desk schedule with the set in force; due days stay as they are."""
    own = desk.store.parameters_in_force()
    numbers = DEFAULT_PARAMETERS if own is None else own.numbers
    desk.options = replace(desk.options, policy=replace(desk.options.policy, parameters=numbers))


def histories(desk: Desk) -> list[History]:
    """Return what of the learner's log can be trained on, a history for each card."""
    found = []
    for _, rows in groupby(desk.store.training_rows(), key=lambda row: row.card):
        history = history_of(Entry(Kind(r.kind), r.rating, r.study_day, r.action) for r in rows)
        if history is not None:
            found.append(history)
    return found


def packed_log(desk: Desk) -> str:
    """Return the log as an experiment gets it, "" where there is too little to train on."""
    found = histories(desk)
    return pack(trainable(found)) if supply(found).enough else ""
