"""`trial`: the learner's own training script in the dock, a prediction before each finding."""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from studyapp.cli.call import Call
from studyapp.cli.group import SETTINGS, Words
from studyapp.cli.moving_line import MovingLine
from studyapp.cli.output import note, print_data, print_envelope, say, spoken
from studyapp.core.errors import UsageError
from studyapp.core.percent import percent
from studyapp.decks.clean import clean_line

if TYPE_CHECKING:
    from studyapp.study.docked_findings import Finding, Question
    from studyapp.study.docking import Docking

OWN_OPTIONS = {**SETTINGS, "allow_interspersed_args": False}
"""What follows the script's name is the script's."""
BAR_CELLS = 32
WIDEST = 100
"""Longer lines are hard to read."""


@click.command("trial", cls=Words, data=True, context_settings=OWN_OPTIONS)
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--steps", type=click.IntRange(3, 1000), default=20, metavar="N", help="Steps timed for a finding (20)."
)
@click.option(
    "--limit", type=click.FloatRange(1, 3600), default=120, metavar="S", help="Seconds it may take (120)."
)
@click.option(
    "--memory", type=click.FloatRange(50, 1e6), metavar="MB", help="What larger batches may take (2000)."
)
@click.option("--yes", is_flag=True, help="Ask for no predictions.")
@click.pass_obj
def trial_command(
    call: Call, script: Path, args: tuple[str, ...], steps: int, limit: float, memory: float | None, yes: bool
) -> int:
    """Put your own training SCRIPT in the dock.

    What follows its name are its own arguments.

    Takes some twenty steps of it for each finding: waiting for data and for the device, memory, autocast, the
    largest batch. It runs as you, with your rights; nothing in it is changed.
    """
    from studyapp.experiments.docking import here
    from studyapp.study.docking import Docking, checked

    checked(script)
    if call.settings.worker_host:
        raise UsageError(
            "The dock runs scripts on this machine, and worker_host names another.", "Leave it empty."
        )
    if not here():
        raise UsageError("The dock needs a system that can fork: Linux or macOS.", "On Windows, use WSL.")
    with call.desk() as desk:
        docking = Docking(desk, script, args, steps, limit, memory)
        page = _Page(call, docking, predicts=not (yes or call.json) and _can_ask())
        page.begin()
        docking.run(call.settings.worker_command, page.ask, page.hear, page.note)
        page.clear()
        call.refresh(desk, changed=False)
    return _end(call, docking)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _end(call: Call, docking: Docking) -> int:
    problem = docking.problem
    if call.json:
        if problem is None:
            print_data(docking.as_json())
        else:
            error = {"kind": problem.kind, "message": problem.message, "hint": problem.hint}
            print_envelope({"ok": False, "error": error, "data": docking.as_json()})
    elif problem is not None:
        sys.stdout.flush()
        note(problem.message, *(f"  {line}" for line in docking.last_lines), *filter(None, [problem.hint]))
    return 0 if problem is None else problem.exit_code


