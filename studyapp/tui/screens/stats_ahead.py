"""The panel of the days ahead: the load to come, what a week would take, and how durable the cards are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from textual.content import Content

from studyapp.study.statistics import Statistics
from studyapp.tui.screens.home_parts import ASCII_BARS, BARS
from studyapp.tui.screens.stats_parts import bar, row
from studyapp.tui.widgets.bars import clean_place

DURABLE = ("under a day", "under a week", "under 3 weeks", "under 3 months", "under a year", "a year or more")


def ahead(found: Statistics, width: int, height: int, ascii_only: bool = False) -> Content:
    """Return the load of the next 30 days, what a week would take, and how durable the cards are."""
    tall = max(2, min(6, height - 14))
    lines = [*_load(found, width, tall, ascii_only), Content(""), *_forgetting(found, width, ascii_only)]
    return Content("\n").join([*lines, Content(""), *_durable(found, width, ascii_only)])


def _load(found: Statistics, width: int, tall: int, ascii_only: bool) -> list[Content]:
    days = sorted(found.forecast.items())
    days = days[: max(1, min(len(days), (width - 6) // 2))]
    most = max([count for _, count in days] + [1])
    total = sum(count for _, count in days)
    late = f", {found.overdue} of them overdue" if found.overdue else ""
    lines = [row("reviews due", (f"{total}", "bold $s-bright"), (f" in {len(days)} days{late}", "$s-text"))]
    glyphs = ASCII_BARS if ascii_only else BARS
    for level in reversed(range(tall)):
        label = f"{most:>4} " if level == tall - 1 else "   0 " if level == 0 else "     "
        parts = [(label, "$s-muted")]
        for place, (_, count) in enumerate(days):
            eighths = round(count / most * tall * 8) - level * 8
            glyph = " " if eighths <= 0 else glyphs[min(7, eighths - 1)]
            glyph = glyphs[0] if level == 0 and count and eighths <= 0 else glyph
            parts.append((f"{glyph} ", "bold $s-bright" if place == 0 else "$s-heat-4"))
        lines.append(Content.assemble(*parts).rstrip() if any(c for _, c in days) else Content(label))
    return [*lines, _weekdays([day for day, _ in days])]


def _weekdays(days: Sequence[int]) -> Content:
    """Return the axis: "today" and the Mondays."""
    axis = [" "] * (2 * len(days) + 8)
    axis[0:5] = "today"
    for place, day in enumerate(days):
        found = date.fromordinal(day)
        if found.weekday() == 0 and place >= 3:
            text = f"{found.day} {found:%b}"
            axis[2 * place : 2 * place + len(text)] = text
    return Content.styled("     " + "".join(axis).rstrip(), "$s-muted")


def _forgetting(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    if not found.forgetting:
        return [row("this week", ("nothing is in memory yet", "$s-text"))]
    known = sum(f.known_now for f in found.forgetting)
    cards, lost = sum(f.cards for f in found.forgetting), sum(f.lost for f in found.forgetting)
    lines = [
        row("in memory", (f"{known:.0f}", "bold $s-bright"), (f" of {cards} cards today", "$s-text")),
        row(
            "lost in a week",
            (f"about {lost:.1f}", "bold $s-hard"),
            (" without a review", "$s-muted"),
        ),
    ]
    if len(found.forgetting) > 1:
        lines += [
            bar(clean_place(f.title), f.lost / f.cards * 10, f"{f.lost:.1f} of {f.cards}", width, ascii_only)
            for f in found.forgetting[:4]
        ]
    return [line.truncate(max(1, width), ellipsis=True) for line in lines]


def _durable(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    total = sum(found.stability)
    lines = [
        row("how durable", (f"{found.learned}", "bold $s-bright"), (f" of {found.cards} cards learned", "$s-text"))
    ]
    if not total:
        return lines
    most = max(found.stability)
    digits = len(str(most))
    return lines + [
        bar(name, count / most, f"{count:>{digits}}", width, ascii_only)
        for name, count in zip(DURABLE, found.stability, strict=True)
        if count
    ]
