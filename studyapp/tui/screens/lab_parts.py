"""The rows and the detail of the Lab as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome
from studyapp.study.estimating import Estimate
from studyapp.study.lab import Entry, value_words
from studyapp.study.predicting import praise
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES, SURE_WORDS, said
from studyapp.tui.widgets.bars import clean_place, shortened

SHORT_WORDS = {
    Outcome.HOLDS: "holds",
    Outcome.DOES_NOT_HOLD: "does not hold",
    Outcome.TOO_NOISY: "too noisy",
    Outcome.CANNOT_TEST: "cannot test",
}
AIRY = 20
"""Rows from which the parts of the detail stand apart."""
FULL, MIDDLE = 72, 50
"""Widths from which a row has all its columns, and from which the verdict is in words."""
LAB_CSS = """
LabScreen #search { display: none; height: 1; margin: 1 2 0 3; }
LabScreen #slash { width: 2; }
LabScreen #find { width: 1fr; height: 1; border: none; padding: 0; background: $s-bg; color: $s-bright; }
LabScreen #find:focus { border: none; }
LabScreen.-finding #search { display: block; }
LabScreen #columns { height: 1; margin: 1 2 0 3; }
LabScreen.-finding #columns { margin: 0 2 0 3; }
LabScreen.-narrow #columns { display: none; }
LabScreen #lab { layout: vertical; width: 100%; height: 1fr; }
LabScreen #list { width: 1fr; height: 1fr; margin: 0 2 0 3; }
LabScreen #detail { height: 9; margin: 1 2 0 3; }
LabScreen.-low #detail { height: 6; }
LabScreen.-flat #detail { height: 3; margin: 0 2 0 3; }
LabScreen.-flat #search { margin: 0 2 0 3; }
LabScreen.-narrow #list { margin: 1 2 0 3; }
LabScreen.-narrow.-flat #list { margin: 0 2 0 3; }
LabScreen.-wide #lab { layout: horizontal; }
LabScreen.-wide #list { width: 78; margin: 0 2 0 3; }
LabScreen.-wide #detail { width: 1fr; height: 1fr; margin: 0 3 0 2; }
"""
Cell = tuple[str, int, str]
"""Text, cells, alignment ("<" or ">")."""


def fitted(cells: Sequence[Cell]) -> list[str]:
    """Return texts cut and padded to their cells, so that columns line up."""
    found = []
    for text, width, side in cells:
        cut = text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
        pad = " " * (width - cell_len(cut))
        found.append(pad + cut if side == ">" else cut + pad)
    return found


def columns(width: int) -> Content:
    """Return the names of the columns, empty where the window is too narrow to need them."""
    if width < FULL:
        return Content("")
    cells: list[Cell] = [("", 2, "<"), ("", 19, "<"), ("last verdict", 15, "<"), ("measured", 11, ">")]
    cells += [("on", 8, "<"), ("when", 8, "<"), ("you said", 9, ">")]
    parts = fitted(cells)
    return Content.styled("".join(parts[:4]) + "  " + "".join(parts[4:]), "$s-muted")


def heading(title: str, width: int) -> Content:
    """Return a section's title."""
    return Content.styled(clean_place(title), "$s-sky").truncate(max(1, width), ellipsis=True)


def row(entry: Entry, when: str, here: bool, width: int) -> Content:
    """Return one experiment's row.

    Args:
        entry: The experiment.
        when: The day of its last run in words, "" where there is none.
        here: Whether the cursor is on it.
        width: Cells there are.
    """
    name_style = "bold $s-bright" if here else "$s-text"
    glyph, words, style = _verdict(entry)
    bar = ("▌ " if here else "  ", "$s-sky")
    number = _number(entry)
    number_style = "$s-muted" if entry.reckoned or not entry.here else "$s-text"
    if width < MIDDLE:
        name, found = fitted([(entry.experiment.id, 19, "<"), (number, 11, ">")])
        return Content.assemble(bar, (name, name_style), (f"{glyph} ", style), (found, number_style))
    name, verdict, found = fitted(
        [(entry.experiment.id, 19, "<"), (f"{glyph} {words}", 15, "<"), (number, 11, ">")]
    )
    line = Content.assemble(bar, (name, name_style), (verdict, style), (found, number_style))
    if width < FULL:
        return line
    device = clean_place(entry.last.device) if entry.last is not None else ""
    yours = "" if entry.latest is None else said(entry.latest.prediction.value, entry.experiment.unit)
    on, day, you = fitted([(device, 8, "<"), (f"{when} !" if entry.expired else when, 8, "<"), (yours, 9, ">")])
    return Content.assemble(line, ("  " + on, "$s-muted"), (day, _age(entry)), (you, "$s-you"))


