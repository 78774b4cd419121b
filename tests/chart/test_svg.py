from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.chart import render_text
from studyapp.chart.svg import to_svg
from studyapp.chart.svg_style import DARK, LIGHT
from studyapp.core.figures import Axis, Figure, Lane, Mark, Plot, draw
from studyapp.core.points import Basis, Point
from studyapp.tui.theme import GRAPHITE, PAPER
from tests.chart.figures import copy_bars, layer_batch, paper_race, speed_up
from tests.chart.suites import HOSTILE, hostile_figure

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = [layer_batch, paper_race, copy_bars, speed_up]
EMPTY = draw("?", layer_batch().plot, ())


def parsed(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(figure))


def drawing(figure: Figure, name: str = "wide") -> ElementTree.Element:
    return next(e for e in parsed(figure).iter(f"{SVG}svg") if e.get("class") == name)


def texts(element: ElementTree.Element) -> list[str]:
    return [found.text or "" for found in element.iter(f"{SVG}text")]


def classes(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [found for found in element.iter() if name in (found.get("class") or "").split()]


@pytest.mark.parametrize("make", FIGURES)
def test_title_and_description_say_what_the_words_say(make: object) -> None:
    figure = make()  # type: ignore[operator]

    root = parsed(figure)
    spoken = " ".join([root.findtext(f"{SVG}title") or "", root.findtext(f"{SVG}desc") or ""])

    assert spoken == " ".join(render_text(figure))
    assert root.get("role") == "img"
    labelled = (root.get("aria-labelledby") or "").split()
    assert labelled == [e.get("id") for e in root if e.tag in (f"{SVG}title", f"{SVG}desc")]


@pytest.mark.parametrize("name", ["wide", "narrow"])
@pytest.mark.parametrize("make", FIGURES)
def test_no_words_leave_the_picture_or_hide_each_other(make: object, name: str) -> None:
    found = drawing(make(), name)  # type: ignore[operator]
    width, height = [float(n) for n in (found.get("viewBox") or "").split()[2:]]
    boxes = []
    for text in found.iter(f"{SVG}text"):
        x, y, wide = float(text.get("x") or 0), float(text.get("y") or 0), 6.2 * len(text.text or "")
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
        boxes.append((left, y - 9, left + wide, y + 2))

    for left, top, right, bottom in boxes:
        assert -1 <= left < right <= width + 1
        assert 0 <= top < bottom <= height
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert not [o for o in boxes[k + 1 :] if left < o[2] and o[0] < right and top < o[3] and o[1] < bottom]


def test_the_cpu_is_filled_and_the_gpu_hollow() -> None:
    dots = classes(drawing(paper_race()), "dot")

    hollow = {(d.get("class") or "").split()[0]: "hollow" in (d.get("class") or "") for d in dots}
    assert hollow == {"cpu": False, "gpu": True}


def test_what_was_not_measured_here_is_dashed_and_named() -> None:
    found = drawing(paper_race())

    assert [(e.get("class") or "").split()[0] for e in classes(found, "dashed")] == ["gpu"]
    assert "assumed" in texts(found)
    assert [(e.get("class")) for e in classes(drawing(copy_bars()), "assumed")] == ["cpu bar assumed"]
    assert "7.1 ms (recorded)" in texts(drawing(copy_bars()))


def test_spread_marks_slopes_and_names_are_drawn() -> None:
    found = drawing(layer_batch())

    assert len(classes(found, "spread")) == 1
    assert len(classes(found, "slope")) == 1
    assert {"CPU", "◆ you: 8", "one by one", "time (log scale)", "batch size (log scale)"} <= set(texts(found))
    assert "crossover 16" in texts(drawing(paper_race()))


def test_dots_stand_where_the_scale_says() -> None:
    plot = Plot(Axis("n", scale="log2"), Axis("t", "s", "log10"), (Lane("a", "a"),))
    dots = classes(
        drawing(draw("?", plot, [Point("a", 1, 1e-3), Point("a", 4, 1e-2), Point("a", 16, 1e-1)])), "dot"
    )

    xs, ys = ([float(d.get(k) or 0) for d in dots] for k in ("cx", "cy"))

    assert xs[1] == pytest.approx((xs[0] + xs[2]) / 2, abs=0.2)
    assert ys[1] == pytest.approx((ys[0] + ys[2]) / 2, abs=0.2)
    assert ys[0] > ys[2]


def test_bars_compare_from_zero() -> None:
    bars = classes(drawing(copy_bars()), "bar")

    lengths = [float(bar.get("width") or 0) for bar in bars]

    assert lengths[1] / lengths[0] == pytest.approx(0.0241 / 0.0123, rel=0.01)


def test_c01_c02_outside_text_is_text_in_the_picture() -> None:
    for kind in ("line", "bar"):
        written = to_svg(hostile_figure(kind))
        root = ElementTree.fromstring(written)

        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "line", "text", "polyline", "path", "circle", "rect"}
        assert not [a for e in root.iter() for a in e.attrib if a.lower().startswith("on") or "href" in a]
        assert not set("\x1b\x07\u202e") & set(written)
        assert "&lt;script&gt;" in written


def test_a_picture_asks_for_nothing_from_outside() -> None:
    written = to_svg(paper_race())

    assert re.findall(r"(?:https?:)?//[^\"' )]+", written) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|@font-face|<script|<image|<use|foreignObject", written)


def test_an_empty_figure_says_so() -> None:
    assert "Nothing measured." in texts(drawing(EMPTY))


def test_a_page_can_bring_the_style_itself() -> None:
    assert "<style>" in to_svg(paper_race())
    assert "<style>" not in to_svg(paper_race(), styled=False)


def test_keys_keep_ids_apart() -> None:
    assert 'id="a-title"' in to_svg(paper_race(), key="a")
    assert 'id="b-title"' in to_svg(paper_race(), key="b")


def test_colours_are_the_terminals_own() -> None:
    for name in ("bg", "text", "bright", "cpu", "gpu", "you", "sky", "again", "hard", "good", "easy"):
        assert (LIGHT[name], DARK[name]) == (PAPER[f"s-{name}"], GRAPHITE[f"s-{name}"])


numbers = st.floats(allow_nan=True, allow_infinity=True)
points = st.builds(
    Point,
    series=st.sampled_from(["a", "b", HOSTILE]),
    x=numbers,
    y=st.none() | numbers,
    low=st.none() | numbers,
    high=st.none() | numbers,
    basis=st.sampled_from(Basis),
)
marks = st.builds(
    Mark,
    kind=st.sampled_from(["prediction", "measured", "threshold", "slope", "other"]),
    at=numbers,
    label=st.sampled_from(["", "here", HOSTILE]),
    axis=st.sampled_from(["x", "y"]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(points, max_size=8),
    st.lists(marks, max_size=3),
    st.sampled_from(["linear", "log2", "log10"]),
    st.sampled_from(["linear", "log10"]),
    st.sampled_from(["line", "bar"]),
)
def test_e09_any_figure_becomes_a_well_formed_picture_with_finite_places(
    found: list[Point], crossing: list[Mark], x: str, y: str, kind: str
) -> None:
    plot = Plot(Axis("n", scale=x), Axis("t", "s", y), (Lane("a", "a"),), kind=kind)

    root = parsed(draw("?", plot, found, marks=crossing))

    for element in root.iter():
        for name in ("x", "y", "cx", "cy", "x1", "x2", "y1", "y2", "width", "height", "r"):
            if value := element.get(name, "").rstrip("%"):
                assert math.isfinite(float(value))
        assert not re.search(r"nan|inf", element.get("points", "") + element.get("d", ""))
