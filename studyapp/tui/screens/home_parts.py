"""The parts of Home as Content, from the status value alone: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from studyapp.core.percent import percent
from studyapp.tui.widgets.bars import clean_place

HEAT = ("·", "■", "■", "■", "■")
DENSE_HEAT = ("·", "░", "▒", "▓", "█")
"""Where shades cannot be told apart."""
HEAT_STYLES = ("$s-track", "$s-heat-1", "$s-heat-2", "$s-heat-3", "$s-heat-4")
BARS = "▁▂▃▄▅▆▇█"
ASCII_BARS = ".:-=+*#@"
WIDE = 100
"""Columns from which a module that is done also says how many experiments it has."""
SECONDS_PER_CARD = 25
"""A calm pace for an estimate: a spoken answer takes 15 s, reading and grading it the rest."""


def words(status: Mapping[str, Any], day: Mapping[str, Any], due: int, width: int = 80) -> Content:
    """Return the three lines beside the number due."""
    if due == 0:
        return _nothing_due(status, width)
    minutes = max(1, round(due * SECONDS_PER_CARD / 60))
    about = "a minute" if minutes == 1 else f"{minutes} minutes"
    parts = [(day["review"], "review"), (day["new"], "new"), (day["relearning"], "learning")]
    split = "   ".join(f"{count} {name}" for count, name in parts if count)
    if status.get("held_back"):
        split += f"   of {due + status['held_back']}: the rest waits its turn"
    return Content.assemble(
        ("card due today" if due == 1 else "cards due today", "bold $s-bright"),
        (f"   about {about}\n" if width >= 56 else "\n", "$s-muted"),
        (f"{split}\n", "$s-text"),
        ("press ", "$s-muted"),
        ("enter", "bold $s-text"),
        (" to start", "$s-muted"),
    )


def _nothing_due(status: Mapping[str, Any], width: int) -> Content:
    unread = next((m for m in status.get("modules", ()) if m["unread"]), None)
    if status.get("done_today"):
        first = "all done for today"
    else:
        first = "nothing due" if status.get("heat") else "welcome"
    offered = _offered(status)
    if unread is None:
        more = "; the next cards come by themselves" if width >= 76 else ""
        rest = f"every section is read{more}\n"
        press = [("press ", "$s-muted"), *offered] if offered else []
        return Content.assemble((first + "\n", "bold $s-bright"), (rest, "$s-muted"), *press)
    title = clean_place(unread["title"])
    if not status.get("heat"):
        what = f"one section {'of a lesson ' if width >= 56 else ''}takes about three minutes\n"
    else:
        named = f"the next section of {title} is waiting"
        what = f"{named if cell_len(named) <= width - 16 else 'the next section is waiting'}\n"
    return Content.assemble(
        (first + "\n", "bold $s-bright"),
        (what, "$s-text"),
        ("press ", "$s-muted"),
        ("enter", "bold $s-text"),
        (" to read", "$s-muted"),
        *([(", ", "$s-muted"), *offered] if offered else []),
    )


def _offered(status: Mapping[str, Any]) -> list[tuple[str, str]]:
    """With nothing due, today's trial counts for the streak: how to get there, until something was done today."""
    daily = status.get("daily")
    if not daily or daily["done"] or status.get("done_today") or not status.get("heat"):
        return []
    counts = ": it counts for the streak" if status.get("streak") else ""
    return [("d", "bold $s-text"), (f" for today's trial{counts}", "$s-muted")]


def trial(status: Mapping[str, Any], today: int, width: int) -> Content:
    """Return the row that invites to today's trial, or says that it was done; nothing before the first answer.

    Args:
        status: What the status file says.
        today: The study day; a trial of yesterday is none.
        width: Cells there are.
    """
    daily = status.get("daily", {})
    if daily.get("day") != today or not (status.get("heat") or daily["done"]):
        return Content("")
    if daily["done"]:
        return Content.styled("today's trial is done; d shows what came of it", "$s-muted")
    question = clean_place(daily["question"])
    line = Content.assemble(("d", "bold $s-text"), (" today's trial  ", "$s-muted"), (question, "$s-text"))
    return line if line.cell_length <= width - 5 else line.truncate(max(1, width - 5), ellipsis=True)


def _level(count: int) -> int:
    return 0 if count == 0 else 1 if count < 4 else 2 if count < 8 else 3 if count < 16 else 4


