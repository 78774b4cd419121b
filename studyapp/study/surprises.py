"""Numbers said for certain that were wrong: they come back once in the same sitting, with fresh numbers.

A confident error that is corrected is remembered best (hypercorrection: Butterfield and Metcalfe 2001), if it is
met again soon.
"""

from __future__ import annotations

from studyapp.core.predictions import Sure
from studyapp.study.experimenting import Trial


def sure_and_wrong(trial: Trial) -> bool:
    """Return whether the learner was certain of a number that what was measured lies outside of."""
    told, found = trial.prediction, trial.score
    return told is not None and found is not None and told.sure is Sure.CERTAIN and not found.inside


class Surprises:
    """The experiments that came back in one sitting: each does so once."""

    def __init__(self) -> None:
        self._met: set[str] = set()

    def met(self, experiment_id: str) -> bool:
        """Return whether this experiment comes back, or came, since its number was certain and wrong."""
        return experiment_id in self._met

    def to_meet_again(self, trial: Trial) -> bool:
        """Return whether a finished trial is to come back, and remember that it does."""
        if not sure_and_wrong(trial) or trial.experiment.id in self._met:
            return False
        self._met.add(trial.experiment.id)
        return True
