"""Taking a passport, keeping and merging it; the roofline in a trial; cards about the machine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.errors import DeckError
from studyapp.core.figures import Axis, Figure, Lane, Plot, Series
from studyapp.core.points import Basis, Point
from studyapp.core.reviews import Rating, State
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments import protocol
from studyapp.experiments.catalog import experiment
from studyapp.experiments.runner import Runner
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.exporting import everything
from studyapp.study.lessons import bring_in
from studyapp.study.machine_cards import file_of, offered, update_cards, write_cards
from studyapp.study.modelling import Modelled, model_of
from studyapp.study.passport import Passport, Taking, latest_passport, passports
from studyapp.study.passport_rows import rows
from studyapp.study.reviewing import Sitting
from tests.study.conftest import Watch
from tests.study.machine import Machine, machines, record

WORKER = Path(__file__).parents[1] / "cli" / "passport_worker.py"
FIGURES = [
    Point("machine cores", 0, 8, basis=Basis.COUNTED),
    Point("call one", 0, 6.4e-7),
    Point("ladder one", 2**18, 1.6e11),
    Point("ladder one", 2**27, 4e10),
    Point("rate float32 one", 256, 1.1e11),
    Point("rate float32 one", 512, 1.0e11),
    Point("rate bfloat16 one", 512, 4.4e11),
]
CARD = [
    Point("call device", 0, 4e-6),
    Point("answer device", 0, 2e-5),
    Point("ladder device", 2**27, 3e12),
    Point("rate float32 device", 4096, 5e13),
    Point("bus trip", 0, 3e-5),
    Point("bus pinned", 2**26, 2.5e10),
]


def take(desk: Desk, points: list[Point], **facts: object) -> Passport:
    """Fold a passport as the worker would send it."""
    taking = Taking(desk, "cpu")
    taking.started_at_ms = desk.clock().at_ms
    device = str(facts.pop("device", "cpu"))
    taking.fold(protocol.Started(None, device=device, device_name="Test CPU", cores=8))
    for point in points:
        taking.fold(protocol.PointMessage(None, point=point))
    more = {"torch": "2.13.0+cpu", "machine": os.uname().nodename, **facts.pop("more", {})}  # type: ignore[dict-item]
    told = {"device": device, "device_name": "Test CPU", "cores": 8, **facts, "more": more}
    taking.fold(protocol.Done(None, facts=told))
    assert taking.passport is not None
    return taking.passport


def test_a_passport_is_kept_with_its_fingerprint_and_found_again(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()

    taken = take(desk, FIGURES)

    assert latest_passport(desk) == taken
    assert taken.fingerprint["torch"] == "2.13.0+cpu"
    assert taken.fingerprint["device_name"] == "Test CPU"
    assert taken.complete
    assert taken.points == tuple(FIGURES)


def test_nothing_is_kept_of_a_passport_without_a_measured_figure(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    taking = Taking(desk, "cpu")

    taking.fold(protocol.Started(None))
    taking.fold(protocol.PointMessage(None, point=FIGURES[0]))  # counted alone
    taking.fold(protocol.Cancelled(None))

    assert taking.passport is None
    assert passports(desk) == []


async def test_an_interrupted_passport_is_a_part_and_says_so(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    taking = Taking(desk, "cpu")
    async with Runner((sys.executable, str(WORKER), "slow")) as runner:
        async for message in taking.run(runner):
            if isinstance(message, protocol.PointMessage) and message.point.series.startswith("ladder"):
                asyncio.get_running_loop().create_task(runner.cancel())

    assert taking.state == "cancelled"
    assert taking.passport is not None
    assert not taking.passport.complete
    assert "interrupted" in taking.passport.remarks()[0]
    assert taking.passport.fingerprint["machine"] == os.uname().nodename  # from the greeting: there was no end


def test_a_complete_passport_goes_before_a_later_part(desk_of: Callable[..., Desk], watch: Watch) -> None:
    desk = desk_of()
    whole = take(desk, FIGURES)
    watch.set("2026-03-03T10:00")
    take(desk, FIGURES[:3], cut_short=True, why_cut="time limit")

    assert latest_passport(desk) == whole


def test_other_work_on_the_machine_is_said(desk_of: Callable[..., Desk]) -> None:
    taken = take(desk_of(), FIGURES, busy=True, more={"why_busy": "the run waited for a core 40 % of its time"})

    assert taken.remarks() == ["Measured beside other work: the run waited for a core 40 % of its time."]


def test_a_quiet_passport_goes_before_a_later_one_beside_other_work(
    desk_of: Callable[..., Desk], watch: Watch
) -> None:
    desk = desk_of()
    quiet = take(desk, FIGURES)
    watch.set("2026-03-05T10:00")
    busy = take(desk, FIGURES, busy=True, more={"why_busy": "other work"})

    shown = latest_passport(desk)
    assert shown is not None
    assert shown.uid == quiet.uid
    [remark] = shown.remarks()
    assert remark == "The one of 5 Mar 2026 was measured beside other work; this is the latest quiet one."
    assert passports(desk)[0] == busy  # it is kept

    watch.set("2026-03-06T10:00")
    newer = take(desk, FIGURES, busy=True, more={"why_busy": "other work", "torch": "2.14.0"})
    assert latest_passport(desk) == newer  # another torch: the quiet one tells of something else


def test_a_passport_of_another_machine_is_not_this_ones(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()

    take(desk, FIGURES, more={"machine": "elsewhere"})

    assert passports(desk) == []


def test_without_an_accelerator_the_rows_say_that_there_is_no_bus() -> None:
    found = rows(FIGURES, "cpu")

    assert [row.label for row in found if row.group == "bus"] == ["no bus here: a CPU and its memory need none"]
    assert [row.id for row in rows(CARD, "cuda") if row.group == "bus"] == ["bus trip", "bus pinned"]


def test_passports_travel_in_a_merge_and_in_the_export() -> None:
    with machines(2) as (here, there):
        take(there.desk, FIGURES, more={"machine": "elsewhere"})
        take(here.desk, FIGURES)

        here.merge(there)
        there.merge(here)
        here.merge(there)

        ours, theirs = (machine.desk.store.passports() for machine in (here, there))
        assert ours == theirs
        assert {entry.fingerprint["machine"] for entry in ours} == {"elsewhere", os.uname().nodename}
        assert len(everything(here.desk, [])["record"]["rows"]["passports"]) == 2
        assert record(Machine.of(here.desk))["runs"] == []


# the roofline


def layer_batch(desk: Desk) -> Trial:
    """Return a judged run of layer-batch on one core."""
    trial = Trial(desk, "layer-batch", device="cpu")
    trial.predict(52.0)
    trial.fold(protocol.Started(None))
    for x, y in ((1.0, 1.2e-5), (2.0, 2.2e-5), (256.0, 1.25e-3)):
        trial.fold(protocol.PointMessage(None, point=Point("one", x, y)))
    trial.fold(protocol.Done(None, facts={"device": "cpu", "device_name": "Test CPU", "cores": 8}))
    return trial


def test_learner_model_and_measurement_stand_in_one_chart(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)

    trial = layer_batch(desk)
    figure = trial.figure()

    model = figure.series[-1]
    assert model.dashed
    assert model.name == "roofline (assumed)"
    assert [point.x for point in model.points] == [1, 2, 256]
    assert trial.beside.startswith("You ×2.0 off, the roofline ×")
    assert "this machine's passport of 2 Mar 2026" in figure.sentence
    assert all(not mark.label.startswith("roof") for mark in figure.marks)


def test_the_roofline_never_reaches_the_store(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)

    trial = layer_batch(desk)

    assert trial.run_uid is not None
    assert {point.series for point in desk.store.run_points(trial.run_uid)} == {"one"}


def test_a_claim_that_states_nothing_gets_no_model_line(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)

    assert model_of(desk, experiment("kept"), [Point("kept", 1, 2.0)], Facts()) is None


def test_the_cpu_lanes_of_a_run_on_a_gpu_come_from_the_cpus_passport(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)
    take(desk, CARD, device="cuda")
    claim = experiment("small-net")
    points = [Point(lane, n, 1e-4) for lane in ("one", "resident") for n in (1.0, 32.0, 256.0)]
    facts = Facts("cuda", controls=claim.parse_controls({}))

    found = model_of(desk, claim, points, facts)

    assert found is not None
    assert {point.series for point in found.points} == {"one", "resident"}


def modelled(answer: float | None) -> Modelled:
    passport = Passport("", "cpu", {}, 0, 1, (), "done")
    return Modelled((Point("one", 1, 1.0, basis=Basis.ASSUMED),), answer, passport, "2 Mar 2026")


@pytest.mark.parametrize(
    ("said", "answer", "outcome", "words"),
    [
        (21.0, 13.0, Outcome.HOLDS, "You ×2.1 off, the roofline ×1.3 off."),
        (None, 13.0, Outcome.HOLDS, "The roofline ×1.3 off."),
        (640.0, 13.0, Outcome.HOLDS, "You ×64 off, the roofline ×1.3 off."),
        (21.0, None, Outcome.HOLDS, ""),
        (21.0, 13.0, Outcome.TOO_NOISY, ""),
    ],
)
def test_the_sentence_compares_both_with_what_was_measured(
    said: float | None, answer: float | None, outcome: Outcome, words: str
) -> None:
    assert modelled(answer).sentence(said, Verdict(outcome, "", 10.0, "x")) == words


def test_bars_get_one_model_and_lines_two_at_most() -> None:
    lanes = tuple(Lane(name, name) for name in ("a", "b", "c"))
    points = tuple(Point(lane.id, 1, 1.0, basis=Basis.ASSUMED) for lane in lanes)
    found = Modelled(points, None, modelled(None).passport, "2 Mar 2026")

    def drawn(kind: str) -> list[str]:
        plot = Plot(Axis("x"), Axis("y"), lanes, kind=kind)
        series = tuple(Series(lane, (Point(lane.id, 1, 2.0),)) for lane in lanes)
        return [one.lane.label for one in found.drawn_into(Figure("", plot, series)).series[3:]]

    assert drawn("bar") == ["roofline"]
    assert drawn("line") == ["roof a", "roof b"]


# cards about this machine


def test_cards_name_the_machine_in_id_and_question_and_the_day_in_the_answer(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)

    cards = {card.id: card for card in offered(desk)}

    host = os.uname().nodename
    peak = next(card for name, card in cards.items() if name.endswith("/peak-float32-one"))
    assert host in peak.prompt
    assert peak.answer.startswith("110 GFLOP/s")
    assert "2 Mar 2026" in peak.answer
    assert any("4.0×: 440 GFLOP/s against 110 GFLOP/s." in card.answer for card in cards.values())


def test_a_new_passport_changes_the_cards_and_keeps_their_progress(
    desk_of: Callable[..., Desk], watch: Watch, tmp_path: Path
) -> None:
    desk = desk_of()
    take(desk, FIGURES)
    written = write_cards(desk, tmp_path)
    card = offered(desk)[0].id
    sitting = Sitting(desk)
    showing = sitting.show(card)
    assert showing is not None
    sitting.grade(showing, Rating.EASY, duration_ms=1000)

    watch.set("2026-03-03T10:00")
    take(desk, [*FIGURES, Point("rate float32 one", 1024, 1.5e11)])
    updated = update_cards(desk, tmp_path)

    assert updated is not None
    assert updated.changed
    stored = desk.store.card(card)
    assert stored is not None
    assert stored.answer.startswith("150 GFLOP/s")
    assert "3 Mar 2026" in stored.answer
    assert stored.memory.state is State.REVIEW
    assert written.path == updated.path


def test_the_next_start_reads_the_file_as_it_was_stored(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    desk = desk_of()
    take(desk, FIGURES)
    path = write_cards(desk, tmp_path).path

    assert bring_in(desk, [path]) == []
    assert {card.id for card in offered(desk)} <= {card.id for card in desk.store.cards()}


def test_a_file_that_the_learner_edited_is_left_alone(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    desk = desk_of()
    take(desk, FIGURES)
    path = write_cards(desk, tmp_path).path
    path.write_text(path.read_text(encoding="utf-8") + "\nMy own words.\n", encoding="utf-8")
    before = path.read_bytes()

    with pytest.raises(DeckError, match="edited by hand"):
        write_cards(desk, tmp_path)

    assert update_cards(desk, tmp_path) is None
    assert path.read_bytes() == before


def test_without_a_passport_there_are_no_cards(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    desk = desk_of()

    assert offered(desk) == []
    assert file_of(desk, tmp_path) is None
    with pytest.raises(DeckError, match="no passport"):
        write_cards(desk, tmp_path)


def test_cards_of_a_gpu_stand_beside_those_of_the_cpu(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    take(desk, FIGURES)
    take(desk, CARD, device="cuda")

    ids = [card.id.partition("/")[2] for card in offered(desk)]

    assert {"peak-float32-one", "cuda-peak-float32-device", "cuda-trip", "cuda-bus", "cuda-launch"} <= set(ids)
    assert len(ids) == len(set(ids))
