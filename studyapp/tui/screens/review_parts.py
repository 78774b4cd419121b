"""The parts of the review screen as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from textual.content import Content

from studyapp.core.grades import Rating

if TYPE_CHECKING:
    from studyapp.core.reviews import Answered
    from studyapp.study.reviewing import Graded

NAMES = {Rating.AGAIN: "Again", Rating.HARD: "Hard", Rating.GOOD: "Good", Rating.EASY: "Easy"}
STYLES = {Rating.AGAIN: "$s-again", Rating.HARD: "$s-hard", Rating.GOOD: "$s-good", Rating.EASY: "$s-easy"}
WIDEST_TILE = 24
"""Columns of a grade: two of them need not fill the row."""
THINK_S = 15
"""Seconds over which the thinking bar fills; it never blocks."""


def wait(answered: Answered) -> str:
    """Return when the card comes back, as the button says it: exactly what will be stored."""
    if answered.after == answered.before:
        return "no change"
    if answered.interval_days:
        return day_span(answered.interval_days)
    minutes = answered.delay_ms / 60_000
    if minutes < 1:
        return "under 1 min"
    whole = round(minutes)
    return f"{whole} min" if abs(minutes - whole) < 0.05 else f"{minutes:.1f} min"


def day_span(days: int) -> str:
    """Return days in words a button can hold: 1 day, 12 days; long ones in months or years as well."""
    if days < 60:
        return "1 day" if days == 1 else f"{days} days"
    if days < 365:
        return f"{days} d, {days / 30.44:.1f} months"
    return f"{days} d, {days / 365.25:.1f} years"


def tiles(outcomes: Mapping[Rating, Answered], width: int, preselected: Rating | None) -> list[Content]:
    """Return the grade tiles: two rows, one column for each outcome, the preselected one marked."""
    room = max(8, min(width // len(outcomes), WIDEST_TILE))
    top: list[tuple[str, str]] = []
    low: list[tuple[str, str]] = []
    waits = _waits([wait(outcome) for outcome in outcomes.values()], room - 5)
    for rating, words in zip(outcomes, waits, strict=True):
        chosen = rating is preselected
        bar = ("█ " if chosen else "▌ ", STYLES[rating])
        name = f"{NAMES[rating]}{'  enter' if chosen and room >= 16 else ''}"
        style = "bold $s-bright"
        top += [bar, (str(int(rating)), f"bold {STYLES[rating]}"), (_fit(" " + name, room - 3), style)]
        low += [bar, (_fit("  " + words, room - 2), "$s-muted")]
    return [Content.assemble(*top), Content.assemble(*low)]


def _waits(waits: Sequence[str], room: int) -> Sequence[str]:
    """Return the waits in the longest form that fits every tile: "67 d, 2.2 months", "67 days", "67d"."""
    if all(len(words) <= room for words in waits):
        return waits
    days = [f"{words.partition(' d, ')[0]} days" if " d, " in words else words for words in waits]
    return days if all(len(words) <= room for words in days) else [_short(words) for words in days]


def _short(words: str) -> str:
    """Return a wait for a narrow tile: 10 min is 10m, 3 days is 3d."""
    if words == "no change":
        return "as it is"
    number, _, unit = words.removeprefix("under ").partition(" ")
    return f"{number}{unit[:1]}"


def _fit(text: str, width: int) -> str:
    return text[:width].ljust(width)


def face(
    height: int,
    head: Sequence[Content],
    question: Sequence[Content],
    body: Sequence[Content],
    *,
    centred: bool,
    scroll: int = 0,
    low: bool = False,
) -> tuple[list[Content], int]:
    """Return the card's rows, exactly `height` of them, and how far its body can be scrolled.

    Args:
        height: Rows there are.
        head: The eyebrow's lines; more than one where the reason of a failure is told.
        question: The question's lines; one longer than two fifths of the rows scrolls with its answer.
        body: What stands below it.
        centred: Whether the block stands in the middle (a question alone) or at the top (with its answer).
        scroll: First line of the body that is shown.
        low: Whether blank rows are given up.
    """
    blank = [] if low else [Content("")]
    if not centred and len(question) > max(1, height * 2 // 5):
        question, body = [], [*question, *blank, *body]  # a long question scrolls with its answer
    top = [*head, *blank, *question, *blank] if question else [*head, *blank]
    room = max(0, height - len(top))
    most = max(0, len(body) - room)
    scroll = max(0, min(scroll, most))
    shown = list(body[scroll : scroll + room])
    if scroll < most and shown:
        shown[-1] = Content.styled(f"   ▾ {len(body) - scroll - len(shown) + 1} more lines", "$s-muted")
    rows = [*top, *shown]
    before = max(0, (height - len(rows)) // 2) if centred else 0
    rows = [*[Content("")] * before, *rows]
    return [*rows, *[Content("")] * (height - len(rows))][:height], most


def think(seconds: float, width: int) -> Content:
    """Return the thinking bar: fills over fifteen seconds, then only counts."""
    bar = min(32, max(8, width - 8))
    filled = round(bar * min(1.0, seconds / THINK_S))
    clock = f"  {int(seconds) // 60}:{int(seconds) % 60:02d}"
    return Content.assemble(("━" * filled, "$s-you"), ("─" * (bar - filled), "$s-track"), (clock, "$s-muted"))


def checks(points: Sequence[str], ticked: set[int], cursor: int | None, width: int) -> list[Content]:
    """Return the key points with their tick boxes, wrapped, the cursor's line bright."""
    from studyapp.tui.widgets.prose import prose

    lines: list[Content] = []
    for number, point in enumerate(points):
        here = number == cursor
        box = "[x] " if number in ticked else "[ ] "
        style = "$s-good" if number in ticked else "$s-bright" if here else "$s-muted"
        for row, line in enumerate(prose(point, max(8, width - 6))):
            lead = ("› " if here else "  ") + box if row == 0 else "      "
            lines.append(Content.assemble((lead, style), line.stylize("$s-bright") if here else line))
    return lines


def preselect(ticked: int, total: int, grades: Sequence[Rating] = tuple(Rating)) -> Rating | None:
    """Return the grade that ticked key points suggest; the learner decides.

    All: Good. At least half: Hard, if there is such a grade. Fewer: Again. None ticked: no suggestion, since
    ticking is a choice.
    """
    if not total or not ticked:
        return None
    if ticked == total:
        return Rating.GOOD
    return Rating.HARD if ticked * 2 >= total and Rating.HARD in grades else Rating.AGAIN


def leech_words(graded: Graded) -> str:
    """Return what is said of a card that was forgotten so often that it, not the learner, needs work."""
    often = f"forgotten {graded.answered.after.lapses} times"
    return f"{often}, so it is suspended" if graded.put_away else f"{often}: worth rewriting"


def when(study_day: int, today: int) -> str:
    """Return a day in words: today, tomorrow, or its date."""
    if study_day <= today:
        return "today"
    if study_day == today + 1:
        return "tomorrow"
    due = date.fromordinal(study_day)
    return f"on {due:%A} {due.day} {due:%B}" if study_day - today < 300 else f"on {due.day} {due:%B %Y}"


def wrapped(lines: Sequence[Content], width: int) -> list[Content]:
    """Return lines of which none is wider than the card; those that fit stay as they are."""
    return [row for line in lines for row in (line.wrap(max(10, width)) if line.cell_length > width else [line])]
