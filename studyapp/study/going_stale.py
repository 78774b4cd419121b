"""Cards that went stale: another torch, driver or machine gave their claim another verdict, so they come back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studyapp.core.errors import UsageError
from studyapp.core.reviews import State
from studyapp.core.terms import terms_of
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome
from studyapp.study.expiring import short_version

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard, StoredRun
    from studyapp.study.desk import Desk

STALE = "Your answer went stale"


@dataclass(frozen=True)
class Stale:
    """A card whose claim got another verdict under another torch, driver or machine, and not answered since."""

    card: str
    run: str
    """uid of the run that changed it."""
    note: str
    """What to say beside the card, as a sentence."""
    brief: str
    """The same in a few words."""


def bring_back(desk: Desk, run_uid: str, experiment: str) -> list[str]:
    """Make the cards due today whose verdict a run has just changed; return their ids.

    Only where the run before it, of the same trial, was made with another torch, driver or machine: a verdict that
    changes by itself is noise, not news. Each card gets a row in the log, so that it happens once.

    Args:
        desk: The open desk.
        run_uid: The run that has just been stored.
        experiment: Its experiment.
    """
    runs = desk.store.runs(experiment)
    after = next((run for run in runs if run.uid == run_uid), None)
    if after is None or _before(after, runs) is None:
        return []
    today = desk.clock().study_day
    cards = [card for card in desk.store.cards() if _waits(card, today) and _names(card, after)]
    moves = [(card.id, card.memory, replace(card.memory, due_day=today)) for card in cards]
    if moves:
        terms = {card.id: terms_of(desk.options.policy_of(card.module)) for card in cards}
        desk.store.reschedule(moves, at=desk.clock(), terms=terms, after=run_uid)
    return [card.id for card in cards]


def _waits(card: StoredCard, today: int) -> bool:
    """Whether a card was learned and comes back on a later day."""
    known = card.memory.state is State.REVIEW and not card.suspended
    return known and card.memory.due_day is not None and card.memory.due_day > today


def _before(after: StoredRun, runs: Iterable[StoredRun]) -> StoredRun | None:
    """Return the run before one of the same trial, if circumstances and verdict differ between the two."""
    if not _decided(after):
        return None
    earlier = [
        run
        for run in runs
        if run.started_at_ms < after.started_at_ms
        and (run.device, run.controls) == (after.device, after.controls)
        and _decided(run)
    ]
    if not earlier:
        return None
    last = earlier[0]
    assert last.verdict is not None
    assert after.verdict is not None
    known = {run.facts.device_name for run in earlier}
    moved = after.facts.device_name not in known
    same_device = last.facts.device_name == after.facts.device_name
    renewed = same_device and any(
        last.facts.more.get(name)
        and after.facts.more.get(name)
        and last.facts.more[name] != after.facts.more[name]
        for name in ("torch", "driver")
    )
    changed = last.verdict.outcome is not after.verdict.outcome
    return last if changed and (moved or renewed) else None


def _decided(run: StoredRun) -> bool:
    return run.verdict is not None and run.verdict.outcome is not Outcome.TOO_NOISY


def _names(card: StoredCard, run: StoredRun) -> bool:
    from studyapp.experiments.catalog import experiment

    for link in card.experiments:
        if link.experiment == run.experiment:
            try:
                if experiment(link.experiment).parse_controls(link.controls) == dict(run.controls):
                    return True
            except UsageError:
                continue
    return False


def stale_of(desk: Desk, card: str) -> Stale | None:
    """Return why a card came back, where it was because its verdict changed; None for any other."""
    found = desk.store.came_back(card)
    return _told(desk, *found[0]) if found else None


def _told(desk: Desk, card: str, run_uid: str) -> Stale:
    after = next((run for run in desk.store.runs() if run.uid == run_uid), None)
    last = _before(after, desk.store.runs(after.experiment)) if after is not None else None
    if after is None or last is None or after.verdict is None or last.verdict is None:
        # the log may come from another machine before its runs
        return Stale(card, run_uid, f"{STALE}: its claim was measured anew.", "went stale: measured anew")
    if after.facts.device_name != last.facts.device_name:
        then, now = f"on {last.facts.device_name}", f"on {after.facts.device_name}"
    else:
        then, now = (f"with torch {short_version(str(run.facts.more.get('torch', '')))}" for run in (last, after))
    then, now = ("before", "now") if then == now else (then, now)
    before, since = (_past(OUTCOME_WORDS[verdict.outcome]) for verdict in (last.verdict, after.verdict))
    note = f"{STALE}: {after.experiment} {before} {then}, {since} {now}."
    return Stale(card, run_uid, note, f"went stale: {after.experiment} {since} now")


def _past(words: str) -> str:
    """Return a verdict's words without its place.

    >>> _past("does not hold here")
    'does not hold'
    """
    return words.removesuffix(" here")
