"""Corrections: what a learner found wrong on a card, with the run that contradicts it, ready to send on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.core.days import instant_of
from studyapp.core.errors import UsageError
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome

if TYPE_CHECKING:
    from studyapp.store.corrections import StoredCorrection
    from studyapp.store.records import StoredCard, StoredRun
    from studyapp.study.desk import Desk

LONGEST = 4000
"""Characters of one correction; more belongs into a mail."""


def contradicting_run(desk: Desk, card: StoredCard) -> StoredRun | None:
    """Return the latest run of the card's experiments that does not bear it out, else the latest judged one."""
    names = {link.experiment for link in card.experiments}
    judged = [run for name in names for run in desk.store.runs(name) if run.verdict is not None]
    judged.sort(key=lambda run: run.started_at_ms, reverse=True)
    against = [run for run in judged if run.verdict and run.verdict.outcome is Outcome.DOES_NOT_HOLD]
    return next(iter(against or judged), None)


def correct(desk: Desk, card_id: str, text: str, run: str | None = None) -> str:
    """Store a correction of a card and return its uid.

    Args:
        desk: The open desk.
        card_id: The card.
        text: What is wrong, in the learner's words.
        run: The run to attach; None for the one that contradicts the card, if any.

    Raises:
        UsageError: If there is no such card, or nothing or too much was written.
        StoreError: If it cannot be stored.
    """
    card = desk.store.card(card_id)
    if card is None:
        raise UsageError(f"There is no card {card_id!r}.", "`studyapp list` shows the cards.")
    text = text.strip()
    if not text:
        raise UsageError("Nothing was written.", "Say what is wrong and what is right.")
    if len(text) > LONGEST:
        raise UsageError(
            f"A correction has at most {LONGEST} characters, this one {len(text)}.", "Say it shorter."
        )
    if run is None:
        found = contradicting_run(desk, card)
        run = found.uid if found is not None else None
    return desk.store.add_correction(
        card_id, text, prompt=card.prompt, answer=card.answer, run=run, at_ms=desk.clock().at_ms
    )


def withdraw(desk: Desk, which: str) -> StoredCorrection:
    """Take a correction back, named by the beginning of its uid; return it.

    Raises:
        UsageError: If none, or more than one, begins so.
    """
    fitting = [c for c in desk.store.corrections() if c.uid.startswith(which)]
    if len(fitting) != 1 or not which:
        found = "no correction" if not fitting else f"{len(fitting)} corrections"
        raise UsageError(f"{which!r} names {found}.", "`studyapp corrections` shows them with their ids.")
    desk.store.withdraw_correction(fitting[0], at_ms=desk.clock().at_ms)
    return fitting[0]


def as_markdown(desk: Desk) -> str:
    """Return all corrections that stand as Markdown for the lesson's author."""
    found = desk.store.corrections()
    count = f"{len(found)} correction" + ("" if len(found) == 1 else "s")
    parts = [f"# {count}\n"] + [_part(desk, correction) for correction in found]
    return "\n".join(parts)


def _part(desk: Desk, correction: StoredCorrection) -> str:
    card = desk.store.card(correction.card)
    place = f" ({card.path.rpartition('/')[2]}:{card.line})" if card is not None and card.line else ""
    day = instant_of(correction.written_at_ms).astimezone(desk.clock().zone)
    lines = [
        f"## `{correction.card}`{place}\n",
        f"{_quoted(correction.prompt)}\n>\n{_quoted(correction.answer)}\n",
        f"{correction.text}\n",
        f"*{day.day} {day:%b %Y}*\n",
    ]
    run = desk.store.run_of(correction.run) if correction.run else None
    if run is not None:
        lines.insert(3, _evidence(desk, run))
    return "\n".join(lines)


def _evidence(desk: Desk, run: StoredRun) -> str:
    """Return the run in words with its points, so that it can be judged without the program."""
    facts = run.facts
    controls = ", ".join(f"{name} {value}" for name, value in run.controls.items())
    machine = ", ".join(filter(None, (run.device, facts.device_name, f"torch {facts.more.get('torch', '?')}")))
    lines = [f"Measured with `{run.experiment}` ({controls}) on {machine}.\n"]
    if run.verdict is not None:
        lines.append(f"**{OUTCOME_WORDS[run.verdict.outcome].capitalize()}.** {run.verdict.because}\n")
    lines += ["| series | x | y | basis |", "|---|---|---|---|"]
    points = desk.store.run_points(run.uid)
    lines += [
        f"| {p.series} | {p.x:g} | {'' if p.y is None else f'{p.y:.6g}'} | {p.basis.value} |" for p in points
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
