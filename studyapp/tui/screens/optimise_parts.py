"""What the screen of your own parameters says, as Content: pure, so that tests can look at it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from textual.content import Content

from studyapp.core.days import instant_of
from studyapp.tui.screens.home_parts import ASCII_BARS, BARS
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.core.optimising import Supply
    from studyapp.store.own_parameters import ParameterSet
    from studyapp.study.optimising import Optimised, Rescheduling

BAR_ROWS = 3
"""Rows of a column of the load, as many as 60x20 leave for two of them."""


def in_force(own: ParameterSet | None, zone: tzinfo) -> list[Content]:
    """Return which numbers are in force.

    Args:
        own: The learner's own, None for the usual ones.
        zone: Where their day is told.
    """
    if own is None:
        return [Content.assemble(("in force   ", "$s-muted"), ("the usual numbers of FSRS-6", "bold $s-bright"))]
    day = instant_of(own.fitted_at_ms).astimezone(zone)
    loss = "" if own.loss_after is None else f", log-loss {own.loss_after:.4f} on {own.held_out} held out"
    return [
        Content.assemble(
            ("in force   ", "$s-muted"),
            (f"your own, of {day.day} {day:%b %Y}", "bold $s-bright"),
            (f"   {own.reviews:,} reviews{loss}", "$s-muted"),
        )
    ]


def supply_lines(there: Supply) -> list[Content]:
    """Return what there is to train on."""
    if not there.enough:
        return [Content.styled(f"Too little to train on yet: {there.words}", "$s-text")]
    return [
        Content.styled(f"{there.usable:,} usable reviews, {there.forgotten} of them forgotten.", "$s-text"),
        Content.styled(
            "Training takes a few seconds. Your latest reviews are kept out and decide whether it helped.",
            "$s-muted",
        ),
    ]


def found_lines(found: Optimised) -> list[Content]:
    """Return what came of the training."""
    lines = []
    fit = found.fit
    if fit is not None and fit.loss_before is not None and fit.loss_after is not None:
        better = fit.loss_after < fit.loss_before
        lines.append(
            Content.assemble(
                ("log-loss   ", "$s-muted"),
                (f"{fit.loss_before:.4f}", "$s-text"),
                (" in force,  ", "$s-muted"),
                (f"{fit.loss_after:.4f}", "bold $s-good" if better else "bold $s-hard"),
                (f" trained   over {fit.held_out:,} reviews kept out (lower is better)", "$s-muted"),
            )
        )
    lines.append(Content.styled(clean_place(f"{found.words} {found.hint}".strip()), "$s-text"))
    return lines


def plan_lines(planned: Rescheduling, width: int, ascii_only: bool) -> list[Content]:
    """Return what moving the due days would do, with the load of the next days before and after."""
    if not planned.moves:
        return [Content.styled("No due day would move.", "$s-text")]
    days = max(1, min(30, (width - 10) // 2))
    end, glyphs = f"in {days} days", ASCII_BARS if ascii_only else BARS
    return [
        Content.styled(
            f"Of {planned.cards} cards {planned.earlier} would come sooner, {planned.later} later.", "$s-text"
        ),
        Content(""),
        *_load("as it is", planned.before, planned, days, "$s-muted", glyphs),
        *_load("moved", planned.after, planned, days, "$s-heat-4", glyphs),
        Content.styled(f"{'':10}today{end:>{max(1, 2 * days - 6)}}", "$s-muted"),
    ]


def _load(
    name: str, load: Mapping[int, int], planned: Rescheduling, days: int, style: str, glyphs: str
) -> list[Content]:
    """Return the days as columns of a few rows, with the cards of today and of all of them in words."""
    most = max([*planned.before.values(), *planned.after.values(), 1])
    counts = [n for _, n in sorted(load.items())[:days]]
    words = f"{counts[0] if counts else 0} today, {sum(counts)} in {days} days"
    lines = [Content.assemble((f"{name:<10}", "$s-muted"), (words, "$s-text"))]
    for row in reversed(range(BAR_ROWS)):
        eighths = [-(-n * 8 * BAR_ROWS // most) - 8 * row for n in counts]
        bars = " ".join(glyphs[min(8, n) - 1] if n > 0 else " " for n in eighths)
        lines.append(Content.assemble(" " * 10, (bars, style)))
    return lines
