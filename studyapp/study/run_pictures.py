"""The picture of a stored run: drawn anew from its points, with what was predicted, said and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.core.days import instant_of
from studyapp.core.errors import UsageError
from studyapp.core.figures import Figure, Mark, draw
from studyapp.core.points import latest
from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.experiments.catalog import experiment as look_up

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk


def last_figure(desk: Desk, card: str | None = None) -> Figure | None:
    """Return the picture of the last judged run, of one card or of all, with what was said and when, or None."""
    if card is None:
        run = desk.store.last_run()
    else:
        run = next(
            (r for r in (desk.store.last_run(e, card=card) for e in _experiments_of(desk, card)) if r), None
        )
    return None if run is None else figure_of(desk, run)


def figure_of(desk: Desk, run: StoredRun) -> Figure | None:
    """Return the picture of a stored run with what was said and when; None if it was not judged, or is unknown."""
    if run.verdict is None:
        return None
    try:
        experiment = look_up(run.experiment)
    except UsageError:  # an experiment of another version
        return None
    points = desk.store.run_points(run.uid)
    day = instant_of(run.started_at_ms).astimezone(desk.clock().zone)
    marks = list(experiment.marks(latest(points), run.facts))
    told = desk.store.prediction_of(run.uid)
    if told is not None and told.prediction.value is not None and experiment.plot.predict_axis:
        marks.append(Mark("prediction", told.prediction.value, "you", experiment.plot.predict_axis))
    words = f"{OUTCOME_WORDS[run.verdict.outcome].capitalize()}. {run.verdict.because}"
    title = f"{run.experiment}, {day.day} {day:%b %Y}, {run.device}"
    return draw(title, experiment.plot, points, marks=marks, sentence=words, device=run.device)


def _experiments_of(desk: Desk, card: str) -> list[str]:
    found = desk.store.card(card)
    return [link.experiment for link in found.experiments] if found is not None else []
