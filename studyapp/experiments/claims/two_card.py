"""Half the layers on one card, half on the other: one batch at a time keeps each card idle half the time.

Trains the same layers on one card alone and cut in two, the batch whole and in micro-batches, and works out how
much of both cards' time was not needed. It takes two accelerators; elsewhere only the formula is drawn, dashed,
and `bubble` shows the law on this machine.

    studyapp run two-card
    studyapp run two-card --set width=512
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Timing
from studyapp.experiments.claims.bubble import idle_on_paper
from studyapp.experiments.judging import against
from studyapp.experiments.product import FLOAT_BYTES, powers_of_two

PIECES = powers_of_two(1, 16)
CARDS, LAYERS, ROWS = 2, 8, 2048
HALF = (40.0, 60.0)
"""Per cent of idle time that count as "about half" for two cards with one batch at a time."""


def measure(lab: Lab, width: int) -> Iterator[Point]:
    """Time a training step on one card and on two, by pieces; yield the idle share of both cards in per cent."""
    for pieces in PIECES:
        yield Point("paper", pieces, 100 * idle_on_paper(CARDS, pieces), basis=Basis.ASSUMED)
    if lab.cards < CARDS:
        return
    torch = lab.torch
    cards = [torch.device(lab.device.type, index) for index in range(CARDS)]
    works = {0: _step(lab, [cards[0], cards[0]], width, 1)}
    works |= {pieces: _step(lab, cards, width, pieces) for pieces in PIECES}
    found: dict[int, Timing] = {}
    for pieces, timing in lab.rounds(works, rounds=7, sample_s=0.02, prepare=lambda _: _wait(lab, cards)):
        found[pieces] = timing
        if pieces and 0 in found:
            yield idle_share(pieces, found[0], timing)


def _wait(lab: Lab, cards: Sequence[Any]) -> None:
    for card in cards:
        lab.torch.accelerator.synchronize(card)


def _step(lab: Lab, cards: Sequence[Any], width: int, pieces: int) -> Callable[[], None]:
    """Return a call that trains eight layers, the first half on one card, the rest on the other, and waits."""
    nn = lab.torch.nn
    halves = [
        nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(LAYERS // 2))).to(card)
        for card in cards
    ]
    batch = lab.torch.randn(ROWS, width, device=cards[0])

    def step() -> None:
        losses = [halves[1](halves[0](part).to(cards[1])).square().mean() for part in batch.chunk(pieces)]
        sum(losses[1:], losses[0]).backward()
        _wait(lab, cards)
        for half in halves:
            half.zero_grad(set_to_none=True)

    return step


def idle_share(pieces: int, alone: Timing, split: Timing) -> Point:
    """Return the share of two cards' time that the work on one card would not have filled, in per cent."""

    def idle(one_s: float, both_s: float) -> float:
        return max(0.0, 100 * (1 - one_s / (CARDS * both_s)))

    return Point(
        "idle",
        pieces,
        idle(alone.median_s, split.median_s),
        idle(alone.upper_s, split.lower_s),
        idle(alone.lower_s, split.upper_s),
        min(alone.repeats, split.repeats),
        alone.settled and split.settled,
    )


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for about half the time idle with one batch, and clearly less with the best number of pieces."""
    idle = series(points, "idle")
    if not idle:
        paper = series(points, "paper")
        because = (
            f"This takes two accelerators. On paper two cards stand idle {value(paper[1]):.0f} % of the time with "
            f"one batch, {value(paper[16]):.0f} % with 16 pieces."
        )
        return Verdict(Outcome.CANNOT_TEST, because, decided_by=(paper[1],))
    whole, best = idle[1], min((p for x, p in idle.items() if x > 1), key=value)
    by = (whole, best)
    about_half = HALF[0] <= value(whole) <= HALF[1]
    side = against(value(whole) / max(value(best), 1.0), 1.0, ratio_noise(by))
    if about_half and side > 0:
        outcome = Outcome.HOLDS
    else:
        outcome = Outcome.TOO_NOISY if about_half and not side else Outcome.DOES_NOT_HOLD
    because = (
        f"Two cards stand idle {value(whole):.0f} % of the time with one batch, "
        f"{value(best):.0f} % at best, with {best.x:g} pieces."
    )
    share = value(whole)
    return Verdict(outcome, because, share, "%", share / 1.1, share * 1.1, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the half that one batch at a time leaves idle."""
    return (Mark("threshold", 50.0, "half", axis="y"),)


def about_bytes(width: int) -> int:
    """Return the bytes of weights, gradients and kept rows over all the steps that are timed."""
    return (len(PIECES) + 1) * LAYERS * FLOAT_BYTES * width * 2 * (width + ROWS)


EXPERIMENT = Experiment(
    id="two-card",
    claim="Half the layers on each of two cards leaves each idle half the time, until micro-batches stream.",
    question="What share of their time do two cards stand idle with one batch at a time?",
    unit="%",
    plot=Plot(
        x=Axis("pieces of the batch", scale="log2"),
        y=Axis("idle", "%"),
        lanes=(Lane("idle", "two cards", "gpu"), Lane("paper", "on paper", "weak", Basis.ASSUMED)),
        subtitle="Share of both cards' time that the same work on one would not fill; lower is better.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(Control("width", 2048, "width of the layers, in values", 64, 2048, fresh=(512, 1024, 2048)),),
    needs=frozenset({"accelerator"}),
    seconds=10.0,
    usual_s=3.0,
    about_bytes=about_bytes,
    sibling="bubble",
    predicts=(1.0, 100.0),
    grid="linear",
    ablation="Narrow layers are all launching: the pieces cost more than the gap they fill.",
    ablation_controls={"width": 64},
    setup="Eight square layers with ReLU, 2,048 rows, float32, forward and backward; one process, two cards.",
)
