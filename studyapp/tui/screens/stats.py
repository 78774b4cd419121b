"""Statistics in four panels: recall over time, the days ahead, whether forecasts were right, the hardest cards."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.study.curves import RANGES, recall_curve, usual_range
from studyapp.study.statistics import Statistics, gather
from studyapp.tui.margins import page_width
from studyapp.tui.screens.home_parts import heatmap
from studyapp.tui.screens.scrolled import ScrolledScreen
from studyapp.tui.screens.stats_ahead import ahead
from studyapp.tui.screens.stats_cards import cards
from studyapp.tui.screens.stats_forecasts import forecasts
from studyapp.tui.screens.stats_parts import PANELS, tabs
from studyapp.tui.screens.stats_recall import nothing_yet, recall_foot, recall_head
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView

EVER = 1_000_000
"""More days than any log has."""
LOWEST_PERCENT = 15.0
"""How far under the lowest point the recall axis reaches; longer intervals are cut off there."""


def foot_rows(height: int) -> int:
    """Return how many rows of a window go to what stands under the curve, so that the curve keeps its own."""
    return 2 if height < 24 else 3 if height < 28 else 4 if height < 32 else 6


class StatsScreen(ScrolledScreen):
    """Four panels; tab goes round."""

    PLACE = "stats"
    HELP = (
        "Recall counts each card's first answer of a day whose interval was a day or more, as Anki does; young "
        "cards had an interval under 21 days. The range behind a share says how far a few answers can mislead, "
        "and so do the lines at the points of the curve. What a week would take is the fall of the chances of "
        "recall if nothing were reviewed. Predictions count once for each experiment, its controls and the "
        "device. A log-loss is lower the better the forecasts were."
    )
    DEFAULT_CSS = """
    StatsScreen #tabs { margin: 1 2 1 3; height: 1; }
    StatsScreen #head, StatsScreen #foot { margin: 0 2 0 3; height: auto; }
    StatsScreen #foot { margin: 0 2 1 3; }
    StatsScreen ChartView { margin: 1 2 1 3; height: 1fr; min-height: 5; }
    StatsScreen VerticalScroll { margin: 0 2 0 3; height: 1fr; display: none; }
    StatsScreen.-page VerticalScroll { display: block; }
    StatsScreen.-page ChartView, StatsScreen.-page #head, StatsScreen.-page #foot { display: none; }
    StatsScreen.-short ChartView { margin: 0 2 0 3; }
    StatsScreen.-short #tabs, StatsScreen.-short #foot { margin: 0 2 0 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,right,l", "turn(1)", "next panel", id="stats.next", tooltip="The next panel"),
        Binding("shift+tab,left,h", "turn(-1)", "", show=False, id="stats.previous", tooltip="The panel before"),
        *(
            Binding(str(k), f"panel({k - 1})", "", show=False, id=f"stats.{k}", tooltip=f"Panel {k}")
            for k in range(1, 5)
        ),
        Binding("r", "range", "range", id="stats.range", tooltip="Other days of the curve"),
        Binding("t", "table", "table", id="stats.table", tooltip="The points as a table"),
        Binding("m", "module", "module", id="stats.module", tooltip="Another module, or all of them"),
        Binding("o", "optimise", "own numbers", id="stats.optimise", tooltip="Train the scheduler"),
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="stats.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="stats.up", tooltip="A line up"),
        Binding("q,escape,s", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.panel = PANELS[0]
        self.found: Statistics | None = None
        self.modules: list[tuple[str, str]] = []
        """(id, title) of the modules to choose from."""
        self.module = ""
        """The module whose figures are shown; empty for all."""
        self.last_days: int | None = None

    def compose(self) -> ComposeResult:
        """Lay out the tabs, the curve with its words, and the page of the other panels."""
        yield self.top
        yield Static("", id="tabs", markup=False)
        yield Static("", id="head", markup=False)
        yield ChartView(id="curve", ascii_only=self.study.settings.ascii)
        yield Static("", id="foot", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static("", id="page", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Gather once; the panels draw from the same figures."""
        assert self.desk is not None
        self.found = gather(self.desk)
        self.modules = [(module.id, module.title) for module in self.desk.store.modules()]
        self.last_days = usual_range(self.found)

    def on_resize(self, event: events.Resize) -> None:
        """Draw for this size."""
        super().on_resize(event)
        self.set_class(event.size.height < 20, "-short")
        self._show()

    def _show(self) -> None:
        if self.found is None:
            return
        width = page_width(self.size.width or 80)
        curve = self.curve
        self.set_class(not curve, "-page")
        self.query_one("#tabs", Static).update(tabs(self.panel, width))
        if curve:
            self._show_recall(self.found, width)
        else:
            self.query_one("#page", Static).update(self._page(self.found, width))
        self.show_keys()

    def _show_recall(self, found: Statistics, width: int) -> None:
        figure = recall_curve(found, self.last_days)
        lowest = min((point.y or 0.0 for series in figure.series for point in series.points), default=50.0)
        self.query_one("#head", Static).update(recall_head(found, self.last_days, width))
        self.query_one(ChartView).show(figure, y_range=(max(0.0, lowest - LOWEST_PERCENT), 100.0))
        self.query_one("#foot", Static).update(
            recall_foot(found, width, self.study.settings.ascii, rows=foot_rows(self.size.height))
        )

    def _page(self, found: Statistics, width: int) -> Content:
        ascii_only = self.study.settings.ascii
        if self.panel == "recall":
            return nothing_yet(found, width)
        if self.panel == "ahead":
            return ahead(found, width, self.size.height, ascii_only)
        if self.panel == "forecasts":
            return forecasts(found, width, ascii_only)
        heat = (
            heatmap(self.study.status, found.study_day, width + 4, dense=self.study.dense_heat)
            if self.study.status.get("heat")
            else Content("")
        )
        return cards(found, width, heat)

    @property
    def curve(self) -> bool:
        """Whether the curve of recall is what stands there."""
        return self.panel == "recall" and self.found is not None and self.found.recall(EVER).all.total > 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Range and table belong to the curve, scrolling to the pages."""
        if action in ("range", "table"):
            return self.curve
        if action == "module":
            return len(self.modules) > 1
        return self.panel != "recall" if action == "scroll" else True

    def action_turn(self, step: int) -> None:
        """Go to the next panel, or the one before."""
        self.action_panel((PANELS.index(self.panel) + step) % len(PANELS))

    def action_panel(self, number: int) -> None:
        """Go to a panel, from 0."""
        self.panel = PANELS[number]
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self._show()

    def action_module(self) -> None:
        """Show the next module's figures; after the last, those of all."""
        assert self.desk is not None
        ids = ["", *(module for module, _ in self.modules)]
        self.module = ids[(ids.index(self.module) + 1) % len(ids)]
        self.found = gather(self.desk, self.module)
        title = next((clean_place(title) for module, title in self.modules if module == self.module), "")
        self.top.show(f"stats › {title}" if title else "stats")
        self._show()

    def action_range(self) -> None:
        """Show the next window of the curve."""
        self.last_days = RANGES[(RANGES.index(self.last_days) + 1) % len(RANGES)]
        self._show()

    def action_table(self) -> None:
        """Show the points of the curve in rows."""
        from studyapp.tui.screens.table import TableScreen

        if self.found is not None:
            self.app.push_screen(TableScreen(recall_curve(self.found, self.last_days)))

    def action_optimise(self) -> None:
        """Open the scheduler's own numbers."""
        from studyapp.tui.places import open_place

        open_place(self.study, "optimise")
