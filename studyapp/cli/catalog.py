"""`experiments`: every claim that can be put on trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import print_data, say, spoken

if TYPE_CHECKING:
    from studyapp.experiments.claim import Control, Experiment


@words("experiments", data=True)
@click.pass_obj
def experiments_command(call: Call) -> int:
    """List the experiments.

    Each with the claim it tests and the controls it takes.
    """
    from studyapp.experiments.catalog import experiments

    found = experiments()
    if call.json:
        print_data([_fields(entry) for entry in found])
        return 0
    for number, entry in enumerate(found):
        say(*([""] if number else []), *(_told(entry) if call.plain else _lines(entry)))
    return 0


def _fields(entry: Experiment) -> dict[str, Any]:
    return {
        "id": entry.id,
        "claim": entry.claim,
        "question": entry.question,
        "unit": entry.unit,
        "controls": [_control(control) for control in entry.controls],
        "needs": sorted(entry.needs),
        "testable_here": None,
        "sibling": entry.sibling,
        "usual_seconds": entry.usual_s,
    }


def _control(control: Control) -> dict[str, Any]:
    return {
        "name": control.name,
        "default": control.default,
        "help": control.help,
        "low": control.low,
        "high": control.high,
        "choices": control.choices,
    }


def _lines(entry: Experiment) -> list[str]:
    lines = [entry.id, f"  {entry.claim}"]
    lines += [f"  --set {_example(control)}  {control.help}" for control in entry.controls]
    if entry.needs:
        other = f"; {entry.sibling} shows the same law elsewhere" if entry.sibling else ""
        lines.append(f"  Needs {', '.join(sorted(entry.needs))}{other}.")
    return lines


def _told(entry: Experiment) -> list[str]:
    """Return the same to be listened to: no option to spell out, no blanks to line up."""
    rows = [[entry.id, entry.claim]]
    rows += [
        [f"Control {control.name}", f"{control.help.rstrip('.')}; {_range(control)}"] for control in entry.controls
    ]
    if entry.needs:
        other = f"; {entry.sibling} shows the same law elsewhere" if entry.sibling else ""
        rows.append(["", f"Needs {', '.join(sorted(entry.needs))}{other}"])
    return spoken(rows, as_is=True)


def _range(control: Control) -> str:
    if control.choices:
        return f"{' or '.join(map(str, control.choices))}, usually {control.default}"
    if control.low is None or control.high is None:
        return f"usually {control.default}"
    return f"from {control.low:g} to {control.high:g}, usually {control.default}"


def _example(control: Control) -> str:
    allowed = "|".join(str(choice) for choice in control.choices)
    if not allowed and control.low is not None and control.high is not None:
        allowed = f"{control.low:g} to {control.high:g}"
    return f"{control.name}={control.default}" + (f" ({allowed})" if allowed else "")
