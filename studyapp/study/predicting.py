"""Around a prediction: the numbers there are to choose from, and the words for how one did."""

from __future__ import annotations

from studyapp.core.predictions import Closeness, Score, times_words
from studyapp.experiments.catalog import experiment as look_up


def candidates(experiment_id: str) -> list[float]:
    """Return the numbers the prediction slider stops at, ascending.

    Powers of two, a fine 1-2-5 series, or forty equal steps, over the experiment's range.
    """
    experiment = look_up(experiment_id)
    low, high = experiment.predicts
    if experiment.grid == "linear":
        return [low + (high - low) * i / 40 for i in range(41)]
    steps = (1.0,) if experiment.grid == "log2" else (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
    base = 2.0 if experiment.grid == "log2" else 10.0
    found, size = [], base**-40 if low < base**-20 else base**-20
    while size <= high:
        found += [size * step for step in steps if low * 0.999 <= size * step <= high * 1.001]
        size *= base
    return found or [low]


def praise(found: Score) -> str:
    """Return how a prediction did, in a few words: calm, and a surprise is worth remembering."""
    if found.factor is None:
        return "Far off, and worth remembering."
    if found.closeness is Closeness.SPOT_ON:
        return "Spot on."
    times = f"{times_words(found.factor)}× off"
    if found.closeness is Closeness.CLOSE:
        return f"Close: {times}."
    return f"{times[0].upper()}{times[1:]}, and worth remembering."
