"""The map: where a claim holds on this machine, over two of its controls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.screens.scrolled import ScrolledScreen
from studyapp.tui.theme import CHART_STYLES
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.experiments.claim import Experiment
    from studyapp.study.mapping import Map

STYLES = {**CHART_STYLES, "neutral": "bold $s-good", "cpu": "bold $s-again"}
"""A verdict has the colour that verdicts have everywhere."""


class MapScreen(ScrolledScreen):
    """A grid of characters with its legend, sentence and table."""

    DEFAULT_CSS = """
    MapScreen #map { height: 1fr; margin: 1 2 0 3; }
    MapScreen #words { height: auto; max-height: 6; margin: 1 2 1 3; }
    MapScreen VerticalScroll { display: none; height: 1fr; margin: 1 2 0 3; }
    MapScreen.-table VerticalScroll { display: block; }
    MapScreen.-table #map { display: none; }
    MapScreen.-low #map, MapScreen.-low #words { margin: 0 1 0 1; }
    """
    HELP = (
        "Every setting that was run on this machine, with the latest clear verdict: the claim holds ●, does not "
        "hold ○, too noisy ≈, cannot be tested –. **x** and **y** choose the two controls; the others stay as "
        "most of your runs had them. **t** shows it as a table."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "turn('x')", "other control", id="map.x", tooltip="Another control to the right"),
        Binding("y", "turn('y')", "upwards", id="map.y", tooltip="Another control upwards"),
        Binding(
            "b", "break", "break it", id="map.break", tooltip="Search for the value at which the verdict flips"
        ),
        Binding("t", "table", "table", id="map.table", tooltip="The places in rows"),
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="map.down", tooltip="Down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="map.up", tooltip="Up"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, experiment: Experiment, x: str = "") -> None:
        """Prepare.

        Args:
            experiment: Which one; it has two controls at least.
            x: The control that runs to the right; its first when empty.
        """
        super().__init__()
        self.experiment = experiment
        names = [control.name for control in experiment.controls]
        self.x = x or names[0]
        self.y = next(name for name in names if name != self.x)
        self.found: Map | None = None
        self.trouble = ""

    def compose(self) -> ComposeResult:
        """Lay out the map, the table and the words."""
        yield self.top
        yield Lines(id="map")
        with VerticalScroll(can_focus=False):
            yield Static("", id="rows", markup=False)
        yield Static("", id="words", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Gather the runs."""
        self.top.show(f"lab › {self.experiment.id} › map")
        self._gather()

    @work(exclusive=True, group="map", exit_on_error=False)
    async def _gather(self) -> None:
        from studyapp.study.mapping import map_of

        assert self.desk is not None
        try:
            self.found = await asyncio.to_thread(map_of, self.desk, self.experiment.id, self.x, self.y)
        except StudyError as error:
            self.trouble = str(error)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        self.set_class(event.size.height < 16, "-low")
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Repaint map, table and words."""
        if not self.is_mounted:
            return
        from studyapp.chart.mapping import legend, map_table, render_map
        from studyapp.chart.words import format_table

        shown, words, found = self.query_one("#map", Lines), self.query_one("#words", Static), self.found
        if found is None:
            text, style = (self.trouble, "$s-again") if self.trouble else ("reading the runs ...", "$s-muted")
            words.update(Content.styled(clean_place(text), style))
            return
        ascii_only = self.study.settings.ascii
        if found.cells:
            width, height = shown.size.width or 74, max(1, (shown.size.height or 14) - 2)
            grid = render_map(found, width, height, ascii=ascii_only)
            rows = [Content.assemble(*((span.text, STYLES[span.style]) for span in row)) for row in grid.rows]
            shown.show([*rows[: _used(rows)], Content(""), Content.styled(legend(ascii=ascii_only), "$s-muted")])
        else:
            shown.show(self._nothing_yet(found, shown.size.width or 74, legend(ascii=ascii_only)))
        table = format_table(map_table(found), ascii=ascii_only)
        self.query_one("#rows", Static).update(Content.styled("\n".join(table), "$s-text"))
        notes = " ".join(found.notes)
        words.update(
            Content.assemble((found.sentence, "bold $s-bright"), ("\n" + notes if notes else "", "$s-muted"))
        )
        self.show_keys()

    def _nothing_yet(self, found: Map, width: int, signs: str) -> list[Content]:
        """Return what the map will show, and how it begins."""
        will = (
            f"Every run on this machine gets a sign here, {found.x.name} to the right and {found.y.name} upwards:"
        )
        begin = Content.assemble(
            ("press ", "$s-muted"),
            (self.key_of("map.break"), "bold $s-text"),
            (" to try one value after another, until the verdict flips", "$s-muted"),
        )
        lines = [Content.styled("NOTHING TRIED YET", "bold $s-sky"), Content("")]
        lines += [*Content.styled(will, "$s-text").wrap(width), *Content.styled(signs, "$s-text").wrap(width)]
        return [line.rstrip() for line in [*lines, Content(""), *begin.wrap(width)]]

    def on_screen_resume(self) -> None:
        """Gather again: a search may have been made in front of it."""
        if self.found is not None:
            self._gather()

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turning needs a third control; scrolling a table."""
        if action == "turn":
            return len(self.experiment.controls) > 2 or parameters == ("x",)
        if action == "scroll":
            return self.has_class("-table")
        return self.found is not None and bool(self.found.cells) if action == "table" else True

    def action_turn(self, axis: str) -> None:
        """Choose the next control for an axis; where it stands on the other one, the two change places."""
        names = [control.name for control in self.experiment.controls]
        wanted = names[(names.index(getattr(self, axis)) + 1) % len(names)]
        other = "y" if axis == "x" else "x"
        if wanted == getattr(self, other):
            setattr(self, other, getattr(self, axis))
        setattr(self, axis, wanted)
        self._gather()

    def action_break(self) -> None:
        """Search along the map's first control, in the search this map was opened from where there is one."""
        from studyapp.tui.screens.breaking import BreakScreen

        if isinstance(self.app.screen_stack[-2], BreakScreen):
            self.dismiss()
            return
        controls = {control.name: control.default for control in self.experiment.controls}
        self.app.push_screen(BreakScreen(self.experiment, controls, self.x))

    def action_table(self) -> None:
        """Show the places in rows, or the map again."""
        self.toggle_class("-table")
        self.show_keys()


def _used(rows: list[Content]) -> int:
    """Return how many rows have something on them: the legend follows the map closely."""
    return max((index + 1 for index, row in enumerate(rows) if row.plain.strip()), default=0)
