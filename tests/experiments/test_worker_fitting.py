from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.core.optimising import Fit as Found
from studyapp.core.optimising import decide, pack
from studyapp.core.policy import DEFAULT_PARAMETERS
from studyapp.experiments import pretended, training
from studyapp.experiments.protocol import (
    Cancelled,
    Failed,
    Fit,
    Fitted,
    Message,
    PointMessage,
    Started,
)
from studyapp.experiments.runner import run_sync
from studyapp.experiments.wire import decode, encode
from studyapp.experiments.worker import fitting

pytestmark = pytest.mark.torch


class Bench:
    """What the worker's loop offers, with its wires as lists."""

    def __init__(self, torch: Any, cancel_after: int | None = None) -> None:
        self.torch, self.cores, self.base_mb = torch, 1, 0.0
        self.sent: list[Message] = []
        self.outlet = SimpleNamespace(send=self.sent.append)
        self.inlet = SimpleNamespace(
            cancelled=lambda run: cancel_after is not None and self.passes >= cancel_after
        )

    @property
    def passes(self) -> int:
        return sum(isinstance(message, PointMessage) for message in self.sent)


def request(torch: Any, cards: int = 150, **more: Any) -> Fit:
    history = pack(pretended.pretend(torch, cards, days=200, seed=3))
    return Fit(run="1", history=history, parameters=list(DEFAULT_PARAMETERS), **more)


def test_a_fit_compares_on_the_latest_reviews_and_trains_on_all(torch: Any) -> None:
    bench = Bench(torch)

    end = fitting.answer(bench, request(torch))  # type: ignore[arg-type]

    assert isinstance(end, Fitted)
    assert isinstance(bench.sent[0], Started)
    assert bench.passes == training.PASSES + fitting.REFIT_PASSES
    assert end.trained > end.held_out > 100
    assert 0 < end.loss_after < 1
    found = Found(tuple(end.parameters), end.trained, end.held_out, end.loss_before, end.loss_after)
    assert decide(found).keep is (end.loss_after < end.loss_before)


def test_a13_a_fit_cancelled_half_way_ends_without_numbers(torch: Any) -> None:
    bench = Bench(torch, cancel_after=7)

    end = fitting.answer(bench, request(torch))  # type: ignore[arg-type]

    assert isinstance(end, Cancelled)
    assert bench.passes == 7


def test_a_log_that_cannot_be_read_is_a_failure_in_words(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    end = fitting.answer(Bench(torch), Fit(run="1", history="nonsense"))  # type: ignore[arg-type]

    assert isinstance(end, Failed)
    assert "not a packed history" in end.why
    assert "Traceback" in capsys.readouterr().err


def test_the_messages_of_a_fit_pass_the_wire() -> None:
    for message in (
        Fit(run="1", history="abc", parameters=[1.0, 2.5]),
        Fitted(run="1", parameters=[0.1], trained=3, held_out=2, loss_before=0.4, loss_after=0.3, took_s=1.0),
    ):
        assert decode(encode(message).rstrip()) == message


def test_a_packed_log_of_the_most_reviews_fits_one_line(torch: Any) -> None:
    from studyapp.core.optimising import MOST_REVIEWS, History
    from studyapp.experiments.wire import LINE_LIMIT_BYTES

    numbers = torch.Generator().manual_seed(1)
    deltas = torch.randint(0, 300, (MOST_REVIEWS // 10, 10), generator=numbers).tolist()
    ratings = torch.randint(1, 5, (MOST_REVIEWS // 10, 10), generator=numbers).tolist()
    worst = [
        History(739_000 + k, tuple(r), (0, *d[1:])) for k, (r, d) in enumerate(zip(ratings, deltas, strict=True))
    ]

    assert len(encode(Fit(run="1", history=pack(worst)))) < LINE_LIMIT_BYTES


@pytest.mark.slow
def test_the_real_worker_answers_a_fit(torch: Any) -> None:
    heard: list[Message] = []

    end = run_sync(request(torch, 60), heard.append)

    assert isinstance(end, Fitted)
    assert len(end.parameters) == 21
    assert heard[-1] == end
