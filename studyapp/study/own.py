"""The learner's own parameters at the desk: small, for every start of the program passes here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from studyapp.core.policy import DEFAULT_PARAMETERS

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


def use_own(desk: Desk) -> None:
    """Let the desk schedule with the set in force; due days stay as they are."""
    own = desk.store.parameters_in_force()
    numbers = DEFAULT_PARAMETERS if own is None else own.numbers
    desk.options = replace(desk.options, policy=replace(desk.options.policy, parameters=numbers))