def _age(entry: Entry) -> str:
    return "$s-hard" if entry.expired else "$s-muted"


def _verdict(entry: Entry) -> tuple[str, str, str]:
    run = entry.last
    if run is not None and run.verdict is not None:
        glyph, style = OUTCOME_STYLES[run.verdict.outcome]
        return glyph, SHORT_WORDS[run.verdict.outcome], style if entry.here else "$s-muted"
    if entry.testable_here is False:
        return "–", "not here", "$s-muted"
    return "·", "not run yet", "$s-muted"


def _number(entry: Entry) -> str:
    """Return the measured figure; what rests on a stand-in carries a mark of its own."""
    verdict = entry.last.verdict if entry.last is not None else None
    if verdict is None or (verdict.measured is None and not verdict.never):
        return ""
    return ("~" if entry.reckoned else "") + said(verdict.measured, entry.experiment.unit)


def detail(
    entry: Entry, controls: Mapping[str, Any], when: str, cost: Estimate | None, width: int, height: int
) -> Content:
    """Return what is known of the experiment under the cursor, weightiest first; what has no room is left out."""
    width = max(10, width)
    claim = shortened(Content.styled(clean_place(entry.experiment.claim), "bold $s-bright"), width, max(1, height))
    parts = [claim, _last(entry, when, width), _prediction(entry).wrap(width)]
    if entry.why_not:
        other = f" {entry.experiment.sibling} shows the same law." if entry.experiment.sibling else ""
        parts.append(Content.styled(clean_place(entry.why_not + other), "$s-hard").wrap(width))
    parts.append(setting(controls).wrap(width))
    if cost is not None:
        parts.append(Content.styled(cost_words(cost), "$s-muted").wrap(width))
    lines: list[Content] = []
    for part in parts:
        if len(lines) + len(part) <= max(1, height):  # whole or not at all: half a sentence says something else
            lines += [*part, Content("")] if height >= AIRY else part
    return Content("\n").join(line.rstrip() for line in lines)


def setting(controls: Mapping[str, Any]) -> Content:
    """Return controls with their values."""
    if not controls:
        return Content.styled("no controls to change", "$s-muted")
    parts: list[tuple[str, str]] = []
    for name, value in controls.items():
        parts += [(f"{name} ", "$s-muted"), (f"{value_words(value)}   ", "$s-text")]
    return Content.assemble(*parts)


def _last(entry: Entry, when: str, width: int) -> list[Content]:
    run = entry.last
    if run is None or run.verdict is None:
        return [Content.styled("not run yet", "$s-muted")]
    glyph, style = OUTCOME_STYLES[run.verdict.outcome]
    number = _number(entry).lstrip("~")
    found = f", {'reckoned' if entry.reckoned else 'measured'} {number}" if number else ""
    where = "" if entry.here else ", another machine"
    more = f", {len(entry.history)} runs" if len(entry.history) > 1 else ""
    first = Content.assemble(
        (f"{glyph} {OUTCOME_WORDS[run.verdict.outcome]}", style),
        (found, "$s-text"),
        (f"  {when} on {clean_place(run.device)}{where}{more}", "$s-muted"),
    )
    because = Content.styled(clean_place(run.verdict.because), "$s-text")
    lines = [*first.wrap(width), *because.wrap(width)]
    return lines + (Content.styled(clean_place(entry.expired), "$s-hard").wrap(width) if entry.expired else [])


def _prediction(entry: Entry) -> Content:
    first, latest = entry.first, entry.latest
    if first is None or latest is None:
        return Content.styled("no prediction yet", "$s-muted")
    unit = entry.experiment.unit
    parts: list[tuple[str, str]] = [("you said ", "$s-muted")]
    for index, told in enumerate([first] if first.uid == latest.uid else [first, latest]):
        parts.append(("; last " if index else "", "$s-muted"))
        parts.append((said(told.prediction.value, unit), "bold $s-you"))
        parts.append((f" ({SURE_WORDS[told.prediction.sure]})", "$s-muted"))
        if told.score is not None:
            parts.append((f", {praise(told.score).split(',')[0].rstrip('.').lower()}", "$s-text"))
    return Content.assemble(*parts)


def cost_words(cost: Estimate) -> str:
    """Return an estimate of time and memory in words, each with its source."""
    time, memory = time_and_memory(cost)
    return f"{time}; {memory}"


def time_and_memory(cost: Estimate) -> tuple[str, str]:
    """Return the two halves of an estimate in words."""
    if cost.seconds is None:
        time = f"time {cost.time_from}"
    else:
        time = f"about {quantity(cost.seconds, 's', 2)} ({cost.time_from})"
    size = quantity(float(cost.about_bytes), "B", 2)
    return time, f"memory {'at most' if cost.at_most else 'about'} {size} (reckoned by the experiment)"
