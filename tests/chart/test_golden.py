"""Whole pictures as text, at the three sizes that matter. `UPDATE_GOLDEN=1 pytest tests/chart` rewrites them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.chart import format_table, render, render_text, table
from studyapp.core.figures import Figure
from tests.chart.figures import copy_bars, layer_batch, paper_race, speed_up

GOLDEN = Path(__file__).parent / "golden"
SIZES = ((74, 16), (116, 30), (40, 10))
FIGURES: dict[str, Callable[[], Figure]] = {
    "layer_batch": layer_batch,
    "paper_race": paper_race,
    "paper_race_running": lambda: paper_race(6),
    "paper_race_empty": lambda: paper_race(0),
    "copy_bars": copy_bars,
    "speed_up": speed_up,
}


def check(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    shown = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == shown


@pytest.mark.parametrize("name", FIGURES)
def test_figures_look_as_reviewed(name: str) -> None:
    sizes = SIZES if name in ("layer_batch", "paper_race") else SIZES[:1]

    pictures = [render(FIGURES[name](), *size, x_range=(1, 1024) if "race" in name else None) for size in sizes]

    check(name, "\n\n".join(f"{g.width}x{g.height}\n{g.plain()}" for g in pictures))


@pytest.mark.parametrize("name", ["paper_race", "copy_bars"])
def test_figures_look_as_reviewed_in_ascii(name: str) -> None:
    check(f"{name}_ascii", render(FIGURES[name](), 74, 16, ascii=True).plain())


@pytest.mark.parametrize("name", FIGURES)
def test_words_and_table_read_as_reviewed(name: str) -> None:
    figure = FIGURES[name]()

    check(f"{name}_words", "\n".join([*render_text(figure), "", *format_table(table(figure))]))
