"""What is due, and the streak: `due`, `status`, `streak`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import plural, print_data, say
from studyapp.core.days import day_to_iso, iso_to_day
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.streaks import Streak
    from studyapp.study.desk import Desk


@words("due", data=True)
@click.pass_obj
def due_command(call: Call) -> int:
    """Say how many cards wait today.

    The day's limits are taken into account.
    """
    with call.desk() as desk:
        if call.json:
            print_data(due_fields(desk))
        else:
            say(due_words(desk))
        call.refresh(desk, changed=False)
    return 0


def due_fields(desk: Desk) -> dict[str, Any]:
    """Return the fields of `due --json`."""
    from studyapp.study.today import counts_today, streak_today

    counts = counts_today(desk)
    return {**counts, "study_day": day_to_iso(desk.clock().study_day), "streak": streak_today(desk).length}


def due_words(desk: Desk) -> str:
    """Return the same as a sentence."""
    found = due_fields(desk)
    names = (("review", "to review"), ("new", "new"), ("relearning", "learning"))
    split = ", ".join(f"{found[name]} {words}" for name, words in names if found[name])
    cards = plural(found["due"], "card")
    return f"{cards} due today{f' ({split})' if split else ''}. Streak: {plural(found['streak'], 'day')}." + _more(
        desk, found["due"]
    )


def _more(desk: Desk, due: int) -> str:
    from studyapp.study.today import module_lines

    unread = not due and any(line.unread for line in module_lines(desk))
    return " Reading a section brings new cards: `studyapp read`." if unread else ""


@words("status", data=True)
@click.option("--exit-code", is_flag=True, help="Exit with 1 when cards are due.")
@click.pass_obj
def status_command(call: Call, exit_code: bool) -> int:
    """Print one line for a shell prompt.

    It comes from the small status file alone; the store is not opened.
    """
    from studyapp.core.prompt import summary
    from studyapp.study.status_file import read_status

    settings = call.settings
    status = read_status(settings.status_path)
    try:
        found = summary(status, settings.clock().at_ms) if status else None
    except (KeyError, TypeError):
        found = None
    if call.json:
        keys = ("due", "review", "new", "relearning", "streak", "study_day")
        print_data(found or dict.fromkeys(keys))
    else:
        say(f"{found['due']} due, {plural(found['streak'], 'day')}" if found else "studyapp: not started")
    return int(exit_code and bool(found) and found["due"] > 0)  # type: ignore[index]


@words("streak", data=True)
@click.option("--why", metavar="DAY", help="Explain one day: an ISO date, today or yesterday.")
@click.pass_obj
def streak_command(call: Call, why: str | None) -> int:
    """Say how many days in a row were studied.

    With --why, what one day was for the streak.
    """
    from studyapp.study.today import streak_today

    with call.desk() as desk:
        found = streak_today(desk)
        asked = None if why is None else _day(why, desk.clock().study_day)
    reason = None if asked is None else found.why(asked)
    if call.json:
        told = None if asked is None else {"day": day_to_iso(asked), "kind": _kind(found, asked), "why": reason}
        print_data({**streak_fields(found), "why": told})
    else:
        say(reason or f"Streak: {streak_words(found)}.")
    return 0


def _kind(found: Streak, day: int) -> str | None:
    known = found.days.get(day)
    return known.kind if known else None


def _day(text: str, today: int) -> int:
    if text in ("today", "yesterday"):
        return today - (text == "yesterday")
    try:
        return iso_to_day(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day.", "Write it like 2026-03-01, or today, or yesterday.") from None


def streak_fields(found: Streak) -> dict[str, Any]:
    """Return the streak as JSON has it."""
    return {
        "length": found.length,
        "best": found.best,
        "active_today": found.active_today,
        "days_30": found.days_30,
        "freezes": found.freezes,
    }


def streak_words(found: Streak) -> str:
    """Return the streak in words."""
    held = f", {plural(found.freezes, 'freeze')} held" if found.freezes else ""
    return f"{plural(found.length, 'day')}, best {found.best}, {found.days_30} of the last 30 days{held}"
