"""The scheduler's numbers: `optimize` trains them on your log, `reschedule` moves due days to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.moving_line import MovingLine
from studyapp.cli.output import columns, note, plural, print_data, print_envelope, say, spoken
from studyapp.core.days import day_to_iso
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.experiments.protocol import Message
    from studyapp.study.optimising import Optimised, Rescheduling

EXIT_CODES = {"failed": 4, "cancelled": 130}
"""By the state an attempt ends in; keeping the old numbers is a result."""
BAR = 24
"""Characters of the longest bar of a load."""


@words("optimize", data=True)
@click.option("--dry-run", is_flag=True, help="Train and compare, but change nothing.")
@click.option("--back", is_flag=True, help="Return to the numbers before the present ones.")
@click.pass_obj
def optimize_command(call: Call, dry_run: bool, back: bool) -> int:
    """Train the scheduler on your own reviews.

    The numbers are taken only where they forecast the latest reviews better than those in force. No due day moves.
    """
    from studyapp.study import optimising

    if dry_run and back:
        raise UsageError("--dry-run and --back do not go together.", "Give one of them.")
    with call.desk() as desk:
        if back:
            told = optimising.back(desk)
            if call.json:
                print_data({"words": told, "in_force": desk.options.policy.key})
            else:
                say(told)
            return 0
        progress = _Progress(moving=not call.plain)
        try:
            found = optimising.optimise(
                desk, hear=progress.hear, command=call.settings.worker_command, dry_run=dry_run
            )
        finally:
            progress.clear()
        return _report(call, found, desk.options.policy.key)


def _report(call: Call, found: Optimised, in_force: str) -> int:
    code = EXIT_CODES.get(found.state, 0)
    data = {**found.as_json(), "in_force": in_force}
    if call.json and code:
        error = {"kind": "experiment", "message": found.words, "hint": found.hint}
        print_envelope({"ok": False, "error": error, "data": data})
    elif call.json:
        print_data(data)
    elif code:
        note(found.words, *([found.hint] if found.hint else []))
    else:
        say(found.words)
        if found.state == "taken":
            say("`studyapp reschedule --dry-run` shows what moving due days to them would do.")
    return code


class _Progress:
    """Says how far the training is."""

    def __init__(self, *, moving: bool) -> None:
        self._line = MovingLine(moving=moving)

    def hear(self, message: Message) -> None:
        """Take a message from the worker."""
        from studyapp.experiments.protocol import PointMessage, Started

        if isinstance(message, Started):
            self._line.show("training on your reviews")
        elif isinstance(message, PointMessage):
            self._line.show(f"pass {message.point.x:.0f}, log-loss {message.point.y or 0:.4f}")

    def clear(self) -> None:
        """Take the line away."""
        self._line.clear()


@words("reschedule", data=True)
@click.option("--dry-run", is_flag=True, help="Only show the load of the next 30 days before and after.")
@click.pass_obj
def reschedule_command(call: Call, dry_run: bool) -> int:
    """Move due days to the numbers in force.

    Every card's history is replayed under them, as if they had always been in force; the log keeps both.
    """
    from studyapp.study import optimising

    with call.desk() as desk:
        planned = optimising.plan(desk)
        moved = 0 if dry_run else optimising.move(desk, planned)
        if call.json:
            print_data(_fields(planned, moved))
        else:
            say(*_lines(planned, moved, dry_run=dry_run, in_words=call.plain))
        call.refresh(desk, changed=not dry_run)
    return 0


def _fields(planned: Rescheduling, moved: int) -> dict[str, object]:
    return {
        "cards": planned.cards,
        "earlier": planned.earlier,
        "later": planned.later,
        "moved": moved,
        "load": [
            {"day": day_to_iso(day), "before": count, "after": planned.after[day]}
            for day, count in planned.before.items()
        ],
    }


def _lines(planned: Rescheduling, moved: int, *, dry_run: bool, in_words: bool = False) -> list[str]:
    split = f"{planned.earlier} sooner, {planned.later} later"
    told = (
        f"{plural(len(planned.moves), 'card')} of {planned.cards} would change: {split}. Nothing was changed."
        if dry_run
        else f"{plural(moved, 'card')} of {planned.cards} changed: {split}."
    )
    if in_words:
        days = [
            [day_to_iso(day), f"{count} before, {planned.after[day]} after"]
            for day, count in planned.before.items()
        ]
        whole = f"{sum(planned.before.values())} before, {sum(planned.after.values())} after"
        return [told, *spoken([*days, ["all days", whole]])]
    most = max([*planned.before.values(), *planned.after.values(), 1])
    rows = [["day", "before", "after", ""]]
    for day, count in planned.before.items():
        after = planned.after[day]
        rows.append([day_to_iso(day), f"{count:>6}", f"{after:>5}", "#" * round(after / most * BAR)])
    total = [f"{sum(load.values()):>{width}}" for load, width in ((planned.before, 6), (planned.after, 5))]
    return [told, *(line.rstrip() for line in columns([*rows, ["30 days", *total, ""]]))]
