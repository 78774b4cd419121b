"""The parts of the streak screen as Content, from the page alone: pure, so that tests can look at them."""

from __future__ import annotations

from calendar import monthrange
from datetime import date

from textual.content import Content

from studyapp.core.streaks import ACTIVE, FROZEN, MISSED, NEUTRAL
from studyapp.study.streak_page import BEFORE, COMING, OPEN, RESTED, StreakPage

MONTH_WIDTH = 13
"""Seven days of one cell with one between."""
GAP = 4
WEEKS = 6
"""Weeks that a month can touch."""
GLYPHS = {
    ACTIVE: ("■", "$s-heat-4"),
    FROZEN: ("□", "$s-sky"),
    NEUTRAL: ("·", "$s-muted"),
    RESTED: ("–", "$s-muted"),
    OPEN: ("▸", "$s-cpu"),
    MISSED: (" ", ""),
    COMING: (" ", ""),
    BEFORE: (" ", ""),
}
CURSOR = "$s-bright reverse"
"""Without colours, too."""
LEGEND = (
    (ACTIVE, "studied"),
    (FROZEN, "kept by a freeze"),
    (NEUTRAL, "nothing to study"),
    (RESTED, "rest"),
    (OPEN, "today"),
)


def months_shown(page: StreakPage, cursor: int, columns: int, rows: int) -> list[date]:
    """Return the first days of the months to show: no more than fit, the cursor's among them.

    Args:
        page: The days; months before the first of them are left out.
        cursor: The day that must be among them.
        columns: Months side by side.
        rows: Rows of months.
    """
    today = page.streak.today
    first = min([*page.streak.days, cursor, today])
    last = _number(max(today, cursor))
    count = min(columns * rows, last - _number(first) + 1)
    last = min(last, _number(cursor) + count - 1)  # the cursor went further back than the months reach
    return [date(number // 12, number % 12 + 1, 1) for number in range(last - count + 1, last + 1)]


def _number(day: int) -> int:
    """Return the month of a day, counted from year 0."""
    found = date.fromordinal(day)
    return found.year * 12 + found.month - 1


def calendar(page: StreakPage, cursor: int, width: int, *, rows: int = 1, weekdays: bool = True) -> Content:
    """Return the months side by side, a line a week, a sign a day.

    Args:
        page: The days.
        cursor: The day that is marked.
        width: Cells there are.
        rows: Rows of months there are.
        weekdays: Whether there is room for their letters.
    """
    columns = max(1, (width + GAP) // (MONTH_WIDTH + GAP))
    months = months_shown(page, cursor, columns, rows)
    lines: list[Content] = []
    for start in range(0, len(months), columns):
        blocks = [_month(page, first, cursor, weekdays) for first in months[start : start + columns]]
        lines += (Content(" " * GAP).join(line).rstrip() for line in zip(*blocks, strict=True))
    return Content("\n").join(lines)


def _month(page: StreakPage, first: date, cursor: int, weekdays: bool) -> list[Content]:
    lines = [Content.styled(f"{first:%b %Y}".ljust(MONTH_WIDTH), "$s-muted")]
    if weekdays:
        lines.append(Content.styled("M T W T F S S", "$s-faint"))
    start, length = first.toordinal(), monthrange(first.year, first.month)[1]
    monday = start - first.weekday()
    for week in range(WEEKS):
        cells = []
        for day in range(monday + 7 * week, monday + 7 * week + 7):
            inside = start <= day < start + length
            glyph, style = GLYPHS[page.kind(day)] if inside else (" ", "")
            cells.append(Content.styled(glyph, CURSOR if inside and day == cursor else style))
        lines.append(Content(" ").join(cells))
    return lines


def legend(width: int) -> Content:
    """Return what the signs mean, on a second line where one is too short."""
    lines = [Content("")]
    for kind, words in LEGEND:
        glyph, style = GLYPHS[kind]
        part = Content.assemble((glyph, style), (f" {words}", "$s-muted"))
        longer = part if not lines[-1].cell_length else Content("   ").join([lines[-1], part])
        if longer.cell_length > width and lines[-1].cell_length:
            lines.append(part)
        else:
            lines[-1] = longer
    return Content("\n").join(lines)


def head(page: StreakPage, height: int) -> Content:
    """Return the run, the freezes and what today needs; in a low window the run alone."""
    run = page.run()
    if height < LOW:
        return Content.styled(run.partition(";")[0].rstrip(".") + ".", "bold $s-bright")
    lines = [Content.styled(run, "bold $s-bright")]
    lines.append(Content.styled(page.freezes(brief=height < BRIEF), "$s-text"))
    lines.append(Content.styled(page.now(), "$s-text"))
    if page.rest():
        lines.append(Content.styled(page.rest(), "$s-muted"))
    return Content("\n").join(lines)


LOW, BRIEF, TALL = 16, 22, 32
"""Under so many rows only the run, the calendar and one day are shown; under so many sentences are brief; from so
many on there are two rows of months."""
