"""What `run` prints of a trial: the chart and its words, sentences alone with `--plain`, or JSON."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

from studyapp.cli.call import Call, locale_trouble
from studyapp.cli.output import note, print_data, print_envelope, say

if TYPE_CHECKING:
    from studyapp.core.figures import Figure
    from studyapp.study.experimenting import Trial

PIPED_SIZE = (80, 20)
LARGEST_CHART = (120, 30)
"""Wider or taller, the eye no longer reads it as one picture."""
ROOM_FOR_WORDS = 8
EXIT_CODES = {"done": 0, "cancelled": 130, "failed": 4, "refused": 1}
"""By the state a trial ends in; a verdict of any kind is a result."""


def print_result(call: Call, trial: Trial, other: Trial | None = None) -> int:
    """Print how a trial went, and the one without its cause; return the exit code."""
    code = max(EXIT_CODES.get(one.state, 4) for one in (trial, other) if one is not None)
    if call.json:
        _print_json(trial, other, code)
    elif call.plain:
        from studyapp.plain.results import words_of

        say(*words_of(trial, ascii=call.settings.ascii))
    else:
        _draw(call, trial)
    if other is not None and not call.json:
        from studyapp.study.why import Why

        why = Why(trial, other)
        first, second = why.verdicts()
        say("", f"With its cause: {first}", f"Without it: {second}", why.sentence())
    if code in (1, 4) and not call.json:
        ended = trial if trial.state != "done" or other is None else other
        note(ended.note, *([ended.hint] if ended.hint else []))
    return code


def _print_json(trial: Trial, other: Trial | None, code: int) -> None:
    data = run_fields(trial)
    if other is not None:
        from studyapp.study.why import Why

        data["why"] = Why(trial, other).as_json() | {"ablated": run_fields(other)}
    if code == 0:
        print_data(data)
        return
    ended = trial if trial.state != "done" or other is None else other
    kind = {1: "refused", 4: "experiment", 130: "cancelled"}[code]
    error = {"kind": kind, "message": ended.note, "hint": ended.hint}
    print_envelope({"ok": False, "error": error, "data": data})


def run_fields(trial: Trial) -> dict[str, Any]:
    """Return the fields of `run --json`; instants are ISO, in UTC."""
    from studyapp.core.days import instant_of

    data = trial.as_json()
    data["sibling"] = trial.experiment.sibling
    data["started_at"] = instant_of(trial.started_at_ms).isoformat()
    if data["prediction"] is not None:
        data["prediction"]["made_at"] = instant_of(data["prediction"]["made_at"]).isoformat()
    return data


def _draw(call: Call, trial: Trial) -> None:
    from studyapp.plain.results import verdict_lines

    figure, ascii_only = trial.figure(), call.settings.ascii
    say(figure.title)
    about = [f"{name} {value}" for name, value in trial.controls.items()]
    say(", ".join([*about, figure.device]))
    if figure.series:
        picture_of(call, figure)
    if trial.state not in ("failed", "refused"):  # these say why on standard error
        say(figure.sentence, *verdict_lines(trial, ascii=ascii_only), *figure.notes)
    if ascii_only and sys.stdout.isatty() and (trouble := locale_trouble()):
        note(f"Drawn in ASCII, since {trouble}; LC_ALL=C.UTF-8 brings the full picture.")


def picture_of(call: Call, figure: Figure) -> None:
    """Print a figure's chart in the colours and the size that the terminal has."""
    from studyapp.chart import render, to_ansi
    from studyapp.cli.colors import depth, palette

    width, height = _chart_size()
    shown = depth(call.settings.color, sys.stdout.isatty(), os.environ)
    colors = palette(shown, os.environ.get("COLORFGBG", ""))
    picture = to_ansi(render(figure, width, height, ascii=call.settings.ascii), colors)
    sys.stdout.write("\n" + "\n".join(line.rstrip() for line in picture.split("\n")) + "\n\n")


def _chart_size() -> tuple[int, int]:
    if not sys.stdout.isatty():
        return PIPED_SIZE
    size = shutil.get_terminal_size(PIPED_SIZE)
    width = min(size.columns, LARGEST_CHART[0])
    return width, min(max(size.lines - ROOM_FOR_WORDS, 10), LARGEST_CHART[1])
