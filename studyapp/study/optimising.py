"""Your own parameters: train FSRS on the learner's log, keep what forecasts better, move due days on demand."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.core.manual import verb
from studyapp.core.optimising import (
    RESET,
    Decision,
    Fit,
    Supply,
    decide,
    pack,
    supply,
    trainable,
)
from studyapp.core.policy import Policy
from studyapp.core.replay import replay_all
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.core.terms import terms_of
from studyapp.experiments import protocol
from studyapp.experiments.child import DEFAULT_COMMAND
from studyapp.experiments.runner import run_sync
from studyapp.store.own_parameters import ParameterSet
from studyapp.study.own import histories, use_own

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

LOAD_DAYS = 30
"""How far ahead a reschedule shows its load."""


@dataclass(frozen=True)
class Optimised:
    """What one attempt came to."""

    state: str
    """"too_little", "kept_old", "taken", "better" (a dry run that would take them), "cancelled" or "failed"."""
    words: str
    """One or two sentences."""
    supply: Supply
    fit: Fit | None = None
    hint: str = ""
    took_s: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `optimize --json`."""
        fit = self.fit
        return {
            "state": self.state,
            "words": self.words,
            "usable": self.supply.usable,
            "forgotten": self.supply.forgotten,
            "loss_before": fit.loss_before if fit else None,
            "loss_after": fit.loss_after if fit else None,
            "trained": fit.trained if fit else None,
            "held_out": fit.held_out if fit else None,
            "parameters": list(fit.parameters) if fit else None,
        }


def optimise(
    desk: Desk,
    *,
    hear: Callable[[protocol.Message], None] = lambda message: None,
    command: Sequence[str] = (),
    dry_run: bool = False,
) -> Optimised:
    """Train on the learner's log in a worker, and take the numbers where they forecast better.

    Nothing is stored before the training has ended: a Ctrl-C, which is raised, leaves the old numbers in force.

    Args:
        desk: The open desk.
        hear: Gets the worker's messages; a point's x counts the passes.
        command: Replaces the command that starts the worker.
        dry_run: Only say what would be done.
    """
    found = histories(desk)
    there = supply(found)
    if not there.enough:
        return Optimised("too_little", f"Your numbers stay as they are: {there.words}", there)
    request = protocol.Fit(
        run=secrets.token_hex(8),
        history=pack(trainable(found)),
        parameters=list(desk.options.policy.parameters),
    )
    end = run_sync(request, hear, command=command or DEFAULT_COMMAND)
    return _conclude(desk, end, there, dry_run=dry_run)


def _conclude(desk: Desk, end: protocol.Message, there: Supply, *, dry_run: bool) -> Optimised:
    if isinstance(end, protocol.Cancelled):
        return Optimised("cancelled", "Cancelled; the old numbers stay.", there)
    if not isinstance(end, protocol.Fitted):
        why = getattr(end, "why", "") or "The worker failed."
        return Optimised("failed", f"{why} The old numbers stay.", there, hint=_hint(end))
    fit = Fit(tuple(end.parameters), end.trained, end.held_out, end.loss_before, end.loss_after)
    verdict = decide(fit)
    if verdict.keep and not dry_run:
        take(desk, fit.parameters, fit)
    state = ("better" if dry_run else "taken") if verdict.keep else "kept_old"
    return Optimised(state, _words(verdict, dry_run), there, fit, took_s=end.took_s)


def _hint(end: protocol.Message) -> str:
    no_torch = isinstance(end, protocol.Failed) and end.failure == "no_torch"
    return "Install torch: pip install torch" if no_torch else "`studyapp doctor` shows what the worker needs."


def _words(verdict: Decision, dry_run: bool) -> str:
    if not verdict.keep:
        return verdict.because
    end = "Nothing was changed." if dry_run else "They are in force; no due day was moved."
    return f"{verdict.because} {end}"


def take(desk: Desk, numbers: Sequence[float], fit: Fit | None = None) -> None:
    """Keep numbers in the store and put them in force, after those that were; no due day moves.

    Args:
        desk: The open desk.
        numbers: 17, 19 or 21 of them.
        fit: The training they come from; None for numbers that the learner brings.

    Raises:
        UsageError: If the numbers are out of their bounds.
    """
    own, policy = desk.store.parameters_in_force(), Policy(parameters=tuple(numbers))
    new = ParameterSet(
        key=policy.key,
        numbers=policy.parameters,
        fitted_at_ms=desk.clock().at_ms,
        reviews=fit.trained + fit.held_out if fit else 0,
        held_out=fit.held_out if fit else 0,
        loss_before=fit.loss_before if fit else None,
        loss_after=fit.loss_after if fit else None,
        replaces=own.key if own else "",
    )
    desk.store.take_parameters(new)
    use_own(desk)


def back(desk: Desk) -> str:
    """Return to the numbers before the present ones; say what was done, in a sentence."""
    left = desk.store.go_back()
    if left is None:
        return "The defaults are in force; there is nothing to go back to."
    use_own(desk)
    to = f"the set {left.replaces}" if left.replaces else "the defaults"
    return f"Back to {to}. {left.key} is kept. No due day was moved."


@dataclass(frozen=True)
class Rescheduling:
    """What moving due days to the numbers in force would do."""

    before: dict[int, int]
    """Cards due on each of the next study days, today with what is overdue."""
    after: dict[int, int]
    moves: tuple[tuple[str, Memory, Memory], ...]
    """(card, memory now, memory then)."""
    terms: dict[str, str]
    """What each moved card was computed under, as `core.terms` names it."""
    cards: int
    """Cards in review, moved or not."""

    @property
    def earlier(self) -> int:
        """How many cards would come sooner."""
        return sum(1 for _, now, then in self.moves if (then.due_day or 0) < (now.due_day or 0))

    @property
    def later(self) -> int:
        """How many cards would come later."""
        return sum(1 for _, now, then in self.moves if (then.due_day or 0) > (now.due_day or 0))


def plan(desk: Desk) -> Rescheduling:
    """Return what every card in review would become, had all its answers been given under the numbers in force.

    These are the numbers of the model and what is wanted of each module.
    """
    options, today = desk.options, desk.clock().study_day
    rows = [row for row in desk.store.reviews() if not _says_nothing(row)]
    cards = [c for c in desk.store.cards() if c.memory.state is State.REVIEW]
    policy_of = {card.id: options.policy_of(card.module) for card in cards}
    anew = replay_all(rows, lambda row: policy_of.get(row.card, options.policy), recompute=True)
    moves, load = [], Counter[int]()
    for card in cards:
        then = anew.get(card.id, card.memory)
        then = then if then.state is State.REVIEW else card.memory
        if then != card.memory:
            moves.append((card.id, card.memory, then))
        if not card.suspended:
            load[max(today, then.due_day or today)] += 1
    before = Counter(max(today, c.memory.due_day or today) for c in cards if not c.suspended)
    days = range(today, today + LOAD_DAYS)
    terms = {card: terms_of(policy_of[card]) for card, _, _ in moves}
    return Rescheduling({d: before[d] for d in days}, {d: load[d] for d in days}, tuple(moves), terms, len(cards))


def _says_nothing(row: ReviewRow) -> bool:
    """Whether a row holds a memory that must not be taken as it stands: it was put away, or rescheduled before."""
    return row.kind is Kind.MANUAL and verb(row.action) != RESET


def move(desk: Desk, planned: Rescheduling) -> int:
    """Move the due days as planned, in one transaction; return how many cards were moved."""
    return desk.store.reschedule(planned.moves, at=desk.clock(), terms=planned.terms)
