"""The streak: `streak`, what a day was for it, and rest planned in advance."""

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
    from studyapp.study.streak_page import StreakPage

OFF = "The streak is switched off; `studyapp config streak on` brings it back."
NEAR = {"yesterday": -1, "today": 0, "tomorrow": 1}


@words("streak", data=True)
@click.option("--why", metavar="DAY", help="Explain one day: an ISO date, today or yesterday.")
@click.option("--rest", metavar="DAY", help="Plan a day of rest, from today on: it neither breaks nor adds.")
@click.option("--until", metavar="DAY", help="With --rest: the last day of a break.")
@click.option("--no-rest", is_flag=True, help="Take back the rest that is planned from today on.")
@click.pass_obj
def streak_command(call: Call, why: str | None, rest: str | None, until: str | None, no_rest: bool) -> int:
    """Say how many days in a row were studied.

    With --why, what one day was for the streak; with --plain, the last months in words.
    """
    if sum((why is not None, rest is not None, no_rest)) > 1 or (until is not None and rest is None):
        raise UsageError(
            "--why, --rest DAY [--until DAY] and --no-rest go one at a time.", "Call it once for each."
        )
    with call.desk() as desk:
        today = desk.clock().study_day
        if rest is not None or no_rest:
            said = _plan(desk, rest, until) if rest is not None else _drop(desk)
            call.refresh(desk, changed=True)
            if not call.json:
                say(*said)
                return 0
        if not call.settings.streak:
            print_data({"off": True}) if call.json else say(OFF)
            return 0
        call.refresh(desk, changed=False)  # what today is, is noted when it is seen
        _show(call, desk, None if why is None else _day(why, today))
    return 0


def _show(call: Call, desk: Desk, asked: int | None) -> None:
    from studyapp.study.streak_page import streak_page

    page = streak_page(desk)
    if call.json:
        told = None
        if asked is not None:
            note = page.streak.days.get(asked)
            told = {"day": day_to_iso(asked), "kind": note.kind if note else None, "why": page.streak.why(asked)}
        print_data({**streak_fields(page.streak), **_more_fields(page), "why": told})
    elif asked is not None:
        say(page.streak.why(asked))
    elif call.plain:
        say(*page.lines())
    else:
        say(f"Streak: {streak_words(page.streak)}.", *filter(None, (page.now(), page.rest())))


def _plan(desk: Desk, first: str, last: str | None) -> list[str]:
    from studyapp.study.streaks import plan_rest

    today = desk.clock().study_day
    planned = plan_rest(desk, _day(first, today), None if last is None else _day(last, today))
    until = "" if planned.days == 1 else f" until {day_to_iso(planned.last)}"
    said = [f"Rest is planned on {day_to_iso(planned.first)}{until} ({plural(planned.days, 'day')})."]
    if planned.due and planned.days > 1:
        cards = "1 card falls" if planned.due == 1 else f"{planned.due} cards fall"
        said.append(
            f"{cards} due until then. What waits is forgotten more often: recall falls. When you come back, "
            "the program offers to spread them over several days."
        )
    return said


def _drop(desk: Desk) -> list[str]:
    from studyapp.study.streaks import drop_rest

    days = drop_rest(desk)
    return [f"{plural(len(days), 'day')} of rest taken back." if days else "No rest was planned."]


def _day(text: str, today: int) -> int:
    if text in NEAR:
        return today + NEAR[text]
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


def _more_fields(page: StreakPage) -> dict[str, Any]:
    return {
        "next_freeze_in": page.streak.next_freeze_in,
        "goal": page.goal,
        "seconds_left": int(page.left.total_seconds()),
        "rest": [day_to_iso(day) for day in sorted(page.planned)],
    }


def streak_words(found: Streak) -> str:
    """Return the streak in words."""
    held = f", {plural(found.freezes, 'freeze')} held" if found.freezes else ""
    return f"{plural(found.length, 'day')}, best {found.best}, {found.days_30} of the last 30 days{held}"
