"""The panel of forecasts: how the learner's predictions, the coin and the scheduler did."""

from __future__ import annotations

from textual.content import Content

from studyapp.core.calibration import Calibration, Share
from studyapp.core.percent import percent
from studyapp.core.predictions import Sure, times_words
from studyapp.study.statistics import Statistics
from studyapp.tui.screens.stats_parts import NAME, bar, row, whole


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
    return [row("the coin", (words, "$s-text")), row("", (found.coin.sentence, "$s-muted"))]


def _predictions(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    made = found.calibration
    if not made.made:
        return [row("your numbers", ("none yet: press x on a card that has an experiment", "$s-text"))]
    times = "x" if ascii_only else "×"
    lines = [row("your numbers", (f"{made.made} made", "bold $s-bright"))]
    for words in told(made, times):
        longer = Content.assemble(lines[-1], (words, "$s-text"))
        lines = [*lines[:-1], longer] if longer.cell_length <= width else [*lines, row("", (words[3:], "$s-text"))]
    names = {"guess": f"a guess, {times}10", "fairly": f"fairly, {times}2", "certain": f"certain, {times}1.25"}
    for sure, share in made.by_sure.items():
        if share.value is not None:
            words = f"{percent(share.value):>5} of {share.total} in range"
            lines.append(bar(names[sure], share.value, words, width, ascii_only, "$s-you"))
    if made.scored:
        lines.append(row("", ("each range is meant to hold 4 of 5", "$s-muted")))
        certain = made.by_sure.get(Sure.CERTAIN.value)
        if certain is not None and certain.passed < certain.total:
            wrong = certain.total - certain.passed
            lines.append(row("sure and wrong", (f"{wrong} of {certain.total}", "bold $s-hard")))
            if found.missed:
                cards = f"{found.missed_cards} card{'' if found.missed_cards == 1 else 's'}"
                worth = Content.assemble(("   worth another look: ", "$s-muted"), (cards, "$s-text"))
                lines[-1] = Content.assemble(lines[-1], worth)
                lines.append(row("", (", ".join(found.missed), "$s-text")))
        if made.leaning:
            lines.append(row("", (f"{made.leaning} (n = {made.scored})", "$s-text")))
    return lines


def told(made: Calibration, times: str) -> list[str]:
    """Return how close the learner's numbers were, and the middle one, each with blanks before it."""
    found = [f"   {count} {name}" for name, count in made.by_closeness.items() if count]
    if made.median_factor:
        found.append(f"   median {times_words(made.median_factor)}{times} off")
    return found


def _reliability(found: Statistics, width: int, ascii_only: bool) -> list[Content]:
    own = found.own
    if own.log_loss is None or own.constant is None:
        return [row("the scheduler", ("has no forecast of its own to score yet", "$s-text"))]
    said = [
        [(f"log-loss {own.log_loss:.3f}", "bold $s-bright")],
        [(f"   {own.reviews:,} forecasts", "$s-text")],
        [(f"   always the mean: {own.constant:.3f}", "$s-muted")],
    ]
    lines = [
        whole("the scheduler", said, width),
        row("it said", ("what was recalled, and what it said ", "$s-muted"), (_said(ascii_only), "$s-bright")),
    ]
    lines += [
        _against(f"{percent(r.low)} to {percent(r.high)}", r.foretold, r.recalled, width, ascii_only, fits=r.fits)
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
    value = f"  {percent(share.value or 0):>5} of {share.total}"
    return Content.assemble(*parts, (value, "$s-text"), ("" if fits else "   off", "$s-hard"))
