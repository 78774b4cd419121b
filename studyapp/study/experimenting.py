"""One trial: predict a number, run the experiment, judge its points, keep everything with the card.

A `Trial` is a plain fold over the worker's messages, so that the terminal app, the plain mode and `run` show the
same picture and the same words.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from studyapp.core.errors import StudyError, UsageError
from studyapp.core.figures import Figure, Mark, draw
from studyapp.core.points import Point, latest
from studyapp.core.predictions import Prediction, Score, Sure, score
from studyapp.core.verdicts import OUTCOME_WORDS, Facts, Outcome, Verdict, decide
from studyapp.experiments import protocol
from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.catalog import experiments
from studyapp.experiments.runner import Runner, facts_from
from studyapp.store.records import NewRun
from studyapp.study.devices import short_host
from studyapp.study.own import packed_log

if TYPE_CHECKING:
    from studyapp.study.desk import Desk
    from studyapp.study.modelling import Modelled


class Trial:
    """An experiment with one set of controls: predicting, starting, running, then done, cancelled or failed."""

    find = staticmethod(look_up)
    """Looks up what is run by its id."""

    def __init__(
        self,
        desk: Desk,
        experiment_id: str,
        controls: Mapping[str, Any] | None = None,
        *,
        card: str | None = None,
        device: str = "auto",
        time_limit_s: float | None = None,
        ranks: tuple[int | None, int] = (None, 1),
    ) -> None:
        """Prepare a trial.

        Args:
            desk: The learner's desk.
            experiment_id: Which experiment.
            controls: What differs from the defaults.
            card: The card it goes with.
            device: Where to measure; "auto" chooses.
            time_limit_s: A limit below the experiment's own.
            ranks: Processes per host and hosts, for torchrun; None = the experiment's own choice.

        Raises:
            UsageError: If there is no such experiment, or a control is unknown or out of range; in words.
        """
        self.desk = desk
        self.experiment = self.find(experiment_id)
        self.controls = self.experiment.parse_controls(controls or {})
        self.card = card
        self.host = short_host(desk.options.worker_host)
        self.device = device
        self.time_limit_s = time_limit_s
        if ranks[0] is not None and not self.experiment.joined:
            joined = ", ".join(entry.id for entry in experiments() if entry.joined)
            raise UsageError(f"{experiment_id} is no matter of processes that talk.", f"torchrun is for {joined}.")
        self.nproc, self.nnodes = ranks
        self.state = "predicting"
        self.prediction: Prediction | None = None
        self.score: Score | None = None
        self.points: list[Point] = []
        self.facts = Facts(controls=self.controls)
        self.verdict: Verdict | None = None
        self.note = ""
        """What is happening or what went wrong, in words."""
        self.hint = ""
        self.run_uid: str | None = None
        self.went_stale: list[str] = []
        """Cards that are due again since this run changed their verdict."""
        self.model: Modelled | None = None
        """What this machine's passport expects of the run, once it is judged."""
        self.daily = False
        """Whether it is the day's trial."""
        self.started_at_ms = 0
        self._prediction_uid: str | None = None

    # before the run

    def predict(self, value: float | None, sure: Sure = Sure.FAIRLY, *, device: str | None = None) -> Prediction:
        """Commit the learner's number to the store before anything runs; None means "never".

        Args:
            value: The number.
            sure: How sure the learner is.
            device: The device it is about, where that is known better than the one asked for ("auto").
        """
        self.prediction = Prediction(value, sure, self.desk.clock().at_ms)
        place = Facts(device=device or self.device, more={"host": self.host}).place
        self._prediction_uid = self.desk.store.save_prediction(
            self.prediction, experiment=self.experiment.id, controls=self.controls, device=place
        )
        return self.prediction

    def request(self) -> protocol.Request:
        """Return the line that starts the run."""
        seconds = self.experiment.seconds
        return protocol.Request(
            run=secrets.token_hex(8),
            experiment=self.experiment.id,
            controls=self.controls,
            device=self.device,
            nproc=self.nproc,
            nnodes=self.nnodes,
            fresh="memory cap" in self.experiment.needs,
            seconds=min(seconds, self.time_limit_s) if self.time_limit_s else seconds,
            history=packed_log(self.desk) if self.experiment.wants_history else "",
        )

    async def run(self, runner: Runner) -> AsyncIterator[protocol.Message]:
        """Run to the end, folding and yielding every message; the result is stored before the last is yielded."""
        self.state, self.started_at_ms = "starting", self.desk.clock().at_ms
        self.note = "starting torch" if runner.ready is None else ""
        async with aclosing(runner.run(self.request())) as messages:
            async for message in messages:
                self.fold(message)
                yield message

    def broke(self, error: Exception) -> None:
        """Take what went wrong on our side, in the store too: nothing may be left running for ever."""
        self.state = "failed"
        if isinstance(error, StudyError):
            self.note, self.hint = error.message, error.hint
        else:
            self.note = f"{type(error).__name__}: {error}"

    # during the run

    def fold(self, message: protocol.Message) -> None:
        """Take one message from the worker."""
        if isinstance(message, protocol.PointMessage):
            self.points.append(message.point)
        elif isinstance(message, protocol.Started):
            self.state, self.note = "running", message.why_cpu
            self.facts = Facts(
                device=message.device,
                device_name=message.device_name,
                threads=message.threads,
                cores=message.cores,
                controls=self.controls,
                more={"host": self.host} if self.host else {},
            )
        elif isinstance(message, protocol.Note):
            self.note = message.text
        elif message.final:
            self._end(message)

    def _end(self, message: protocol.Message) -> None:
        if isinstance(message, protocol.Done):
            self.facts = facts_from(message, self.controls)
            if self.host:
                self.facts = replace(self.facts, more={**self.facts.more, "host": self.host})
            self._finish("done")
        elif isinstance(message, protocol.Cancelled):
            self.note = "cancelled; what was measured so far is kept"
            self._finish("cancelled", judge=False)
        elif isinstance(message, protocol.Refused):
            self.state, self.note = "refused", message.why
            self.hint = "Nothing was run; the card is unaffected."
        elif isinstance(message, protocol.Failed):
            self._fail(message)

    def _fail(self, message: protocol.Failed) -> None:
        self.note = message.why or "The worker failed."
        self.hint = "The card is unaffected. `studyapp doctor` shows what the worker needs."
        if message.failure == "no_torch":
            self.hint = "Install it (pip install torch), or name an interpreter that has it: worker_command."
            if self.host:
                self.hint = f"Install it on {self.host}, or name an interpreter there that has it: worker_python."
        elif message.stderr:
            self.hint = f"Its last words: {message.stderr[-1]}"
        self.hint = message.hint or self.hint
        self._finish("failed", judge=False)

    def _finish(self, state: str, *, judge: bool = True) -> None:
        self.state = state
        points = latest(self.points)
        if judge:
            self.verdict = decide(self.experiment.judge, points, self.facts, timed=self.experiment.timed)
            self.score = self._scored(self.verdict)
            from studyapp.study.modelling import model_of  # it builds on this file

            self.model = model_of(self.desk, self.experiment, points, self.facts)
        run = NewRun(
            experiment=self.experiment.id,
            controls=self.controls,
            facts=self.facts,
            started_at_ms=self.started_at_ms,
            study_day=self.desk.clock().study_day,
            state="cut" if state == "done" and self.facts.cut_short else state,
            card=self.card,
        )
        self.run_uid = self.desk.store.save_run(run, points, self.verdict, self._prediction_uid, self.score)
        if self.verdict is not None:
            from studyapp.study.going_stale import bring_back

            self.went_stale = bring_back(self.desk, self.run_uid, self.experiment.id)
        if self.daily and self.verdict is not None:
            from studyapp.study.fresh import keep_trial

            keep_trial(self.desk, self.run_uid)

    def _scored(self, verdict: Verdict) -> Score | None:
        if self.prediction is None or verdict.outcome is Outcome.TOO_NOISY:
            return None  # a number that did not settle scores nobody
        return score(self.prediction, verdict.measured, verdict.low, verdict.high, never=verdict.never)

    # what is shown

    def figure(self) -> Figure:
        """Return the picture of this moment; the same object gives the words, the table and the JSON."""
        marks = list(self.experiment.marks(latest(self.points), self.facts)) if self.verdict else []
        axis = self.experiment.plot.predict_axis
        if self.prediction is not None and self.prediction.value is not None and axis:
            marks.append(Mark("prediction", self.prediction.value, "you", axis))
        figure = draw(
            self.experiment.question,
            self.experiment.plot,
            self.points,
            marks=marks,
            sentence=self.sentence,
            device=self.where,
        )
        return figure if self.model is None else self.model.drawn_into(figure)

    @property
    def beside(self) -> str:
        """How far off the learner and the passport's roofline were, "" where there is nothing to compare."""
        said = self.prediction.value if self.prediction is not None else None
        return self.model.sentence(said, self.verdict) if self.model is not None else ""

    @property
    def where(self) -> str:
        """The device in words, e.g. "cpu, 1 thread"."""
        threads = f"{self.facts.threads} thread" + ("" if self.facts.threads == 1 else "s")
        words = f"{self.facts.device}, {threads}" if self.facts.device == "cpu" else self.facts.device
        return f"{words} on {self.host}" if self.host else words

    @property
    def sentence(self) -> str:
        """The verdict, or the state, in words."""
        if self.verdict is not None:
            return f"{OUTCOME_WORDS[self.verdict.outcome].capitalize()}. {self.verdict.because}"
        return self.note or self.state

    @property
    def reckoned(self) -> bool:
        """Whether the number the learner predicted rests on something not measured or counted here."""
        verdict = self.verdict
        if verdict is None or verdict.outcome is not Outcome.CANNOT_TEST:
            return False
        return any(not point.solid for point in verdict.decided_by)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `run --json`."""
        return {
            "experiment": self.experiment.id,
            "device": self.facts.device,
            "device_name": self.facts.device_name,
            "host": self.host or None,
            "threads": self.facts.threads,
            "started_at": self.started_at_ms,
            "controls": self.controls,
            "state": self.state,
            "points": [point.as_json() for point in latest(self.points)],
            "verdict": self.verdict.as_json() if self.verdict else None,
            "roofline": self.model.as_json() if self.model else None,
            "prediction": self._prediction_json(),
            "facts": {"busy": self.facts.busy, "cut_short": self.facts.cut_short, **dict(self.facts.more)},
            "run": self.run_uid,
        }

    def _prediction_json(self) -> dict[str, Any] | None:
        if self.prediction is None:
            return None
        found = self.score
        return {
            "value": self.prediction.value,
            "low": self.prediction.low,
            "high": self.prediction.high,
            "sure": self.prediction.sure.value,
            "score": None
            if found is None
            else {"closeness": found.closeness.value, "factor": found.factor, "inside": found.inside},
            "made_at": self.prediction.made_at_ms,
        }