class _Page:
    """Lays the findings out in lines, as they come."""

    def __init__(self, call: Call, docking: Docking, *, predicts: bool) -> None:
        from studyapp.cli.colors import depth, palette

        self._call, self._docking, self._predicts = call, docking, predicts
        colors = depth(call.settings.color, sys.stdout.isatty(), os.environ)
        self._styles = {} if call.plain else palette(colors, os.environ.get("COLORFGBG", ""))
        self._edge = "" if call.plain else "  "
        self._line = MovingLine(moving=not call.plain)
        self._looked = False
        self._noted = ""
        self._asked = ""
        """The finding whose title stands above its question already."""

    def begin(self) -> None:
        """Say what is about to happen, and with whose rights."""
        docking = self._docking
        told = (
            f"{docking.script.name} runs here as you, with your rights: what it writes, sends or deletes is real. "
            f"Nothing in it is changed. It is ended in its first epoch, after some {docking.steps} steps for each "
            f"finding, at the latest after {docking.limit_s:g} s."
        )
        note(*self._wrapped(told, sys.stderr))

    def note(self, words: str) -> None:
        """Show what is going on, on a line that goes away."""
        self.clear()
        if words == "the loop is found" and not self._looked:
            self._looked = True
            self._describe()
        self._line.show(words)
        if self._call.plain and words != self._noted:
            note(*spoken([["", words]]))
        self._noted = words

    def clear(self) -> None:
        """Take that line away."""
        self._line.clear()

    def _describe(self) -> None:
        from studyapp.study.docked_words import described

        if not self._call.json:
            told = described(self._docking.loop)
            told = spoken([["", told]])[0] if self._call.plain else told
            self._print("", *(self._style("bright", line) for line in self._wrapped(told)))

    def ask(self, question: Question) -> float | None:
        """Ask for a number on the terminal; an empty line is none."""
        if not self._predicts:
            return None
        self.clear()
        self._asked = question.finding
        self._head(question.title)
        note(*(f"{self._edge}{line}" for line in self._wrapped(question.text, sys.stderr)))
        while True:
            unit = {"x": "", "rows": ", in rows"}.get(question.unit, f", times {question.unit}")
            keys = (
                f"Your number{unit}? Enter skips it. "
                if self._call.plain
                else f"  Your number{unit} (enter skips): "
            )
            sys.stderr.write(keys)
            sys.stderr.flush()
            answer = sys.stdin.readline()
            if not answer:  # the input has ended: nobody is there to ask
                self._predicts = False
                return None
            text = answer.strip().rstrip("x%").strip()
            if not text:
                return None
            try:
                number = float(text.replace(",", ""))
            except ValueError:
                number = math.nan
            if math.isfinite(number) and number >= 0:
                return number
            note(f"{self._edge}{text[:20]!r} is no number from 0 on.")

    def hear(self, finding: Finding) -> None:
        """Print one finding."""
        self.clear()
        if self._call.json:
            return
        from studyapp.study.docked_words import praise

        if self._asked != finding.id:
            self._head(finding.title)
        if self._call.plain:
            say(
                *spoken(
                    [
                        [clean_line(name), figure if "%" in figure else f"{figure}, {percent(share)}"]
                        for name, share, figure in finding.words.bars
                    ]
                )
            )
            say(finding.words.sentence, *(" ".join(line.split()) for line in finding.words.lines))
        else:
            width = max((len(name) for name, _, _ in finding.words.bars), default=0)
            for place, (name, share, figure) in enumerate(finding.words.bars):
                self._print(f"  {clean_line(name).ljust(width)}  {self._bar(share, place)}  {figure}")
            say(*(f"  {line}" for line in self._wrapped(finding.words.sentence)))
            say(*(_cut(f"    {line}") for line in finding.words.lines))
        if finding.prediction is not None:
            told = praise(finding.prediction, finding.score, finding.value, finding.unit)
            self._print(self._edge + self._style("you", told))
        if finding.outcome == "found":
            first, *others = finding.experiments
            also = f" (also {', '.join(others)})" if others else ""
            cards = f" Cards: {', '.join(finding.cards[:3])}." if finding.cards else ""
            lesson = self._wrapped(f"The lesson on it: studyapp run {first}{also}.{cards}")
            self._print(*(self._edge + self._style("muted", line) for line in lesson))

    def _head(self, title: str) -> None:
        self._print("", f"{clean_line(title)}:" if self._call.plain else self._style("bright", title))

    def _print(self, *lines: str) -> None:
        """Print lines whose outside text is clean already: they hold colours."""
        sys.stdout.write("".join(line + "\n" for line in lines))
        sys.stdout.flush()

    def _bar(self, share: float, place: int) -> str:
        full, empty = ("#", ".") if self._call.settings.ascii else ("█", "░")
        cells = round(BAR_CELLS * share)
        if share > 0 and not cells:
            cells = 1
        roles = ("cpu", "neutral", "gpu", "bright", "weak")  # not the one that stands for the learner
        return self._style(roles[place % len(roles)], full * cells) + self._style(
            "axis", empty * (BAR_CELLS - cells)
        )

    def _wrapped(self, text: str, stream: TextIO | None = None) -> list[str]:
        """Return a sentence as lines that fit a terminal; a pipe and a listener get it whole."""
        return [text] if self._call.plain else _wrapped(text, stream)

    def _style(self, role: str, text: str) -> str:
        code = self._styles.get(role)
        text = clean_line(text)
        return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _cut(line: str) -> str:
    """Return a line of the script as far as the terminal shows it; a pipe gets it whole."""
    width = shutil.get_terminal_size().columns - 1
    return line if not sys.stdout.isatty() or len(line) <= width else line[: max(width - 1, 20)] + "…"


def _wrapped(text: str, stream: TextIO | None = None) -> list[str]:
    """Return a sentence as lines that fit a terminal; a pipe gets it whole."""
    if not (stream or sys.stdout).isatty():
        return [text]
    width = min(shutil.get_terminal_size().columns, WIDEST) - 2
    return textwrap.wrap(text, max(width, 30), break_long_words=False, break_on_hyphens=False) or [text]
