"""The recall panel of the statistics: the words above and under the curve."""

from __future__ import annotations

from datetime import date

from textual.content import Content

from studyapp.core.calibration import Share
from studyapp.core.percent import percent
from studyapp.study.statistics import Hard, Statistics
from studyapp.tui.screens.home_parts import ASCII_BARS, BARS
from studyapp.tui.screens.stats_forecasts import told
from studyapp.tui.screens.stats_parts import NAME, row, time_words, whole
from studyapp.tui.widgets.bars import clean_place


def share_words(share: Share) -> list[tuple[str, str]]:
    """Return a share with its interval and n, or that there is none."""
    if share.value is None or share.interval is None:
        return [("no card has come back yet", "$s-text")]
    low, high = share.interval
    answers = "answer" if share.total == 1 else "answers"
    return [
        (percent(share.value), "bold $s-bright"),
        (f"  {percent(low)} to {percent(high)} likely, {share.total} {answers}", "$s-text"),
    ]


def recall_head(found: Statistics, last_days: int | None, width: int = 80) -> Content:
    """Return the two lines above the curve."""
    days = last_days or 1_000_000
    over = f"last {last_days} days" if last_days else "all days"
    recall = found.recall(days)
    first = whole(over, [share_words(recall.all), [(f"   target {percent(found.target)}", "$s-muted")]], width)
    parted: list[list[tuple[str, str]]] = []
    for name, share in (("young", recall.young), ("mature", recall.mature)):
        if share.value is not None:
            told = [
                (f"{name} ", "$s-muted"),
                (percent(share.value), "$s-text"),
                (f" of {share.total}   ", "$s-muted"),
            ]
            parted.append(told)
    if answers := found.answers(days):
        words = time_words(found.seconds(days))
        alone = "" if parted else f"{answers} answer{'' if answers == 1 else 's'} in "  # a bare time says little
        parted.append([(alone + words, "$s-muted")])
    return Content("\n").join([first, whole("", parted, width)])


def recall_foot(found: Statistics, width: int, ascii_only: bool = False, *, rows: int = 2) -> Content:
    """Return today, the streak, the next seven days, the learner's numbers and the hardest cards, under the curve.

    Args:
        found: The figures.
        width: Cells there are.
        ascii_only: Whether only ASCII can be shown.
        rows: The most rows; what comes first is left out last.
    """
    run, today = found.streak, found.today_answers
    answers = (f"{today} answer{'' if today == 1 else 's'}", "bold $s-bright")
    groups = [
        [answers, (f"  {time_words(found.today_seconds)}", "$s-text")],
        [(f"     streak {run.length}, best {run.best}", "$s-muted")] if found.streak_shown else [],
        [(f", {run.days_30} of the last 30 days", "$s-muted")],
    ]
    lines = [whole("today", groups, width), whole("reviews ahead", _week(found, ascii_only), width)]
    made = found.calibration
    if made.made:
        close = [[(words, "$s-text")] for words in told(made, "x" if ascii_only else "×")]
        lines.append(whole("your numbers", [[(f"{made.made} made", "bold $s-bright")], *close], width))
    lines += [_hard(card, width, first=place == 0) for place, card in enumerate(found.hardest[:3])]
    return Content("\n").join(lines[:rows])


def _hard(card: Hard, width: int, *, first: bool) -> Content:
    from studyapp.decks.md_plain import plain_line  # brings the Markdown parser

    end = f"{card.lapses} lapse{'' if card.lapses == 1 else 's'}  {percent(card.recall):>5}"
    room = max(8, width - NAME - len(end) - 2)
    prompt = Content(clean_place(plain_line(card.prompt))).truncate(room, ellipsis=True)
    prompt = prompt.pad_right(max(0, room - prompt.cell_length) + 2)
    return Content.assemble(row("hardest cards" if first else ""), prompt.stylize("$s-text"), (end, "$s-muted"))


def _week(found: Statistics, ascii_only: bool) -> list[list[tuple[str, str]]]:
    ahead = sorted(found.forecast.items())[1:8]
    if not any(count for _, count in ahead):
        return [[("none in the next 7 days", "$s-text")]]
    most = max([count for _, count in ahead] + [1])
    glyphs = ASCII_BARS if ascii_only else BARS
    groups = []
    for day, count in ahead:
        bar = glyphs[min(7, count * 8 // (most + 1))] if count else " "
        name = f"{date.fromordinal(day):%a} "
        groups.append(
            [(name, "$s-muted"), (bar, "$s-heat-4"), (f"{count:<3}", "$s-text" if count else "$s-muted")]
        )
    return groups


def nothing_yet(found: Statistics, width: int) -> Content:
    """Return what stands where the curve will be, before a card has come back."""
    words = "Here your recall will stand over time, against the target. A card counts from its first answer a day "
    words += "or more after the one before."
    lines = [line.rstrip() for line in Content.styled(words, "$s-text").wrap(min(width, 66))]
    return Content("\n").join([recall_head(found, None, width), *lines, Content(""), recall_foot(found, width)])
