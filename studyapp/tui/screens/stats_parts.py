"""The panels of the statistics screen as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from textual.content import Content

from studyapp.core.calibration import Share
from studyapp.core.cards import normalised
from studyapp.core.predictions import times_words
from studyapp.study.statistics import Statistics
from studyapp.tui.screens.home_parts import BARS
from studyapp.tui.widgets.bars import clean_place

PANELS = ("recall", "ahead", "forecasts", "cards")
NAME = 16
"""Columns of the names at the left."""
ASCII_BARS = ".:-=+*#@"
DURABLE = ("under a day", "under a week", "under 3 weeks", "under 3 months", "under a year", "a year or more")


def tabs(panel: str, width: int) -> Content:
    """Return the names of the panels, the present one marked."""
    parts: list[tuple[str, str]] = []
    for number, name in enumerate(PANELS, start=1):
        here = name == panel
        parts += [
            (f"{number} ", "$s-faint"),
            (name.upper() if here else name, "bold $s-sky" if here else "$s-muted"),
        ]
        parts += [("    " if width >= 56 else "  ", "")]
    return Content.assemble(*parts).truncate(max(1, width), ellipsis=False)


def time_words(seconds: float) -> str:
    """Return a time in words: "2 h 51 min", "14 min", "40 s"."""
    if seconds >= 3600:
        return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def share_words(share: Share) -> list[tuple[str, str]]:
    """Return a share with its interval and n, or that there is none."""
    if share.value is None or share.interval is None:
        return [("no card has come back yet", "$s-text")]
    low, high = share.interval
    answers = "answer" if share.total == 1 else "answers"
    return [
        (f"{share.value:.0%}", "bold $s-bright"),
        (f"  {low:.0%} to {high:.0%} likely, {share.total} {answers}", "$s-text"),
    ]


def recall_head(found: Statistics, last_days: int | None, width: int = 80) -> Content:
    """Return the two lines above the curve."""
    days = last_days or 1_000_000
    over = f"last {last_days} days" if last_days else "all days"
    recall = found.recall(days)
    first = _whole(over, [share_words(recall.all), [(f"   target {found.target:.0%}", "$s-muted")]], width)
    parted: list[list[tuple[str, str]]] = []
    for name, share in (("young", recall.young), ("mature", recall.mature)):
        if share.value is not None:
            told = [
                (f"{name} ", "$s-muted"),
                (f"{share.value:.0%}", "$s-text"),
                (f" of {share.total}   ", "$s-muted"),
            ]
            parted.append(told)
    if found.answers(days):
        parted.append([(time_words(found.seconds(days)), "$s-muted")])
    return Content("\n").join([first, _whole("", parted, width)])


def recall_foot(found: Statistics, width: int, ascii_only: bool = False) -> Content:
    """Return today, the streak and the reviews of the next seven days, under the curve."""
    run, today = found.streak, found.today_answers
    answers = (f"{today} answer{'' if today == 1 else 's'}", "bold $s-bright")
    groups = [
        [answers, (f"  {time_words(found.today_seconds)}", "$s-text")],
        [(f"     streak {run.length}, best {run.best}", "$s-muted")] if found.streak_shown else [],
        [(f", {run.days_30} of the last 30 days", "$s-muted")],
    ]
    return Content("\n").join(
        [_whole("today", groups, width), _whole("reviews ahead", _week(found, ascii_only), width)]
    )


def _week(found: Statistics, ascii_only: bool) -> list[list[tuple[str, str]]]:
    ahead = sorted(found.forecast.items())[1:8]
    most = max([count for _, count in ahead] + [1])
    glyphs = ASCII_BARS if ascii_only else BARS
    groups = []
    for day, count in ahead:
        bar = glyphs[min(7, count * 8 // (most + 1))] if count else " "
        name = f"{date.fromordinal(day):%a} "
        groups.append([(name, "$s-muted"), (bar, "$s-heat-4"), (f"{count:<3}", "$s-text")])
    return groups


def nothing_yet(found: Statistics, width: int) -> Content:
    """Return what stands where the curve will be, before a card has come back."""
    words = "Here your recall will stand over time, against the target. A card counts from its first answer a day "
    words += "or more after the one before."
    lines = [line.rstrip() for line in Content.styled(words, "$s-text").wrap(min(width, 66))]
    return Content("\n").join([recall_head(found, None, width), *lines, Content(""), recall_foot(found, width)])


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
    lines = [_row("reviews due", (f"{total}", "bold $s-bright"), (f" in {len(days)} days{late}", "$s-text"))]
    glyphs = ASCII_BARS if ascii_only else BARS
    for row in reversed(range(tall)):
        label = f"{most:>4} " if row == tall - 1 else "   0 " if row == 0 else "     "
        parts = [(label, "$s-muted")]
        for place, (_, count) in enumerate(days):
            eighths = round(count / most * tall * 8) - row * 8
            glyph = " " if eighths <= 0 else glyphs[min(7, eighths - 1)]
            glyph = glyphs[0] if row == 0 and count and eighths <= 0 else glyph
            parts.append((f"{glyph} ", "bold $s-bright" if place == 0 else "$s-heat-4"))
        lines.append(Content.assemble(*parts).rstrip() if any(c for _, c in days) else Content(label))
    return [*lines, _weekdays([day for day, _ in days])]


def _weekdays(days: Sequence[int]) -> Content:
    """Return the axis: "today" and the Mondays."""
    row = [" "] * (2 * len(days) + 8)
    row[0:5] = "today"
    for place, day in enumerate(days):
        found = date.fromordinal(day)
        if found.weekday() == 0 and place >= 3:
            text = f"{found.day} {found:%b}"
            row[2 * place : 2 * place + len(text)] = text
    return Content.styled("     " + "".join(row).rstrip(), "$s-muted")


def _forgetting(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    if not found.forgetting:
        return [_row("this week", ("nothing is in memory yet", "$s-text"))]
    known = sum(f.known_now for f in found.forgetting)
    cards, lost = sum(f.cards for f in found.forgetting), sum(f.lost for f in found.forgetting)
    lines = [
        _row("in memory", (f"{known:.0f}", "bold $s-bright"), (f" of {cards} cards today", "$s-text")),
        _row(
            "lost in a week",
            (f"about {lost:.1f}", "bold $s-hard"),
            (" without a review", "$s-muted"),
        ),
    ]
    if len(found.forgetting) > 1:
        lines += [
            _bar(clean_place(f.title), f.lost / f.cards * 10, f"{f.lost:.1f} of {f.cards}", width, ascii_only)
            for f in found.forgetting[:4]
        ]
    return [line.truncate(max(1, width), ellipsis=True) for line in lines]


def _durable(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    total = sum(found.stability)
    lines = [
        _row(
            "how durable", (f"{found.learned}", "bold $s-bright"), (f" of {found.cards} cards learned", "$s-text")
        )
    ]
    if not total:
        return lines
    most = max(found.stability)
    return lines + [
        _bar(name, count / most, str(count), width, ascii_only)
        for name, count in zip(DURABLE, found.stability, strict=True)
        if count
    ]


def _bar(name: str, share: float, words: str, width: int, ascii_only: bool, style: str = "$s-gpu") -> Content:
    room = max(4, min(40, width - NAME - 20))
    filled = max(0, min(room, round(share * room)))
    full, empty = ("#", ".") if ascii_only else ("━", "─")
    return Content.assemble(
        (f"{name[: NAME - 2]:<{NAME}}", "$s-muted"),
        (full * filled, style),
        (empty * (room - filled), "$s-track"),
        (f"  {words}", "$s-text"),
    )


def forecasts(found: Statistics, width: int, ascii_only: bool = False) -> Content:
    """Return how the learner's predictions and the scheduler's forecasts did."""
    lines = [
        *_predictions(found, width, ascii_only),
        *_coin(found),
        Content(""),
        *_reliability(found, width, ascii_only),
    ]
    return Content("\n").join(line.truncate(max(1, width), ellipsis=True) for line in lines)


def _coin(found: Statistics) -> list[Content]:
    if found.coin is None:
        return []
    first, second = found.coin.predict, found.coin.plain
    words = f"recalled {first.passed} of {first.total} predicted first, {second.passed} of {second.total} not"
    return [_row("the coin", (words, "$s-text")), _row("", (found.coin.sentence, "$s-muted"))]


def _predictions(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    made = found.calibration
    if not made.made:
        return [_row("your numbers", ("none yet: press x on a card that has an experiment", "$s-text"))]
    split = "   ".join(f"{count} {name}" for name, count in made.by_closeness.items() if count)
    lines = [_row("your numbers", (f"{made.made} made", "bold $s-bright"), (f"   {split}", "$s-text"))]
    if made.median_factor:
        off = f"median {times_words(made.median_factor)}{'x' if ascii_only else '×'} off"
        longer = Content.assemble(lines[0], (f"   {off}", "$s-text"))
        lines = [longer] if longer.cell_length <= width else [*lines, _row("", (off, "$s-text"))]
    names = {"guess": "a guess, x10", "fairly": "fairly, x2", "certain": "certain, x1.25"}
    for sure, share in made.by_sure.items():
        if share.value is not None:
            words = f"{share.value:>4.0%} of {share.total} in range"
            lines.append(_bar(names[sure], share.value, words, width, ascii_only, "$s-you"))
    if made.scored:
        lines.append(_row("", ("each range is meant to hold 4 of 5", "$s-muted")))
        if made.leaning:
            lines.append(_row("", (f"{made.leaning} (n = {made.scored})", "$s-text")))
    return lines


def _reliability(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    own = found.own
    if own.log_loss is None or own.constant is None:
        return [_row("the scheduler", ("has no forecast of its own to score yet", "$s-text"))]
    lines = [
        _row(
            "the scheduler",
            (f"log-loss {own.log_loss:.3f}", "bold $s-bright"),
            (f"   {own.reviews:,} forecasts", "$s-text"),
            (f"   always the mean: {own.constant:.3f}", "$s-muted"),
        ),
        _row("it said", ("what was recalled, and what it said ", "$s-muted"), (_said(ascii_only), "$s-bright")),
    ]
    lines += [
        _against(f"{r.low:.0%} to {r.high:.0%}", r.foretold, r.recalled, width, ascii_only, fits=r.fits)
        for r in own.table
    ]
    return lines


def _said(ascii_only: bool) -> str:
    return "|" if ascii_only else "┃"


def _against(name: str, foretold: float, share: Share, width: int, ascii_only: bool, *, fits: bool) -> Content:
    """Return one row of the reliability table: a bar of what came, with a mark where the forecast was."""
    room = max(4, min(40, width - NAME - 24))
    filled = round((share.value or 0.0) * room)
    at = min(room - 1, round(foretold * room))
    full, empty = ("#", ".") if ascii_only else ("━", "─")
    parts = [(f"{name:<{NAME}}", "$s-muted")]
    for start, end in ((0, at), (at + 1, room)):
        solid = max(0, min(filled, end) - start)
        parts += [(full * solid, "$s-gpu"), (empty * (end - start - solid), "$s-track")]
        if start == 0:
            parts.append((_said(ascii_only), "bold $s-bright"))
    value = f"  {share.value or 0:>4.0%} of {share.total}"
    return Content.assemble(*parts, (value, "$s-text"), ("" if fits else "   off", "$s-hard"))


def cards(found: Statistics, width: int, heat: Content) -> Content:
    """Return the hardest cards, leeches, and the days studied."""
    head = "lapses   recall"
    room = max(10, width - len(head))
    lines = [_ends("hardest cards", head, width)]
    for card in found.hardest[:5]:
        prompt = Content(clean_place(normalised(card.prompt))).truncate(room - 2, ellipsis=True).pad_right(2)
        prompt = prompt.pad_right(max(0, room - prompt.cell_length))
        lapses = (f"{card.lapses:>6}", "bold $s-again" if card.leech else "bold $s-bright")
        lines.append(Content.assemble(prompt.stylize("$s-text"), lapses, (f"{card.recall:>9.0%}", "$s-text")))
    if not found.hardest:
        lines.append(Content.styled("none was forgotten so far", "$s-text"))
    if found.leeches:
        words = f"{found.leeches} leech{'' if found.leeches == 1 else 'es'}: mend the card, not the learner"
        lines.append(Content.styled(words, "$s-hard"))
    spent = f"{time_words(found.seconds(365))} over {found.answers(365):,} answers in a year"
    return Content("\n").join([*lines, Content(""), _row("time", (spent, "$s-text")), Content(""), heat])


def _ends(left: str, right: str, width: int) -> Content:
    return Content.assemble(
        (left, "bold $s-bright"), " " * max(1, width - len(left) - len(right)), (right, "$s-muted")
    )


def _whole(name: str, groups: Sequence[Sequence[tuple[str, str]]], width: int) -> Content:
    """Return a row with as many groups as fit: half a figure says something else."""
    row = _row(name)
    for group in groups:
        longer = Content.assemble(row, *group)
        if longer.rstrip().cell_length > width:
            break
        row = longer
    return row


def _row(name: str, *parts: tuple[str, str]) -> Content:
    return Content.assemble((f"{name:<{NAME}}", "$s-muted"), *parts)
