"""The race: two lanes that fill over their own time, from what this machine was measured to do."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.core.figures import Mark
from studyapp.core.points import latest
from studyapp.tui.app import DeskReady
from studyapp.tui.pace import Frames
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.race_parts import lane, outcome, slider
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView

if TYPE_CHECKING:
    from studyapp.study.experimenting import Trial
    from studyapp.study.racing import Track

SLOWEST_S = 2.5
"""How long the slower lane takes on the screen; the other one is faster by the true factor."""
FRAMES_PER_S = 20
REPAINT_S = 0.25
WIDTHS = (16, 64, 256, 512, 1024)


class RaceScreen(StudyScreen):
    """Batch and width are the learner's; who wins, and from which batch on, is measured or reckoned."""

    CSS_PATH = "race.tcss"
    PLACE = "race › latency versus throughput"
    HELP = (
        "Choose a batch with **← →** and press **space**: both lanes start together and fill over their own time, "
        "slowed down to be seen. A CPU answers at once but row after row; a GPU pays a launch and a trip first. "
        "**↑ ↓** change the width of the layer and measure anew: at small widths the GPU may never lead, whatever "
        "the batch. The strip under the slider collects your races. A GPU that was not measured here is on paper: "
        "shaded and named so, with its three numbers; the Lab changes them (paper-race). **m** lets all cores of "
        "this machine take its place: they pay an entry fee, too, and both lanes are measured."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "start", "start", key_display="space", id="race.start", tooltip="Race this batch"),
        Binding("left,h", "batch(-1)", "batch", key_display="← →", id="race.less", tooltip="A smaller batch"),
        Binding("right,l", "batch(1)", "", show=False, id="race.more", tooltip="A larger batch"),
        Binding("up,k", "width(1)", "width", key_display="↑ ↓", id="race.wider", tooltip="A wider layer"),
        Binding("down,j", "width(-1)", "", show=False, id="race.narrower", tooltip="A narrower layer"),
        Binding(
            "m",
            "rival",
            "measured rival",
            id="race.rival",
            tooltip="All cores in place of the paper GPU, and back",
        ),
        Binding("a", "all", "all batches", id="race.all", tooltip="Race every batch at once: the crossover"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.width_value = 512
        self.of_cores = False
        """Whether one core races against all, in place of a paper GPU."""
        self.track: Track | None = None
        self.trial: Trial | None = None
        self.chosen = 64
        self.raced: dict[int, str] = {}
        self.words = ""
        self._began = 0.0
        self._elapsed_s = 0.0
        """Seconds of the race that have passed, in the race's own time."""
        self._racing = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out title, lanes, slider and outcome."""
        yield self.top
        yield Static("", id="title", markup=False)
        yield Static("", id="cpu", classes="lane", markup=False)
        yield Static("", id="rival", classes="lane", markup=False)
        yield Static("", id="slider", markup=False)
        yield Static("", id="outcome", markup=False)
        yield ChartView(id="curve", ascii_only=self.study.settings.ascii)
        yield self.keys

    def begin(self) -> None:
        """Measure at the lesson's width."""
        self.frames = Frames(self.study.pace, FRAMES_PER_S)
        self._timer = self.set_interval(1 / FRAMES_PER_S, self._frame, pause=True)
        if self.desk is not None:
            self._measure()
        self.paint()

    @on(DeskReady)
    def _ready(self) -> None:
        self._measure()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        self.set_class(event.size.height < 22, "-low")
        self.set_class(event.size.height < 20, "-flat")
        self.set_class(event.size.width < 50, "-thin")
        self.set_class(event.size.width >= 100 and event.size.height >= 24, "-wide")
        self.set_class(event.size.height >= 34, "-tall")
        self.call_after_refresh(self.paint)

    @work(exclusive=True, group="race", exit_on_error=False)
    async def _measure(self) -> None:
        from studyapp.study.devices import settle
        from studyapp.study.experimenting import Trial
        from studyapp.study.racing import cores_track, track_of

        assert self.desk is not None
        self.track, self.raced, self.words = None, {}, "measuring this machine ..."
        self._racing, trial = False, None
        self.paint()
        settings = self.study.settings
        try:
            place = await settle(self.desk, self.study.runner(), settings.gpu, settings.device)
            name = self._on_cpu if place.found == "cpu" else "race"
            trial = self.trial = Trial(
                self.desk, name, {"width": self.width_value}, device=place.found, time_limit_s=settings.time_limit
            )
            painted = 0.0
            async for _ in trial.run(self.study.runner()):
                if time.monotonic() - painted > REPAINT_S:
                    painted = time.monotonic()
                    self.words = f"measuring this machine ... {len(trial.points)} measurements so far"
                    self.paint()
            points = latest(trial.points)
            if name == "core-race":
                self.track = cores_track(points, trial.controls, trial.facts.cores)
            else:
                self.track = track_of(points, trial.controls)
            self.chosen = min(self.track.batches, key=lambda n: abs(n - self.chosen))
        except (StudyError, ValueError) as error:
            self.words = clean_place(trial.note if trial is not None and trial.note else str(error))
        self._elapsed_s = 0.0
        self.paint()

    @property
    def _on_cpu(self) -> str:
        """What is run where there is no accelerator."""
        return "core-race" if self.of_cores else "paper-race"

    # painting

    def paint(self) -> None:
        """Repaint everything for this moment of the race."""
        if not self.is_mounted:
            return
        title = Content.assemble(
            ("Who has the whole batch first?", "bold $s-bright"), (f"   layer {self.width_value} wide", "$s-muted")
        )
        self.query_one("#title", Static).update(title)
        track = self.track
        self.query_one("#curve", ChartView).visible = track is not None
        if track is None:
            self.query_one("#cpu", Static).update(Content.styled(self.words, "$s-muted"))
            for part in ("#rival", "#slider", "#outcome"):
                self.query_one(part, Static).update("")
            self.show_keys()
            return
        width = max(24, self.query_one("#cpu").size.width or 74)
        cpu, rival, winner = track.cpu[self.chosen], track.rival[self.chosen], track.winner(self.chosen)
        fee = "share the batch out, then wait for the last" if track.of_cores else "pay the trip, then all at once"
        over = self._elapsed_s >= max(cpu.total_s, rival.total_s)
        self.query_one("#cpu", Static).update(
            lane(track.cpu_name, "one row after another", cpu, self._elapsed_s, width, cpu=True,
                 wins=winner == "cpu", dashed=False, batch=self.chosen)
        )  # fmt: skip
        self.query_one("#rival", Static).update(
            lane(track.rival_name, fee, rival, self._elapsed_s, width, cpu=False, wins=winner == "rival",
                 dashed=not track.measured, batch=self.chosen, by_row=track.of_cores)
        )  # fmt: skip
        self.query_one("#slider", Static).update(slider(track, self.chosen, width, self.raced))
        done = len(self.raced) == len(track.batches)
        self.query_one("#outcome", Static).update(outcome(track, self.chosen, finished=over, all_raced=done))
        if self.has_class("-tall") and self.trial is not None:
            # the strip says from where the rival leads; the run's own mark compares it with all cores alone
            here = Mark("threshold", self.chosen, f"{self.chosen} rows")
            self.query_one("#curve", ChartView).show(replace(self.trial.figure(), marks=(here,)))
        self.show_keys()

    def _frame(self) -> None:
        if self.track is None or not self._racing:
            return
        slowest = max(self.track.cpu[self.chosen].total_s, self.track.rival[self.chosen].total_s)
        passed = min(1.0, (time.monotonic() - self._began) / SLOWEST_S)
        if self.study.motion == "reduced":
            passed = int(2 * passed) / 2  # start, halfway, end
        moved = self._elapsed_s != slowest * passed
        if passed < 1 and not (moved and self.frames.due()):
            return
        self._elapsed_s = slowest * passed
        if passed >= 1:
            self._finish()
        self.paint()

    def _finish(self) -> None:
        assert self.track is not None
        self._racing = False
        self._elapsed_s = max(self.track.cpu[self.chosen].total_s, self.track.rival[self.chosen].total_s)
        self.raced[self.chosen] = self.track.winner(self.chosen)
        if self._timer is not None:
            self._timer.pause()

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Racing needs a track; a GPU that was measured here needs no other rival."""
        if action == "rival":
            return self.of_cores or (self.track is not None and not self.track.measured and self._cores > 1)
        return self.track is not None if action in ("start", "batch", "all") else True

    @property
    def _cores(self) -> int:
        return self.trial.facts.cores if self.trial is not None else 1

    def action_start(self) -> None:
        """Race this batch; without motion it is over at once."""
        if self.track is None:
            return
        self._began, self._racing, self._elapsed_s = time.monotonic(), True, 0.0
        if self.study.motion == "none" or self._timer is None:
            self._finish()
            self.paint()
        else:
            self.paint()
            self._timer.resume()

    def action_batch(self, step: int) -> None:
        """Choose another batch."""
        if self.track is not None:
            batches = self.track.batches
            at = max(0, min(len(batches) - 1, batches.index(self.chosen) + step))
            self.chosen, self._racing, self._elapsed_s = batches[at], False, 0.0
            self.paint()

    def action_width(self, step: int) -> None:
        """Choose another width of the layer, and measure it."""
        at = max(0, min(len(WIDTHS) - 1, WIDTHS.index(self.width_value) + step))
        if WIDTHS[at] != self.width_value and self.desk is not None:
            self.width_value = WIDTHS[at]
            self._measure()

    def action_rival(self) -> None:
        """Race one core against all of them, or the CPU against the paper GPU again."""
        if self.desk is not None:
            self.of_cores = not self.of_cores
            self._measure()

    def action_all(self) -> None:
        """Race every batch at once, without lanes: the strip then shows the crossover."""
        if self.track is not None:
            self.raced = {n: self.track.winner(n) for n in self.track.batches}
            self._racing = True
            self._finish()
            self.paint()

    def action_back(self) -> None:
        """Back; a measurement under way is cancelled."""
        self.workers.cancel_group(self, "race")
        super().action_back()
