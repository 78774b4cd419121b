"""`check`: what a lesson or deck gives, and everything its author should mend. Never opens the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import note, plural, print_data, say

if TYPE_CHECKING:
    from studyapp.core.cards import Card, LeftOut, Parsed, Problem


@words("check", data=True)
@click.argument("path")
@click.option("--preview", is_flag=True, help="Also print each card as the learner will see it.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@click.pass_obj
def check_command(call: Call, path: str, preview: bool, watch: bool) -> int:
    """Check a lesson, a deck or a folder of them.

    Shows the cards, the problems and what was left out. Exits with 1 when there are problems. The store is not
    opened.
    """
    from studyapp.study.checking import check, watched

    if not watch:
        found = check(path)
        _show(call, found, preview=preview)
        return int(any(parsed.problems for parsed in found))
    for turn, found in enumerate(watched(Path(path))):
        if turn and not call.json:
            say("", "Changed:")
        _show(call, found, preview=preview)
        sys.stdout.flush()
    return 0


def _show(call: Call, found: list[Parsed], *, preview: bool) -> None:
    if call.json:
        print_data(_fields(found))
        return
    if preview:
        from studyapp.study.checking import preview as lines_of

        for card in (card for parsed in found for card in parsed.module.cards):
            name = card.id if card.explicit_id else "no id yet"
            say(f"{name} ({card.kind}, line {card.line})", *lines_of(card, spoken=call.plain), "")
    _tell(found)


def _fields(found: list[Parsed]) -> dict[str, Any]:
    return {
        "cards": [card_fields(card, parsed.module.path) for parsed in found for card in parsed.module.cards],
        "added": [card_fields(card, parsed.module.path) for parsed in found for card in parsed.added],
        "problems": [problem_fields(problem) for parsed in found for problem in parsed.problems],
        "left_out": [left_out_fields(left, parsed.module.path) for parsed in found for left in parsed.left_out],
    }


def problem_fields(problem: Problem) -> dict[str, Any]:
    """Return a problem as `--json` prints it."""
    return {"path": problem.path, "line": problem.line, "message": problem.message}


def left_out_fields(left: LeftOut, path: str) -> dict[str, Any]:
    """Return text left out, or a remark, as `--json` prints it."""
    return {"line": left.line, "reason": left.reason, "path": path, "is_remark": left.is_remark}


def card_fields(card: Card, path: str) -> dict[str, Any]:
    """Return a card as `check` and `import` print it with `--json`."""
    return {
        "id": card.id,
        "kind": card.kind,
        "prompt": card.prompt,
        "answer": card.answer,
        "key_points": card.key_points,
        "experiments": [{"experiment": k.experiment, "controls": dict(k.controls)} for k in card.experiments],
        "path": path,
        "line": card.line,
    }


def _tell(found: list[Parsed]) -> None:
    for parsed in found:
        name = parsed.module.path
        cards, sections = plural(len(parsed.module.cards), "card"), plural(len(parsed.module.sections), "section")
        if parsed.module.id:  # else it was not read: the problem says why
            say(f"{name}: {cards} in {sections}" + (f", {parsed.module.title}" if parsed.module.title else ""))
        if parsed.added:
            count = plural(len(parsed.added), "prompt")
            say(f"{name}: an import adds {count}, for sections that nothing asks about:")
            say(*(f"{name}:{card.line}: {card.prompt}" for card in parsed.added))
        for left in parsed.left_out:
            say(left.told(name))
        note(*map(str, parsed.problems))
    total = sum(len(parsed.problems) for parsed in found)
    say(f"{plural(total, 'problem')} to mend." if total else "No problems.")