def heatmap(
    status: Mapping[str, Any], today: int, width: int, *, dense: bool = False, legend: bool = True
) -> Content:
    """Return the days studied, a column a week, as many weeks as fit; frozen days are hollow.

    Args:
        status: What the status file says.
        today: The study day.
        width: Cells there are.
        dense: Whether levels differ by glyph, not by shade alone.
        legend: Whether there is a row that says what the shades mean.
    """
    glyphs = DENSE_HEAT if dense else HEAT
    heat = {int(day): count for day, count in status.get("heat", {}).items()}
    if not heat:
        return _loop(width)
    frozen = set(status.get("frozen", ()))
    weeks = max(4, min(53, (width - 10) // 2))
    monday = today - date.fromordinal(today).weekday()
    first = monday - 7 * (weeks - 1)
    lines = [_months(first, weeks)]
    for weekday in range(7):
        name = ("Mon", "   ", "Wed", "   ", "Fri", "   ", "Sun")[weekday]
        parts: list[tuple[str, str]] = [(name + " ", "$s-muted")]
        for week_number in range(weeks):
            day = first + 7 * week_number + weekday
            if day > today:
                parts.append(("  ", ""))
                continue
            level = _level(heat.get(day, 0))
            glyph = "□" if day in frozen else glyphs[level]
            style = "$s-sky" if day in frozen else HEAT_STYLES[level]
            if day == today:
                style = "$s-bright" if level else "$s-muted"
            parts.append((glyph + " ", style))
        lines.append(Content.assemble(*_joined(parts)).rstrip())
    if legend:
        levels = [(glyph + " ", style) for glyph, style in zip(glyphs, HEAT_STYLES, strict=True)]
        lines.append(Content.assemble(("    less ", "$s-muted"), *levels, ("more", "$s-muted")))
    return Content("\n").join(lines)


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbours of one style: each change of style costs a line 60 bytes, and a year has 371 days."""
    runs = groupby(parts, key=itemgetter(1))
    return [("".join(text for text, _ in run), style) for style, run in runs]


LOOP = (
    ("read", "a section of the lesson; its cards wait until you have"),
    ("say", "the answer out loud, then reveal it"),
    ("grade", "yourself; the card comes back on the right day"),
    ("try", "the answer: predict a number, and measure it on this machine"),
)


LOOP_ROOM = 10
"""Cells of a step's number and verb."""


def _loop(width: int) -> Content:
    """Return the loop in four lines: what stands where the year will be, before the first answer."""
    steps = [Content.styled(rest, "$s-text").wrap(max(10, width - 5 - LOOP_ROOM)) for _, rest in LOOP]
    apart = [Content("")] if all(len(step) == 1 for step in steps) else []  # a blank row, or a second row of words
    lines = [Content("")]
    for number, ((verb, _), rest) in enumerate(zip(LOOP, steps, strict=True), start=1):
        lead = Content.assemble((f"{number}  ", "$s-muted"), (f"{verb:<7}", "bold $s-sky"))
        lines += [Content.assemble(lead, rest[0]).rstrip()]
        lines += [Content.assemble(" " * LOOP_ROOM, more).rstrip() for more in rest[1:]]
        lines += apart
    return Content("\n").join(lines)


def _months(first: int, weeks: int) -> Content:
    row = [" "] * (2 * weeks + 4)
    shown = 0
    for week_number in range(weeks):
        start = date.fromordinal(first + 7 * week_number)
        begins = [start + timedelta(days=i) for i in range(7) if (start + timedelta(days=i)).day == 1]
        at = 2 * week_number
        if begins and at >= shown and at + 3 <= 2 * weeks:
            row[at : at + 3] = f"{begins[0]:%b}"
            shown = at + 4
    return Content.styled("    " + "".join(row).rstrip(), "$s-muted")


def modules(status: Mapping[str, Any], width: int, today: int) -> Content:
    """Return one line a module: name, progress, due, experiments; of one that is done what comes tomorrow.

    Args:
        status: What the status file says.
        width: Cells there are.
        today: The study day; what was counted on an earlier day says nothing of tomorrow.
    """
    fresh = any(day["day"] == today for day in status.get("days", ())[:1])
    name_room = 28 if width >= 70 else max(12, width - 40)
    bar = 16 if width >= 70 else 8
    lines = []
    for module in status.get("modules", ())[:4]:
        share = min(1.0, module["share"])
        filled = round(bar * share)
        due = f"{module['due']} due" if module["due"] else "read on" if module["unread"] else "done"
        comes = module.get("tomorrow", 0) if fresh and due == "done" else 0
        tomorrow = f"tomorrow {comes}" if comes else ""
        known = f"{module['experiments']} experiments" if module["experiments"] and width >= 76 else ""
        beside = f"{tomorrow}   {known}" if tomorrow and known and width >= WIDE else tomorrow or known
        beside = beside if name_room + bar + 18 + len(beside) <= width - 4 else ""
        lines.append(
            Content.assemble(
                (_fit(clean_place(module["title"]), name_room), "$s-text"),
                ("━" * filled, "$s-sky"),
                ("─" * (bar - filled), "$s-track"),
                (f" {percent(share):>5}  ", "$s-muted"),
                (f"{due:>8}", "bold $s-bright" if module["due"] else "$s-muted"),
                (f"  {beside}", "$s-muted"),
            )
        )
    return Content("\n").join(lines)


def _fit(text: str, width: int) -> str:
    if cell_len(text) < width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 2) + "… "


def week(status: Mapping[str, Any], day: Mapping[str, Any] | None, width: int) -> Content:
    """Return the load of the next seven days as small bars with their numbers."""
    if day is None:
        return Content("")
    ahead = [d for d in status["days"] if d["day"] > day["day"]][:7]
    loads = [d["review"] + d["new"] for d in ahead]
    most = max([*loads, 1])
    if not any(loads):
        return Content("")
    line = Content.styled("next 7 days", "$s-muted")
    for entry, load in zip(ahead, loads, strict=True):
        bar = BARS[min(7, load * 8 // (most + 1))] if load else " "
        name = f"{date.fromordinal(entry['day']):%a}"
        count = (f"{load:<2}", "$s-text" if load else "$s-muted")
        longer = Content.assemble(line, (f"  {name} ", "$s-muted"), (bar, "$s-heat-4"), count)
        if longer.rstrip().cell_length > width - 4:
            break  # days that have room, whole
        line = longer
    return line
