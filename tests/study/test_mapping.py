"""The map of verdicts: the latest clear one at each place, of this machine, with the other controls held still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from studyapp.chart.mapping import legend, map_lines, map_size, map_table, map_words, render_map
from studyapp.core.errors import UsageError
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment
from studyapp.experiments.protocol import Ready
from studyapp.store.records import NewRun
from studyapp.study.desk import Desk
from studyapp.study.lab import remember
from studyapp.study.mapping import Map, map_of

Maker = Callable[..., Desk]
HERE = Facts(device="cpu", device_name="This CPU", cores=2)
HOLDS, FAILS, NOISY, CANNOT = Outcome.HOLDS, Outcome.DOES_NOT_HOLD, Outcome.TOO_NOISY, Outcome.CANNOT_TEST


def keep(desk: Desk, outcome: Outcome, at: int, facts: Facts = HERE, **controls: int) -> None:
    given = {**experiment("width").parse_controls({}), **controls}
    run = NewRun("width", given, replace(facts, controls=given), desk.clock().at_ms + at, 1)
    desk.store.save_run(run, [], Verdict(outcome, "so it is", 2.0, "x"))


@pytest.fixture
def found(desk_of: Maker) -> Map:
    desk = desk_of()
    remember(desk, Ready(cpu="This CPU", cores=2))
    keep(desk, HOLDS, 1, wide=64, batch=8)
    keep(desk, FAILS, 2, wide=1024, batch=8)
    keep(desk, NOISY, 3, wide=1024, batch=8)  # a noisy repeat takes nothing away
    keep(desk, FAILS, 4, wide=64, batch=32)
    keep(desk, HOLDS, 5, wide=64, batch=32)
    keep(desk, NOISY, 6, wide=256, batch=32)
    keep(desk, CANNOT, 7, wide=4096, batch=32)
    keep(desk, HOLDS, 8, wide=64, batch=8, narrow=32)
    keep(desk, FAILS, 9, replace(HERE, device_name="Another CPU"), wide=64, batch=8)
    return map_of(desk, "width", "wide", "batch")


def test_each_place_has_its_latest_clear_verdict(found: Map) -> None:
    assert {place: cell.outcome for place, cell in found.cells.items()} == {
        (64, 8): HOLDS,
        (1024, 8): FAILS,
        (64, 32): HOLDS,
        (256, 32): NOISY,
        (4096, 32): CANNOT,
    }
    assert found.cells[1024, 8].runs == 2
    assert [place for place, cell in found.cells.items() if cell.split] == [(64, 32)]


def test_what_was_left_out_and_what_stayed_the_same_is_said(found: Map) -> None:
    assert found.left_out == 1
    assert found.others == {"narrow": 16}
    assert map_words(found) == [
        "Of 5 places tried it holds at 2, does not hold at 1, is too noisy to say at 1, cannot be tested at 1.",
        "Everywhere: narrow 16.",
        "1 run with other values of these is left out.",
        "At 1 of them earlier runs came out the other way; the latest is shown.",
    ]


def test_the_picture_shows_y_upwards_and_every_glyph_in_its_column(found: Map) -> None:
    assert map_lines(found) == [
        "batch",
        "   32 │   ●     ≈           –",
        "    8 │   ●           ○",
        "      └────────────────────────",
        "          64   256   1024  4096",
        "       wide",
        "",
        "● holds   ○ does not   ≈ too noisy   – cannot test",
    ]
    assert map_lines(found, ascii=True)[1] == "   32 |   *     ~           -"
    assert legend(ascii=True).isascii()


def test_the_table_and_the_json_say_the_same_as_the_picture(found: Map) -> None:
    rows = map_table(found)

    assert rows[0] == ["wide", "batch", "verdict", "measured", "runs", "when"]
    assert rows[1][:5] == ["64", "8", "holds here", "2×", "1"]
    assert len(rows) == 1 + len(found.cells) == 1 + len(found.as_json()["cells"])


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (9, 5), (12, 6), (20, 4), (16, 6), (200, 50)])
def test_c10_a_map_fits_any_window(found: Map, size: tuple[int, int]) -> None:
    grid = render_map(found, *size)

    assert (grid.width, grid.height) == size


def test_what_has_no_room_is_counted(found: Map) -> None:
    whole = map_size(found)

    assert "more, see the table" not in render_map(found, *whole).plain()
    assert "3 more, see the table" in render_map(found, 60, whole[1] - 1).plain()


def test_a_map_without_runs_says_so(desk_of: Maker) -> None:
    empty = map_of(desk_of(), "width", "wide", "batch")

    assert empty.sentence == "No run of width here with narrow 16."
    assert map_lines(empty) == []
    assert map_of(desk_of(), "kept", "batch", "side").sentence == "No run of kept here yet."


@pytest.mark.parametrize(
    ("x", "y", "words"), [("wide", "wide", "needs two controls"), ("wide", "tall", "no control 'tall'")]
)
def test_a_map_needs_two_controls_that_exist(desk_of: Maker, x: str, y: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        map_of(desk_of(), "width", x, y)
