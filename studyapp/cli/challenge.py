"""`challenge`: let a friend predict this machine, or predict a friend's."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import note, plural, print_data, say
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.predictions import Prediction
    from studyapp.study.challenging import Challenge
    from studyapp.study.desk import Desk


@words("challenge", data=True)
@click.argument("what", type=click.Choice(["export", "open"]))
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--experiment", "experiments", multiple=True, metavar="ID", help="Only this one; may be repeated.")
@click.option("--from", "sender", metavar="NAME", help="What to call you in the file.")
@click.option("--predict", "told", multiple=True, metavar="ID=N", help="With open: a prediction, for scripts.")
@click.pass_obj
def challenge_command(
    call: Call, what: str, path: Path, experiments: tuple[str, ...], sender: str | None, told: tuple[str, ...]
) -> int:
    """Let a friend predict this machine, or predict theirs.

    `export` writes what was measured here, `open` asks for your numbers about a friend's machine. The file holds
    recorded points and no code; verdicts are computed anew where it is opened.
    """
    from studyapp.study import challenge_files

    if what == "export":
        if told:
            raise UsageError("--predict answers a challenge.", "It goes with open.")
        with call.desk() as desk:
            count = challenge_files.write(desk, path, sender or _login(), experiments)
        if call.json:
            print_data({"path": str(path), "trials": count})
        else:
            say(f"{plural(count, 'measurement')} written to {path}. `studyapp challenge open` predicts them.")
        return 0
    if experiments or sender:
        raise UsageError("--experiment and --from write a challenge.", "They go with export.")
    found = challenge_files.read(path)
    with call.desk() as desk:
        answers = _answers(call, desk, found, told)
    if call.json:
        print_data(fields(found, answers))
    return 0


def _answers(call: Call, desk: Desk, found: Challenge, told: tuple[str, ...]) -> dict[str, Prediction]:
    from studyapp.plain.challenge import play
    from studyapp.plain.talk import Talk
    from studyapp.study import challenging

    answers = challenging.answered(desk, found)
    fresh = {name: p for name, p in _told(found, told).items() if name not in answers}
    if fresh:
        answers |= fresh
        challenging.keep(desk, found, answers)
    if call.json:
        note(*found.left_out)
        return answers
    if not told or sys.stdin.isatty():
        return play(desk, Talk(ascii=call.settings.ascii), found)
    say(challenging.tally(found, answers).sentence)
    return answers


def _told(found: Challenge, told: tuple[str, ...]) -> dict[str, Prediction]:
    from studyapp.core.predictions import Prediction

    names = {riddle.experiment.id for riddle in found.riddles}
    answers = {}
    for entry in told:
        name, equals, text = entry.partition("=")
        if not equals or name not in names:
            raise UsageError(
                f"--predict {entry!r} names no trial of it.", f"It asks for {', '.join(sorted(names))}."
            )
        try:
            value = None if text == "never" else float(text)
        except ValueError:
            raise UsageError(f"--predict {entry!r} has no number.", "Write it as --predict ID=12.") from None
        answers[name] = Prediction(value)
    return answers


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "a friend"


def fields(found: Challenge, answers: dict[str, Prediction]) -> dict[str, Any]:
    """Return a challenge as `--json` prints it; what was measured only where it was predicted."""
    from studyapp.study.challenging import tally

    trials: list[dict[str, Any]] = []
    for riddle in found.riddles:
        told = answers.get(riddle.experiment.id)
        score = riddle.score_of(told) if told is not None else None
        open_ = {
            "measured": riddle.verdict.measured,
            "outcome": riddle.verdict.outcome.value,
            "because": riddle.verdict.because,
            "you": told.value if told is not None else None,
            "they": riddle.theirs.value if riddle.theirs is not None else None,
            "factor": score.factor if score is not None else None,
        }
        question = {
            "experiment": riddle.experiment.id,
            "question": riddle.experiment.question,
            "unit": riddle.experiment.unit,
            "controls": dict(riddle.controls),
        }
        trials.append(question | (open_ if told is not None else {}))
    result = tally(found, answers)
    return {
        "from": found.sender,
        "machine": found.machine,
        "made_at": found.made_at,
        "trials": trials,
        "left_out": list(found.left_out),
        "closer": {"you": result.you, "they": result.they, "alike": result.ties},
    }
