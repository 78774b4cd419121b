"""The record as a whole: `rebuild` replays it, `merge` makes two of them one, `exchange` is its far end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.moving_line import MovingLine
from studyapp.cli.output import note, plural, print_data, say
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.store.merging import Merged
    from studyapp.study.rebuilding import Rebuilt

SHOWN = 5
"""Cards that differ are named up to this many."""


@words("rebuild", data=True)
@click.option("--write", is_flag=True, help="Put right what differs, after a copy of the store was made.")
@click.option(
    "--clock", is_flag=True, help="With --write: take the clock as right, put answers dated after it back."
)
@click.pass_obj
def rebuild_command(call: Call, write: bool, clock: bool) -> int:
    """Replay the whole log and compare.

    Memory, cards put away and daily figures are compared with what the log says. Exits with 1 where something
    differs and was not put right.
    """
    from studyapp.study.rebuilding import rebuild

    with call.desk() as desk:
        found = rebuild(desk, write=write, clock=clock)
        if found.copy is not None:
            call.refresh(desk, changed=True)
    if call.json:
        print_data(_rebuilt(found))
    else:
        say(*_said(found, clock))
    left = found.copy is None and (not found.equal or (clock and found.ahead > 0))
    return int(left)


def _rebuilt(found: Rebuilt) -> dict[str, Any]:
    return {
        "reviews": found.reviews,
        "cards": found.cards,
        "equal": found.equal,
        "different": [difference.card for difference in found.different],
        "figures": list(found.figures),
        "clock_ahead": found.ahead,
        "written": found.copy is not None,
        "copy": found.copy,
    }


def _said(found: Rebuilt, clock: bool) -> list[str]:
    lines = [f"{plural(found.cards, 'card')}, {plural(found.reviews, 'row')} in the log, all equal."]
    if not found.equal:
        lines = [f"{plural(found.cards, 'card')}, {plural(found.reviews, 'row')} in the log."]
    if found.different:
        named = ", ".join(difference.card for difference in found.different[:SHOWN])
        more = f" and {len(found.different) - SHOWN} more" if len(found.different) > SHOWN else ""
        word = "differed from" if found.copy else "differ from"
        lines.append(f"{plural(len(found.different), 'card')} {word} the log: {named}{more}.")
    lines += found.figures
    if found.ahead:
        lines.append(
            f"Dated more than a day after the clock: {plural(found.ahead, 'row')} of the log. "
            + ("" if clock else "If the clock is right, `studyapp rebuild --clock --write` puts them back.")
        )
    if found.copy:
        lines.append(f"Put right; the store as it was is in {found.copy}.")
    elif not found.equal:
        lines.append("`studyapp rebuild --write` puts it right, after a copy.")
    return [line.strip() for line in lines]


@words("merge", data=True)
@click.argument("other", metavar="PATH|HOST")
@click.pass_obj
def merge_command(call: Call, other: str) -> int:
    """Merge another machine's record with this one.

    A PATH names the other store's file (or its folder), which is only read. A HOST such as user@box is reached
    with ssh; then both records have everything. The setting `sync` does the same by itself.
    """
    from studyapp.study.merging import is_folder, merge_far, merge_file

    path = Path(other).expanduser()
    line = MovingLine()

    def tell(what: str, done: int, total: int) -> None:
        line.show(f"{what}: {done} of {total}")

    with call.desk() as desk:
        if path.is_dir():
            path /= call.settings.db.name
        if path.exists() or is_folder(other.partition(" ")[0]) or other.endswith(".db"):
            here, there = merge_file(desk, path.absolute(), tell), None
        else:
            from studyapp.study.far import Far

            far = Far(other, call.settings.ssh_command, call.settings.far_command)
            done = merge_far(desk, far, tell)
            here, there = done.here, done.there
        line.clear()
        if here.anything:
            call.refresh(desk, changed=True)
    if call.json:
        print_data({"here": _counts(here), "there": None if there is None else _counts(there)})
    else:
        say(_merged(here, "this record"))
        if there is not None:
            say(_merged(there, other))
        if here.twice:
            note(
                f"{plural(here.twice, 'row')} had the same id and other content on the two sides; both were kept."
            )
    return 0


def _counts(merged: Merged) -> dict[str, int]:
    names = ("reviews", "cards", "runs", "predictions", "readings", "notes", "challenges", "moved", "twice")
    return {name: getattr(merged, name) for name in names}


def _merged(merged: Merged, where: str) -> str:
    if not merged.anything:
        return f"Nothing was new to {where}."
    named = {"reviews": "row of the log", "cards": "card", "runs": "run", "predictions": "prediction"}
    named |= {"readings": "reading", "notes": "day note", "challenges": "challenge"}
    parts = [
        plural(getattr(merged, name), word) if name != "reviews" else _rows(merged.reviews)
        for name, word in named.items()
        if getattr(merged, name)
    ]
    came = f"{', '.join(parts)} new to {where}" if parts else f"Something of {where} was known better"
    return f"{came}; {plural(merged.moved, 'card')} moved."


def _rows(count: int) -> str:
    return "1 row of the log" if count == 1 else f"{count} rows of the log"


@words("exchange")
@click.pass_obj
def exchange_command(call: Call) -> int:
    """Be the far end of `merge user@box`.

    Speaks JSON lines on standard input and output; it is called over ssh, not by hand.
    """
    if sys.stdin.isatty():
        raise UsageError("This command is called over ssh by `studyapp merge`.", "Run `studyapp merge user@box`.")
    from studyapp.study.backing_up import daily
    from studyapp.study.far import serve

    with call.desk() as desk:
        serve(desk, sys.stdout.buffer, sys.stdin.buffer, first=lambda: daily(desk))
        call.refresh(desk, changed=True, looked_at=False)
    return 0
