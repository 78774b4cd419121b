"""The race in lines: against the GPU where there is one, else against one on paper, and one core against all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studyapp.plain.bench import Bench
from studyapp.plain.results import words_of
from studyapp.study.experimenting import Trial
from studyapp.study.racing import on_paper

if TYPE_CHECKING:
    from studyapp.settings import Settings
    from studyapp.study.desk import Desk

WITHOUT_GPU = ("paper-race", "core-race")


@dataclass(frozen=True)
class Raced:
    """One race that was run."""

    lines: list[str]
    judged: bool
    """Whether it has a verdict: it ran to its end."""


def race(desk: Desk, settings: Settings, tell: Callable[[str], None]) -> list[Raced]:
    """Run the races of this machine, as sentences and tables.

    Args:
        desk: The open desk.
        settings: Where to measure, and how long.
        tell: Says a sentence at once.
    """
    with Bench(settings.worker_command) as bench:
        trial = Trial(desk, "race", device=settings.device, time_limit_s=settings.time_limit)
        device = bench.choose_device(trial, settings.gpu, lambda question: None, tell)
        trials = [trial]
        if device == "cpu":
            trials = [Trial(desk, name, device=device, time_limit_s=settings.time_limit) for name in WITHOUT_GPU]
        raced = []
        for each in trials:
            tell(f"Running {each.experiment.id}, about {max(1, round(each.experiment.usual_s))} s.")
            raced.append(_raced(bench, each, settings.ascii))
        return raced


def _raced(bench: Bench, trial: Trial, ascii_only: bool) -> Raced:
    bench.conduct(trial, lambda message: None)
    lines = words_of(trial, ascii=ascii_only)
    if trial.experiment.id == "paper-race" and trial.verdict is not None:
        numbers = on_paper(trial.controls)
        lines = [*lines, f"The GPU is on paper: {numbers.replace('µ', 'u') if ascii_only else numbers}."]
    return Raced([*lines, ""], trial.verdict is not None)
