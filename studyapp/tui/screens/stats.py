"""Statistics: today, recall with its uncertainty, the week ahead, predictions; honest about small numbers."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.study.statistics import Statistics, gather
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.home_parts import BARS, heatmap


class StatsScreen(StudyScreen):
    """One page."""

    PLACE = "stats"
    HELP = (
        "Recall counts each card's first answer of a day whose interval was a day or more, as Anki does. "
        "The range behind it says how far a few answers can mislead. Predictions count once for each "
        "experiment, its controls and the device."
    )
    DEFAULT_CSS = "StatsScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="stats.down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="stats.up"),
        Binding("q,escape,s", "back", "back", id="back", key_display="q"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="page", markup=False)
        yield self.keys

    def on_resize(self, event: events.Resize) -> None:
        """Write the page for this width."""
        assert self.desk is not None
        found = gather(self.desk)
        width = max(30, (self.size.width or 80) - 6)
        heat = heatmap(self.study.status, self.desk.clock().study_day, width + 4) if self.study.status else ""
        parts: list[Content | str] = [*page(found), Content(""), heat]
        self.query_one("#page", Static).update(Content("\n").join(parts))

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_down if step > 0 else scroll.scroll_up)(animate=False)


def _row(name: str, *parts: tuple[str, str]) -> Content:
    return Content.assemble((f"{name:<22}", "$s-muted"), *parts)


def page(found: Statistics) -> list[Content]:
    """Return the page's lines: pure, so that tests can look at it."""
    share, run = found.retention_30, found.streak
    minutes = found.today_seconds / 60
    spent = f"{minutes:.0f} min" if minutes >= 1 else f"{found.today_seconds:.0f} s"
    lines = [_row("today", (f"{found.today_answers} answers", "bold $s-bright"), (f"   {spent}", "$s-text"))]
    freezes = f"   {run.freezes} freeze{'' if run.freezes == 1 else 's'} held" if run.freezes else ""
    days = f"{run.length} day{'' if run.length == 1 else 's'}"
    lines.append(
        _row(
            "streak",
            (days, "bold $s-bright"),
            (f"   best {run.best}   studied {run.days_30} of the last 30{freezes}", "$s-text"),
        )
    )
    if share.value is None or share.interval is None:
        lines.append(_row("recall, last 30 days", ("no card has come back yet", "$s-text")))
    else:
        low, high = share.interval
        lines.append(
            _row(
                "recall, last 30 days",
                (f"{share.value:.0%}", "bold $s-bright"),
                (f"   {low:.0%} to {high:.0%} likely, {share.total} answers", "$s-text"),
                (f"   target {found.target:.0%}", "$s-muted"),
            )
        )
    lines.append(_row("cards", (f"{found.learned} of {found.cards} learned", "$s-text")))
    lines += [_week(found), Content(""), *_predictions(found)]
    return lines


def _week(found: Statistics) -> Content:
    ahead = sorted(found.forecast.items())[1:8]
    most = max([count for _, count in ahead] + [1])
    parts: list[tuple[str, str]] = []
    for day, count in ahead:
        bar = BARS[min(7, count * 8 // (most + 1))] if count else " "
        parts += [(f"{date.fromordinal(day):%a} ", "$s-muted"), (bar, "$s-heat-4"), (f"{count:<2}", "$s-text")]
    return _row("next 7 days", *parts)


def _predictions(found: Statistics) -> list[Content]:
    made = found.calibration
    if not made.made:
        return [_row("predictions", ("none yet: press x on a card that has an experiment", "$s-text"))]
    split = "   ".join(f"{count} {name}" for name, count in made.by_closeness.items() if count)
    lines = [_row("predictions", (f"{made.made} made", "bold $s-bright"), (f"   {split}", "$s-text"))]
    if made.scored:
        off = f"   median {made.median_factor:.1f}× off" if made.median_factor else ""
        lines.append(_row("inside your range", (f"{made.inside} of {made.scored}{off}", "$s-text")))
    return lines
