"""How a trial goes on a screen: say a number, settle the device, commit, run, and repaint as the points come."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual import work
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.core.predictions import Sure
from studyapp.tui.pace import Frames
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.experiments.protocol import Failed, Ready
    from studyapp.study.experimenting import Trial
    from studyapp.study.why import Why

FRAMES_PER_S = 10
SURE = (Sure.GUESS, Sure.FAIRLY, Sure.CERTAIN)


class TrialCourse(StudyScreen):
    """A screen with one trial at a time; leaving it cancels a run."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted_controls: dict[str, Any] = {}
        """The controls that were asked for."""
        self.trial: Trial | None = None
        self.finished: list[tuple[Trial, Mapping[str, Any]]] = []
        """What ran to a verdict here, each with the controls that the card had fixed."""
        self.options: list[float] = []
        """What the number predicted can be, ascending."""
        self.value: float | None = None
        """The number; None is "never"."""
        self.sure = Sure.FAIRLY
        self.why: Why | None = None
        """The finished trial and the same without its named cause, once `w` was pressed."""
        self.asking = False
        self.settling = False
        """Whether the device is being settled: torch may still be starting."""
        self.dirty = False
        self.greeting: Ready | Failed | None = None
        """What the worker said when it had started, or why it cannot; None until then."""
        self._found = "cpu"
        """The device type that the prediction counts for."""
        self._timer: Timer | None = None

    def paint(self) -> None:
        """Repaint everything from the trial."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Make a new trial of what was asked for."""
        raise NotImplementedError

    def begin(self) -> None:
        """Be ready to repaint."""
        self.frames = Frames(self.study.pace, FRAMES_PER_S)
        self._timer = self.set_interval(1 / FRAMES_PER_S, self._frame, pause=True)

    def greet(self, experiment: str) -> None:
        """Start the worker, with what an experiment needs, and say so once torch is there or will not come."""
        runner = self.study.runner()
        runner.preload(experiment)
        self.greeting = runner.ready
        if self.greeting is None:
            self._hear_greeting()

    @work(exclusive=True, group="greeting", exit_on_error=False)
    async def _hear_greeting(self) -> None:
        self.greeting = await self.study.runner().start()
        if self.state == "predicting" and not self.settling:
            self.paint()

    @property
    def state(self) -> str:
        """predicting, starting, running, done, cancelled, failed or refused."""
        return self.trial.state if self.trial is not None else "predicting"

    def _frame(self) -> None:
        if self.dirty and self.frames.due():
            self.dirty = False
            self.paint()

    def action_move(self, step: int) -> None:
        """Move the prediction along the slider."""
        if not self.options:
            return
        at = len(self.options) - 1 if self.value is None else self.options.index(self.value)
        self.value = self.options[max(0, min(len(self.options) - 1, at + (0 if self.value is None else step)))]
        self.paint()

    def action_never(self) -> None:
        """Predict that it never happens."""
        self.value = None
        self.paint()

    def action_sure(self, index: int) -> None:
        """Say how sure."""
        self.sure = SURE[index]
        self.paint()

    def action_run(self) -> None:
        """Settle the device, commit the number, then run."""
        if self.trial is not None and not self.settling:
            self.settling = True
            self.paint()
            self._settle_and_run()

    @work(exclusive=True, group="settling", exit_on_error=False)
    async def _settle_and_run(self) -> None:
        """Wait for torch in a worker of its own: the keys must not wait for it."""
        assert self.trial is not None
        try:
            if not await self._device_settled():
                return
            await asyncio.to_thread(self.trial.predict, self.value, self.sure, device=self._found)
        except StudyError as error:
            self.say_why(error)
            return
        finally:
            self.settling = False
        self._begin()

    def say_why(self, error: StudyError) -> None:
        """Say in the foot why it cannot go on."""
        self.query_one("#foot", Static).update(Content.styled(clean_place(str(error)), "$s-again"))

    async def _device_settled(self) -> bool:
        """Choose the device the run and its prediction belong to; False while the learner is asked about a GPU."""
        from studyapp.study.devices import settle

        assert self.trial is not None
        assert self.desk is not None
        settings = self.study.settings
        place = await settle(self.desk, self.study.runner(), settings.gpu, settings.device)
        if place.must_ask:
            self.asking = True
            self.paint()
            return False
        self.trial.device, self._found = place.wanted, place.found
        return True

    async def action_gpu(self, answer: str) -> None:
        """Remember for this host whether experiments may use its GPU, then run."""
        from studyapp.study.devices import keep_answer

        assert self.desk is not None
        self.asking = False
        try:
            await asyncio.to_thread(keep_answer, self.desk, answer == "yes")
        except StudyError as error:
            self.say_why(error)
            return
        self.action_run()

    def action_again(self) -> None:
        """Run again; a second look at the same number is no forecast, so none is committed."""
        device = self.trial.device if self.trial is not None else "auto"
        self._prepare()
        if self.trial is not None:
            self.trial.device = device
            self._begin()

    @property
    def has_cause(self) -> bool:
        """Whether the trial names a cause that can be taken away."""
        from studyapp.study.why import ablation_of

        assert self.trial is not None
        try:
            return bool(ablation_of(self.trial.experiment, self.trial.controls))
        except StudyError:
            return False

    def action_why(self) -> None:
        """Run the same claim without the cause it names, and say whether the lesson's reason survives."""
        from studyapp.study.why import Why, ablated

        if self.trial is not None and self.state == "done":
            self.why = Why(self.trial, ablated(self.trial))
            self.trial = self.why.ablated
            self._begin()

    def _begin(self) -> None:
        assert self.trial is not None
        self.trial.state = "starting"
        if self._timer is not None:
            self._timer.resume()
        self.paint()
        self._run()

    @work(exclusive=True, group="experiment", exit_on_error=False)
    async def _run(self) -> None:
        assert self.trial is not None
        trial = self.trial
        try:
            async for _ in trial.run(self.study.runner()):
                self.dirty = True
        except Exception as error:
            trial.broke(error)
        finally:
            if self._timer is not None:
                self._timer.pause()
        if trial.state == "done":
            self.finished.append((trial, self.wanted_controls))
        self.paint()

    def action_back(self) -> None:
        """Back to the card; leaving cancels a run."""
        self.workers.cancel_group(self, "settling")
        self.workers.cancel_group(self, "experiment")
        super().action_back()
