"""The Lab: under the sections that name them, with the last verdict here and whose number it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import ids
from studyapp.experiments.protocol import Ready
from studyapp.store.database import Store
from studyapp.store.records import NewRun, StoredRun
from studyapp.study.desk import Desk
from studyapp.study.lab import UNNAMED, Entry, Lab, gather, remember, remembered

Maker = Callable[..., Desk]
HERE = Facts(device="cpu", device_name="This CPU", cores=2)
THERE = replace(HERE, device_name="Another CPU")
GREETING = Ready(cpu="This CPU", cores=2, devices=[{"type": "cpu", "count": 1, "name": "This CPU"}])
SEEN = Verdict(Outcome.HOLDS, "so it is", 3.0, "x")


def keep(
    desk: Desk, name: str, facts: Facts = HERE, verdict: Verdict | None = SEEN, at_ms: int = 0, **controls: Any
) -> str:
    run = NewRun(name, controls, replace(facts, controls=controls), desk.clock().at_ms + at_ms, 1)
    return desk.store.save_run(run, [Point("a", 1, 1.0)], verdict)


def entry(lab: Lab, name: str) -> Entry:
    return next(e for e in lab.entries if e.experiment.id == name)


def test_experiments_stand_once_under_the_first_section_that_names_them(desk_of: Maker) -> None:
    lab = gather(desk_of())

    assert [(g.title, g.section) for g in lab.groups] == [("One", "one"), (UNNAMED, "")]
    assert [e.experiment.id for e in lab.groups[0].entries] == ["small-net"]
    assert sorted(e.experiment.id for e in lab.entries) == sorted(ids())


def test_the_shipped_lesson_names_every_experiment_of_its_sections(
    desk_of: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parent.parent.parent / "data" / "modules"
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: root)

    lab = gather(desk_of())

    assert len(lab.groups) > 5
    assert sum(len(g.entries) for g in lab.groups if g.title != UNNAMED) > 20


def test_a_run_on_this_machine_comes_before_a_newer_one_elsewhere(desk_of: Maker) -> None:
    desk = desk_of()
    machine = remember(desk, GREETING)
    keep(desk, "width")
    keep(desk, "width", THERE, replace(SEEN, outcome=Outcome.DOES_NOT_HOLD), at_ms=9)
    keep(desk, "kept", THERE)

    width, kept, never_run = (entry(gather(desk, machine), name) for name in ("width", "kept", "bus"))

    assert width.here
    assert width.last is not None
    assert width.last.facts.device_name == "This CPU"
    assert len(width.history) == 2
    assert not kept.here
    assert kept.last is not None
    assert never_run.last is None
    assert never_run.here


def test_a_run_without_a_verdict_is_no_last_verdict(desk_of: Maker) -> None:
    desk = desk_of()
    keep(desk, "width")
    keep(desk, "width", verdict=None, at_ms=5)

    found = entry(gather(desk), "width")

    assert found.last is not None
    assert found.last.verdict == SEEN
    assert len(found.history) == 1


def test_a_number_that_rests_on_paper_is_reckoned_and_a_measured_one_is_not(desk_of: Maker) -> None:
    desk = desk_of()
    cannot = Verdict(Outcome.CANNOT_TEST, "on paper", 2.0, "rows")
    for name, basis in (("paper-race", Basis.ASSUMED), ("small-net", Basis.MEASURED)):
        run = NewRun(name, {}, HERE, desk.clock().at_ms, 1)
        desk.store.save_run(run, [Point("a", 1, 1.0, basis=basis)], cannot)

    lab = gather(desk)

    assert entry(lab, "paper-race").reckoned
    assert not entry(lab, "small-net").reckoned


def test_what_can_be_tested_is_unknown_until_a_worker_has_reported_and_then_remembered(desk_of: Maker) -> None:
    desk = desk_of()
    assert remembered(desk) is None
    assert entry(gather(desk), "bus").testable_here is None

    remember(desk, GREETING)
    lab = gather(desk)

    assert entry(lab, "bus").testable_here is False
    assert "needs a GPU" in entry(lab, "bus").why_not
    assert entry(lab, "core-race").testable_here is True


def test_a_note_of_the_machine_that_cannot_be_read_counts_as_none(desk_of: Maker) -> None:
    desk = desk_of()
    remember(desk, GREETING)
    with desk.store.write() as connection:
        connection.exec_driver_sql("UPDATE meta SET value = '[1]' WHERE key LIKE 'machine:%'")

    assert remembered(desk) is None


def test_the_first_prediction_and_the_last_are_told_apart(desk_of: Maker) -> None:
    desk = desk_of()
    for at_ms, value in ((1, 2.0), (2, 4.0), (3, 8.0)):
        made = Prediction(value, Sure.GUESS, at_ms)
        desk.store.save_prediction(made, experiment="width", controls={}, device="cpu")

    found = entry(gather(desk), "width")

    assert found.first is not None
    assert found.latest is not None
    assert (found.first.prediction.value, found.latest.prediction.value) == (2.0, 8.0)


def test_a_run_of_another_torch_is_marked_and_one_of_another_machine_is_not_called_old(desk_of: Maker) -> None:
    desk = desk_of()
    machine = remember(desk, GREETING)
    keep(desk, "width", replace(HERE, more={"torch": "1.0.0"}))
    keep(desk, "kept", replace(HERE, more={"torch": "1.0.0", "machine": "elsewhere"}))

    width, kept = (entry(gather(desk, machine), name) for name in ("width", "kept"))

    assert width.expired == "measured with torch 1.0: run again"
    assert not kept.here
    assert kept.expired == ""


def test_one_query_brings_all_runs(desk_of: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_of()
    for name in ids():
        keep(desk, name)
    asked: list[tuple[str, ...]] = []
    look = type(desk.store).runs

    def seen(store: Store, *names: str) -> list[StoredRun]:
        asked.append(names)
        return look(store, *names)

    monkeypatch.setattr(type(desk.store), "runs", seen)
    monkeypatch.setattr(type(desk.store), "last_run", lambda *_: pytest.fail("one query for each"))

    assert all(e.last is not None for e in gather(desk).entries)
    assert asked == [()]


def test_words_filter_by_id_claim_and_question_whatever_their_case(desk_of: Maker) -> None:
    lab = gather(desk_of())

    assert [e.experiment.id for g in lab.matching("SMALL-net") for e in g.entries] == ["small-net"]
    assert len(lab.matching("small-net")) == 1
    assert "kept" in [e.experiment.id for g in lab.matching("resnet-50 weights") for e in g.entries]
    assert lab.matching("no such words") == ()
