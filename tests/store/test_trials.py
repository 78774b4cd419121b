from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from types import MappingProxyType

import pytest

from studyapp.core.errors import StoreError
from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Closeness, Prediction, Score, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.store.database import NewRun, Store
from tests.store.build import DAY, NOW_MS, answer, undo, with_cards

FACTS = Facts("cpu", "EPYC", 1, 2, {"width": 64}, busy=True, more={"torch": "2.13.0", "ratio": math.nan})
RUN = NewRun("small-net", {"width": 64, "batch": "8"}, FACTS, NOW_MS, DAY, card="a")
POINTS = [
    Point("time", 1.0, 0.25, 0.2, 0.5, 9, True, Basis.MEASURED),
    Point("time", 2.0, None, None, None, 1, False, Basis.SIMULATED),
]
VERDICT = Verdict(Outcome.HOLDS, "Because.", 3.5, "x", 3.0, 4.0)


def _predict(store: Store, value: float | None = 5.0, **changes: object) -> str:
    trial = {"experiment": "small-net", "controls": {"batch": "8", "width": 64}, "device": "cpu", **changes}
    return store.save_prediction(Prediction(value, Sure.CERTAIN, NOW_MS), **trial)  # type: ignore[arg-type]


def test_a_run_is_kept_with_its_points_verdict_and_prediction(store: Store) -> None:
    prediction = _predict(store)

    uid = store.save_run(RUN, POINTS, VERDICT, prediction, Score(Closeness.CLOSE, 1.4, True))

    run = store.last_run("small-net")
    assert run is not None
    assert (run.uid, run.experiment, run.card, run.device, run.state) == (uid, "small-net", "a", "cpu", "done")
    assert (run.controls, run.started_at_ms, run.study_day) == (RUN.controls, NOW_MS, DAY)
    assert run.verdict == VERDICT
    assert (run.facts.device_name, run.facts.busy, run.facts.more) == (
        "EPYC",
        True,
        {"torch": "2.13.0", "ratio": None},
    )
    assert store.run_points(uid) == POINTS
    (kept,) = store.predictions()
    assert (kept.uid, kept.run, kept.score) == (prediction, uid, Score(Closeness.CLOSE, 1.4, True))
    assert kept.prediction == Prediction(5.0, Sure.CERTAIN, NOW_MS)


def test_facts_of_any_kind_never_cost_a_run(store: Store) -> None:
    facts = Facts(more={"versions": (1, 2), "path": Path("/opt"), "limit": math.inf})

    store.save_run(NewRun("kept", {}, facts, NOW_MS, DAY), [], None)

    assert store.runs()[0].facts.more == {"versions": [1, 2], "path": "/opt", "limit": None}


def test_e09_points_without_a_finite_number_come_back_as_such(store: Store) -> None:
    uid = store.save_run(RUN, [Point("time", math.nan, math.nan), Point("time", math.inf, 1.0)], None)

    first, second = store.run_points(uid)

    assert (math.isnan(first.x), first.y, second.x) == (True, None, math.inf)
    assert store.runs()[0].verdict is None


def test_only_the_first_prediction_for_a_trial_counts_for_calibration(store: Store) -> None:
    assert not store.first_prediction_exists("small-net", {"width": 64, "batch": "8"}, "cpu")

    _predict(store)
    _predict(store, controls={"width": 64, "batch": "8"})  # the same in another order
    _predict(store, device="cuda")
    _predict(store, controls={"width": 128, "batch": "8"})

    assert store.first_prediction_exists("small-net", {"width": 64, "batch": "8"}, "cpu")
    assert sorted(p.first for p in store.predictions()) == [False, True, True, True]
    assert len(store.predictions(first_only=True)) == 3


def test_never_is_kept_as_never(store: Store) -> None:
    _predict(store, None)

    assert store.predictions()[0].prediction.value is None


@pytest.mark.parametrize("second", [True, False])
def test_a_prediction_is_settled_by_one_run_only_and_the_other_is_not_stored(store: Store, second: bool) -> None:
    prediction = _predict(store) if second else "0" * 32
    if second:
        store.save_run(RUN, POINTS, VERDICT, prediction)
    before = len(store.runs())

    with pytest.raises(StoreError, match="has its run already"):
        store.save_run(RUN, POINTS, VERDICT, prediction)

    assert len(store.runs()) == before


def test_the_last_run_can_be_asked_for_by_device_and_card(store: Store) -> None:
    early = store.save_run(RUN, POINTS, VERDICT)
    gpu = NewRun("small-net", {}, Facts("cuda"), NOW_MS + 1, DAY, "cut")
    late = store.save_run(gpu, [], None)
    store.save_run(NewRun("kept", MappingProxyType({}), Facts(), NOW_MS + 9, DAY, "failed"), [], None)

    def uid(device: str | None = None, card: str | None = None) -> str | None:
        run = store.last_run("small-net", device, card)
        return run.uid if run else None

    assert (uid(), uid("cpu"), uid("cuda"), uid(card="a"), uid("mps")) == (late, early, late, early, None)
    assert [run.uid for run in store.runs("small-net")] == [late, early]
    assert len(store.runs()) == 3


def test_a_run_in_an_unknown_state_is_refused_whole(store: Store) -> None:
    with pytest.raises(StoreError) as caught:
        store.save_run(NewRun("kept", {}, Facts(), NOW_MS, DAY, "sleeping"), POINTS, None)

    assert isinstance(caught.value.__cause__, sqlite3.IntegrityError)
    assert store.runs() == []


def test_a10_a_prediction_that_went_with_an_answer_taken_back_no_longer_calibrates(store: Store) -> None:
    with_cards(store, "a")
    kept = _predict(store, controls={"width": 1})
    store.save_run(RUN, POINTS, VERDICT, kept, Score(Closeness.CLOSE, 1.4, True))
    gone = _predict(store)
    run = store.save_run(RUN, POINTS, VERDICT, gone, Score(Closeness.CLOSE, 1.4, True))
    answer(store, "a", run=run)

    undo(store)

    assert [prediction.uid for prediction in store.predictions(first_only=True)] == [kept]
    assert {prediction.uid for prediction in store.predictions()} == {kept, gone}
    assert store.first_prediction_exists("small-net", {"width": 64, "batch": "8"}, "cpu")
