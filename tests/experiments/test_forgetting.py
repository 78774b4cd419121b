"""The torch model of forgetting against the scheduler it stands for, and its gradient against autograd."""

from __future__ import annotations

import random
from typing import Any

import pytest

from studyapp.core.optimising import History, split_day, supply
from studyapp.core.policy import DEFAULT_PARAMETERS, LOWER_BOUNDS, UPPER_BOUNDS, Policy
from studyapp.core.reviews import Memory, Rating, State
from studyapp.core.scheduling import answer, retrievability
from studyapp.experiments import forgetting, pretended, training

pytestmark = pytest.mark.torch

OWN = (
    *(0.4, 1.1, 3.0, 12.0, 6.9, 0.6, 2.5, 0.01, 1.7, 0.2, 0.9),
    *(1.6, 0.08, 0.3, 1.4, 0.5, 2.2, 0.6, 0.2, 0.1, 0.2),
)


def drawn(seed: int, cards: int = 40) -> list[History]:
    draw = random.Random(seed)
    found = []
    for _ in range(cards):
        length = draw.randint(2, 12)
        deltas = (0, *(draw.choice([0, 0, 1, 3, 20, 200]) for _ in range(length - 1)))
        found.append(History(1000, tuple(draw.randint(1, 4) for _ in range(length)), deltas))
    return found


def by_scheduling(history: History, policy: Policy) -> list[float]:
    """Return the chance of recall before every answer but the first, as reviewing computes it."""
    memory, day, chances = Memory(), 1000, []
    for rating, delta in zip(history.ratings, history.deltas, strict=True):
        day += delta
        if memory.state is not State.NEW:
            chances.append(retrievability(memory, day, policy) or 0.0)
        memory = answer("a", memory, Rating(rating), 0, day, policy).after
    return chances


@pytest.mark.parametrize("numbers", [DEFAULT_PARAMETERS, OWN], ids=["default", "own"])
def test_the_model_forecasts_what_the_scheduler_does(torch: Any, numbers: tuple[float, ...]) -> None:
    policy = Policy(parameters=numbers, fuzz=False)
    for history in drawn(1):
        batch = forgetting.batch_of(torch, [history])
        w = forgetting.parameters(torch, numbers)
        difficulty = forgetting.difficulties(torch, w, batch.ratings)
        terms = forgetting.Terms.of(torch, w, batch.ratings[1:], batch.deltas[1:], difficulty[:-1])
        known = forgetting.stabilities(torch, w, batch, terms)
        chances = forgetting.recall_log(torch, w, batch.deltas[1:], known).exp()

        assert chances.flatten().tolist() == pytest.approx(by_scheduling(history, policy), abs=2e-4)


@pytest.mark.parametrize("numbers", [DEFAULT_PARAMETERS, OWN], ids=["default", "own"])
def test_the_gradient_is_that_of_the_unrolled_graph(torch: Any, numbers: tuple[float, ...]) -> None:
    batch = forgetting.batch_of(torch, drawn(2))
    mask = forgetting.before(batch, None)
    w = forgetting.parameters(torch, numbers).requires_grad_(True)
    difficulty = forgetting.difficulties(torch, w, batch.ratings)
    terms = forgetting.Terms.of(torch, w, batch.ratings[1:], batch.deltas[1:], difficulty[:-1])
    chance = forgetting.recall_log(torch, w, batch.deltas[1:], forgetting.stabilities(torch, w, batch, terms))
    plain = (forgetting.losses(torch, batch, chance) * mask).sum()
    (wanted,) = torch.autograd.grad(plain, w)

    loss, found = forgetting.slope(torch, w, batch, mask)

    assert loss == pytest.approx(float(plain.detach()), rel=1e-5)
    assert found.tolist() == pytest.approx(wanted.tolist(), rel=1e-3, abs=1e-2)


def test_padding_changes_no_forecast(torch: Any) -> None:
    histories = drawn(3)
    apart = sorted(
        value
        for history in histories
        for value in forgetting.score(torch, OWN, [forgetting.batch_of(torch, [history])]).tolist()
    )
    together = sorted(forgetting.score(torch, OWN, forgetting.batches(torch, histories)).tolist())

    assert together == pytest.approx(apart, abs=1e-5)
    assert len(together) == supply(histories).usable


def test_training_finds_a_learner_who_is_unlike_everyone(torch: Any) -> None:
    histories = pretended.pretend(torch, 400, seed=3)
    data = forgetting.batches(torch, histories)

    passes = list(training.train(torch, histories))

    fitted = passes[-1].parameters
    mean = {
        name: float(forgetting.score(torch, numbers, data).mean())
        for name, numbers in (("everyone", DEFAULT_PARAMETERS), ("fitted", fitted))
    }
    assert mean["fitted"] < mean["everyone"] - 0.001
    assert passes[-1].loss < passes[0].loss
    assert all(lo <= v <= hi for v, lo, hi in zip(fitted, LOWER_BOUNDS, UPPER_BOUNDS, strict=True))
    assert [p.number for p in passes] == list(range(1, training.PASSES + 1))


def test_the_same_log_trains_the_same_numbers(torch: Any) -> None:
    histories = pretended.pretend(torch, 60, seed=4)

    first, second = (list(training.train(torch, histories, passes=3))[-1] for _ in range(2))

    assert first == second


def test_reviews_from_the_split_on_are_not_trained_on(torch: Any) -> None:
    histories = pretended.pretend(torch, 80, seed=5)
    day = split_day(histories)
    changed = [
        History(
            h.first_day, tuple(5 - r if d >= day else r for r, d in zip(h.ratings, h.days, strict=True)), h.deltas
        )
        for h in histories
    ]

    kept, other = (
        list(training.train(torch, found, until_day=day, passes=4))[-1].parameters
        for found in (histories, changed)
    )

    assert kept == pytest.approx(other, abs=1e-4)


def test_first_stabilities_rise_with_the_grade_and_stay_near_everyones_without_data(torch: Any) -> None:
    assert training.first_stabilities(torch, []) == pytest.approx(DEFAULT_PARAMETERS[:4])

    strong = [History(0, (1, 3), (0, 30))] * 50  # remembers after Again what others forget
    found = training.first_stabilities(torch, strong)

    assert found[0] > 10
    assert found == sorted(found)


def test_training_that_is_stopped_yields_no_further_pass(torch: Any) -> None:
    histories = pretended.pretend(torch, 40, seed=6)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert len(list(training.train(torch, histories, stop=stop))) == 2


def test_the_fit_is_as_good_as_that_of_the_reference_optimiser(torch: Any) -> None:
    pytest.importorskip("fsrs_rs_python", reason="an oracle without a licence: only where someone installed it")
    from benchmarks.optimise import oracle

    log = [h for h in pretended.pretend(torch, 300, seed=3) if h.usable()]
    data = forgetting.batches(torch, log)
    ours = forgetting.score(torch, list(training.train(torch, log))[-1].parameters, data).mean()

    assert float(ours) <= float(forgetting.score(torch, oracle(log), data).mean()) + 0.001
