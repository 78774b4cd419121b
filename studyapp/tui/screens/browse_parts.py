"""The parts of Browse as Content: rows, the preview of a card, its forgetting curve. Pure, so tests can look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.core.percent import percent
from studyapp.core.policy import Policy
from studyapp.core.reviews import Memory, ReviewRow, State
from studyapp.core.scheduling import interval_at, retrievability
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.study.browsing import Found

FLAG_STYLES = {
    "red": "$s-again",
    "orange": "$s-hard",
    "green": "$s-good",
    "blue": "$s-easy",
    "pink": "$s-you",
    "turquoise": "$s-easy",
    "purple": "$s-sky",
}
"""A flag is told by its name; the colour only helps the eye."""
RATINGS = ("again", "hard", "good", "easy")
RATING_STYLES = ("$s-again", "$s-hard", "$s-good", "$s-easy")
BARS, ASCII_BARS = "▂▄▆█", ".:|#"
EIGHTHS, ASCII_EIGHTHS = " ▁▂▃▄▅▆▇█", " ....::||"
WIDE = 110
"""Columns from which stability, lapses and the last answer have columns of their own."""
NARROW = 70
"""Columns below which the lesson has none."""


@dataclass(frozen=True)
class Columns:
    """How wide the columns are."""

    card: int
    module: int
    wide: bool

    @classmethod
    def of(cls, width: int) -> Columns:
        """Return the columns of a list of some width."""
        wide = width >= WIDE
        module = 0 if width < NARROW else 22 if wide else 14
        fixed = 4 + 9 + (module + 2 if module else 0) + 6 + (27 if wide else 0)
        return cls(max(8, width - fixed), module, wide)


def heading(columns: Columns) -> Content:
    """Return the row above the list."""
    module = f"{'lesson'.ljust(columns.module)}  " if columns.module else ""
    wide = "  stable   lapses     last" if columns.wide else ""
    return Content.styled(f"    {'due'.ljust(9)}{'card'.ljust(columns.card)}{module}recall{wide}", "$s-muted")


def row(found: Found, title: str, today: int, columns: Columns, *, here: bool, marked: bool) -> Content:
    """Return one card's row.

    Args:
        found: The card.
        title: Of its lesson.
        today: The study day.
        columns: Their widths.
        here: Whether the cursor is on it.
        marked: Whether it is one of several that the next action is for.
    """
    from studyapp.decks.md_plain import plain_line  # brings the Markdown parser

    card, memory = found.card, found.card.memory
    text_style = "bold $s-bright" if here else "$s-text"
    flag = f"{found.marked.flag} " if found.marked.flag else ""
    text = _fit(clean_place(plain_line(card.prompt)), max(0, columns.card - len(flag) - 1))
    recall = "" if found.recall is None else percent(found.recall)
    parts = [
        ("▌ " if here else "  ", "$s-sky"),
        ("● " if marked else "  ", "$s-you"),
        (due_words(found, today).ljust(9), "$s-cpu" if _is_due(found, today) else "$s-muted"),
        (flag, f"bold {FLAG_STYLES.get(found.marked.flag, '$s-muted')}"),
        (text + " ", text_style),
    ]
    if columns.module:
        parts.append((_fit(clean_place(title), columns.module) + "  ", "$s-muted"))
    parts.append((recall.rjust(6), "$s-text"))
    if columns.wide:
        stable = "" if memory.stability is None else days_words(memory.stability)
        last = "" if memory.last_day is None else _day(memory.last_day, today)
        parts.append((f"{stable.rjust(8)}{(str(memory.lapses or '')).rjust(9)}{last.rjust(10)}", "$s-muted"))
    return Content.assemble(*parts)


def _fit(text: str, width: int) -> str:
    content = Content(text)
    if content.cell_length > width:
        content = content.truncate(max(0, width), ellipsis=True)
    return content.plain + " " * max(0, width - content.cell_length)


def _is_due(found: Found, today: int) -> bool:
    return due_words(found, today) in ("today", "now")


def due_words(found: Found, today: int) -> str:
    """Return when a card comes, or why it does not, in one short word."""
    card, memory = found.card, found.card.memory
    if card.hidden:
        return "orphan"
    if card.suspended:
        return "away"
    if (card.buried_until_day or 0) > today:
        return "tomorrow"
    if memory.state is State.NEW:
        return "new"
    if memory.due_day is None:
        return "now"
    wait = memory.due_day - today
    return "today" if wait <= 0 else f"+{wait} d" if wait < 1000 else f"+{wait / 365.25:.0f} y"


def days_words(days: float) -> str:
    """Return days with at most three digits."""
    return f"{days:.1f} d" if days < 10 else f"{days:.0f} d" if days < 1000 else f"{days / 365.25:.1f} y"


def _day(day: int, today: int) -> str:
    found = date.fromordinal(day)
    return f"{found.day} {found:%b}" if abs(today - day) < 330 else f"{found:%b %Y}"


def day_words(day: int, today: int) -> str:
    """Return a day as "today", "3 Sep" or "Sep 2024"."""
    return "today" if day == today else _day(day, today)


def history(rows: Sequence[ReviewRow], width: int, ascii_only: bool = False) -> Content:
    """Return the answers as bars, the higher the better, and the last ones in words."""
    if not rows:
        return Content.styled("history  not answered yet", "$s-muted")
    bars = ASCII_BARS if ascii_only else BARS
    names = [RATINGS[r.rating - 1] for r in rows[-8:]]
    while names and len(" ".join(names)) > width - 24:
        names.pop(0)
    room = max(4, width - 11 - len(" ".join(names)))
    shown = rows[-room:]
    parts = [(bars[r.rating - 1], RATING_STYLES[r.rating - 1]) for r in shown]
    return Content.assemble(("history  ", "$s-muted"), *parts, ("  " + " ".join(names), "$s-muted"))


def forgetting(
    memory: Memory, today: int, policy: Policy, width: int, height: int = 1, ascii_only: bool = False
) -> list[Content]:
    """Return how the chance of recall falls from the last answer on, today a bright line in it.

    The floor of the graph is 0 %, its ceiling 100 %.

    Args:
        memory: The card's.
        today: The study day.
        policy: Whose curve.
        width: Columns.
        height: Rows of the graph.
        ascii_only: Draw with ASCII glyphs.
    """
    now = retrievability(memory, today, policy)
    if memory.stability is None or memory.last_day is None or now is None:
        return []
    graph = max(8, min(48, width - len("recall     100 % today, 90 % on Sep 2027")))
    elapsed = max(0, today - memory.last_day)
    span = max(4.0, 1.3 * elapsed, 4 * memory.stability)
    column = min(graph - 1, int(elapsed / span * graph))
    rates = [_rate(memory, span * at / graph, policy) for at in range(graph)]
    rates[column] = now
    rows = _graph(rates, column, height, ascii_only)
    below = interval_at(memory.stability, policy.desired_retention, policy.decay)
    target = memory.last_day + round(below)
    words = Content.assemble(
        (f"  {percent(now)} today", "bold $s-bright"),
        (f", {percent(policy.desired_retention)} on {day_words(target, today)}", "$s-muted"),
    )
    names = [("recall   ", "$s-muted")] + [("         ", "")] * (height - 1)
    return [Content.assemble(names[at], line, words if at == 0 else Content("")) for at, line in enumerate(rows)]


def _rate(memory: Memory, elapsed_days: float, policy: Policy) -> float:
    """Return the chance of recall some days after the last answer, whole or not."""
    assert memory.stability is not None
    assert memory.last_day is not None
    low = int(elapsed_days)
    ends = [retrievability(memory, memory.last_day + low + k, policy) or 0.0 for k in (0, 1)]
    return ends[0] + (ends[1] - ends[0]) * (elapsed_days - low)


def _graph(rates: Sequence[float], column: int, height: int, ascii_only: bool) -> list[Content]:
    glyphs = ASCII_EIGHTHS if ascii_only else EIGHTHS
    lines = []
    for level in range(height - 1, -1, -1):
        parts = []
        for at, rate in enumerate(rates):
            eighths = round(rate * height * 8) - level * 8
            glyph = glyphs[max(0, min(8, eighths))]
            if at == column and eighths > 0:
                glyph = "|" if ascii_only else "┃"  # seen without colours, too
            parts.append((glyph, "$s-bright" if at == column else "$s-gpu-dim" if at < column else "$s-faint"))
        lines.append(Content.assemble(*parts))
    return lines


def trial_line(found: Found, last: tuple[str, float | None, float | None, str, bool] | None) -> Content | None:
    """Return what became of the card's experiment: its day, what was said, what was measured.

    Args:
        found: The card.
        last: (day in words, predicted, measured, unit, whether there was a prediction), None before any run.
    """
    links = found.card.experiments
    if not links:
        return None
    name = clean_place(links[0].experiment)
    if last is None:
        return Content.assemble(("x ", "bold $s-bright"), (f"{name}, not run yet", "$s-sky"))
    day, predicted, measured, unit, was_predicted = last
    said = "" if not was_predicted else f"predicted {_number(predicted, unit)}, "
    was = "no number came of it" if measured is None else f"was {quantity(measured, unit)}"
    return Content.assemble(("x ", "bold $s-bright"), (f"{name}, last run {day}: {said}{was}", "$s-sky"))


def _number(value: float | None, unit: str) -> str:
    return "never" if value is None else quantity(value, unit)
