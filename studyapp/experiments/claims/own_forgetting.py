"""Your own forgetting as training data: 21 numbers fitted to your log, judged on reviews they never saw.

The scheduler's forgetting curve is a model with 21 parameters, and your answers are its training set: the earlier
four fifths of the days train it, the later fifth tells whether it forecasts you better than everyone's numbers do.
Without enough answers a simulated learner stands in, and is named so. Nothing is stored: `studyapp optimize` takes
numbers over.

    studyapp run own-forgetting
    studyapp run own-forgetting --set reviews=100 --set prior=none
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.optimising import History, split_day, unpack
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.policy import DEFAULT_PARAMETERS
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments import forgetting, training
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.pretended import pretend

EVERY = 5
"""Passes between two looks at the later reviews."""
PRETENDED_CARDS, PRETENDED_SEED = 800, 3
"""The simulated learner: some 7,000 answers in a year. The seed is not chosen for a verdict: it never decides."""
MOST_REVIEWS = 250_000
NORMAL_95 = 1.96
"""Normal quantile of a 95 % interval."""


def measure(lab: Lab, reviews: int, prior: str) -> Iterator[Point]:
    """Train on the earlier reviews; yield the log-loss of the later ones, nats per review, every few passes."""
    torch = lab.torch
    basis = Basis.MEASURED if lab.history else Basis.SIMULATED
    log = unpack(lab.history) if lab.history else pretend(torch, PRETENDED_CARDS, seed=PRETENDED_SEED)
    log = [history for history in log if history.usable()]
    later = split_day(log)
    data = forgetting.batches(torch, log, lab.device)
    everyone = forgetting.score(torch, DEFAULT_PARAMETERS, data, later)
    base = float(everyone.mean())
    for x in (0, training.PASSES):
        yield Point("everyone", x, base, repeats=len(everyone), basis=basis)
    steps = training.train(
        torch, log, until_day=first_reviews(log, reviews, later), prior=prior == "everyone", device=lab.device
    )
    for step in steps:
        yield Point("trained", step.number, step.loss, basis=basis)
        if step.number % EVERY == 0 or step.number == 1:
            own = forgetting.score(torch, step.parameters, data, later)
            apart = own - everyone  # the same reviews under both: their differences are far less noisy than either
            noise = NORMAL_95 * float(apart.std()) / max(1, len(apart)) ** 0.5
            mean = float(own.mean())
            yield Point("yours", step.number, mean, mean - noise, mean + noise, len(own), basis=basis)


def first_reviews(log: Sequence[History], reviews: int, later: int) -> int:
    """Return the study day up to which so many usable reviews lie, at most the day where the later ones begin."""
    days = sorted(day for h in log for day, delta in zip(h.days, h.deltas, strict=True) if delta > 0)
    return min(later, days[reviews]) if reviews < len(days) else later


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Compare the trained numbers with everyone's on the later reviews, by the interval of their difference."""
    base, own = series(points, "everyone")[0], series(points, "yours")
    last = own[max(own)]
    if last.x < training.PASSES or last.low is None or last.high is None:
        return Verdict(Outcome.TOO_NOISY, f"The training was cut short after {last.x:.0f} passes.")
    gain = 100 * (1 - value(last) / value(base))
    ends = [100 * (1 - end / value(base)) for end in (last.high, last.low)]
    scores = f"your numbers score {value(last):.4f}, everyone's {value(base):.4f}"
    numbers = f"On the {last.repeats:,} latest reviews {scores}"
    if not last.solid:
        because = f"Too few reviews of your own; on a simulated learner's {last.repeats:,} latest {scores}."
        found = (gain, *ends) if gain > 0 else (None, None, None)
        return Verdict(Outcome.CANNOT_TEST, because, found[0], "%", found[1], found[2], decided_by=(base, last))
    if ends[0] > 0:
        because = f"{numbers}: {gain:.1f} % better."
        return Verdict(Outcome.HOLDS, because, gain, "%", ends[0], ends[1], decided_by=(base, last))
    if ends[1] < 0:
        because = f"{numbers}: {-gain:.1f} % worse."
        return Verdict(Outcome.DOES_NOT_HOLD, because, unit="%", never=True, decided_by=(base, last))
    return Verdict(Outcome.TOO_NOISY, f"{numbers}: too close for so few.", decided_by=(base, last))


def about_bytes(reviews: int, prior: str) -> int:
    """Return the bytes of the largest log: some thirty values an answer while its gradient is taken."""
    return MOST_REVIEWS * 2 * 30 * 4


EXPERIMENT = Experiment(
    id="own-forgetting",
    claim="Numbers trained on your own reviews forecast your next ones better than everyone's.",
    question="By how many percent does training on your earlier reviews lower the log-loss of your later ones?",
    unit="%",
    plot=Plot(
        x=Axis("passes over your earlier reviews"),
        y=Axis("log-loss"),
        lanes=(
            Lane("yours", "yours", "cpu"),
            Lane("everyone", "everyone's", "neutral"),
            Lane("trained", "trained on", "weak"),
        ),
        subtitle="Log-loss of recall forecasts, lower is better; trained on = the earlier reviews.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    controls=(
        Control("reviews", MOST_REVIEWS, "most reviews to train on, the earliest first", 50, MOST_REVIEWS),
        Control("prior", "everyone", "what few reviews are drawn towards", choices=("everyone", "none")),
    ),
    seconds=30.0,
    usual_s=2.0,
    about_bytes=about_bytes,
    timed=False,
    predicts=(0.1, 30.0),
    can_never=True,
    ablation="Train on few reviews without a prior: if yours still win, it was not the amount of data.",
    ablation_controls={"reviews": 100, "prior": "none"},
    setup="FSRS-6, 21 numbers, Adam; the earlier four fifths of your days train, the later fifth decides.",
    wants_history=True,
)
