from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from rich.cells import cell_len

from studyapp.chart import STYLES, Grid, Span, render, to_ansi
from studyapp.chart.scales import cell
from studyapp.chart.trace import trace
from studyapp.core.figures import Axis, Figure, Lane, Mark, Plot, Series, draw
from studyapp.core.points import Basis, Point
from tests.chart.figures import CPU_US, PAPER_US, RACE_PLOT, US, copy_bars, layer_batch, paper_race, speed_up

WILD = (
    0.0,
    -1.0,
    -0.0,
    1e-300,
    1e300,
    -1e300,
    5e-324,
    1.7e308,
    math.nan,
    math.inf,
    -math.inf,
    1.0,
    2.0,
    1e-5,
    3e7,
)
NAMES = (
    "CPU",
    "",
    "paper GPU",
    "显卡",
    "GPU 😀",
    "a very long name that fits nowhere at all",
    "x\x1b[31m\n",
    "e\u0301",
)


def assert_exact(grid: Grid, width: int, height: int) -> None:
    assert (grid.width, grid.height, len(grid.rows)) == (width, height, height)
    for row in grid.rows:
        assert sum(cell_len(span.text) for span in row) == width
        assert cell_len("".join(span.text for span in row)) == width
        assert all(span.style in STYLES for span in row)
        assert all(char.isprintable() for span in row for char in span.text)


def wild_figure(rng: random.Random) -> Figure:
    """Anything a claim, a crash or a hostile deck could hand over; not made by `draw`, which would filter it."""

    def number() -> float:
        return rng.choice(WILD) if rng.random() < 0.4 else rng.lognormvariate(0, 6)

    def point(series: str) -> Point:
        y = None if rng.random() < 0.1 else number()
        low, high = (number(), number()) if rng.random() < 0.5 else (None, None)
        return Point(series, number(), y, low, high, 1, rng.random() < 0.8, rng.choice(list(Basis)))

    def axis() -> Axis:
        labels = tuple(rng.choice(NAMES) for _ in range(rng.randint(1, 9))) if rng.random() < 0.3 else ()
        unit = rng.choice(["s", "B", "x", "%", "", "rows"])
        return Axis(rng.choice(NAMES), unit, rng.choice(["linear", "log2", "log10"]), labels)

    lanes = [
        Lane(str(k), rng.choice(NAMES), rng.choice(["cpu", "gpu", "weak", "neutral", "?"]))
        for k in range(rng.randint(0, 5))
    ]
    series = [Series(lane, tuple(point(lane.id) for _ in range(rng.choice([0, 1, 2, 7, 60])))) for lane in lanes]
    kinds = ["prediction", "measured", "threshold", "slope"]
    marks = [
        Mark(rng.choice(kinds), number(), rng.choice(NAMES), rng.choice("xy")) for _ in range(rng.randint(0, 5))
    ]
    plot = Plot(axis(), axis(), tuple(lanes), kind=rng.choice(["line", "line", "bar"]))
    return Figure(rng.choice(NAMES), plot, tuple(series), tuple(marks), sentence=rng.choice(NAMES) * 3)


@pytest.mark.parametrize("seed", range(400))
def test_e09_c10_any_figure_at_any_size_fills_its_cells_exactly(seed: int) -> None:
    rng = random.Random(seed)
    figure = wild_figure(rng)
    width, height = (
        (rng.randint(1, 130), rng.randint(1, 50)) if seed % 4 else (rng.randint(40, 90), rng.randint(10, 24))
    )
    hint = rng.choice([None, (1.0, 1024.0), (math.nan, math.inf), (0.0, 0.0)])

    grid = render(figure, width, height, ascii=bool(seed % 3 == 0), x_range=hint, y_range=hint)

    assert_exact(grid, width, height)
    assert seed % 3 or grid.plain().isascii()


@pytest.mark.parametrize(
    "size", [(0, 0), (1, 1), (5, 3), (1, 200), (500, 1), (20, 5), (39, 40), (40, 10), (500, 200)]
)
@pytest.mark.parametrize("make", [layer_batch, paper_race, copy_bars, speed_up])
def test_c10_every_window_size_gets_a_picture(size: tuple[int, int], make: type) -> None:
    assert_exact(render(make(), *size), *size)


def test_c10_below_40x6_the_sentence_takes_the_chart_s_place() -> None:
    narrow, flat = render(paper_race(), 39, 16).plain(), render(paper_race(), 80, 5).plain()

    assert " ".join(narrow.split()) == " ".join(flat.split()) == paper_race().sentence


def test_c10_a_sentence_without_room_ends_in_an_ellipsis() -> None:
    assert render(paper_race(), 12, 1).plain() == "8× off. You…"


@pytest.mark.parametrize(
    "bad", [[], [math.nan], [math.inf, 1.0], [0.0, -1.0], [2.0], [2.0, 2.0, 2.0], [1e-300, 1e300]]
)
@pytest.mark.parametrize("scale", ["linear", "log2", "log10"])
def test_e09_poor_data_is_drawn_as_far_as_it_goes(bad: list[float], scale: str) -> None:
    plot = Plot(Axis("n", "", scale), Axis("t", "s", scale), (Lane("a", "CPU"),))
    figure = draw("t", plot, [Point("a", k + 1.0, y) for k, y in enumerate(bad)])
    drawable = sum(math.isfinite(y) and (y > 0 or scale == "linear") for y in bad)

    picture = render(figure, 60, 14)

    assert_exact(picture, 60, 14)
    assert picture.plain().count("●") == drawable


def test_an_empty_figure_shows_its_axes_and_the_prediction() -> None:
    picture = render(paper_race(0), 74, 16, x_range=(1, 1024), y_range=(1e-5, 1e-2)).plain()

    assert "◆ you: 128" in picture
    assert all(label in picture for label in ("10 ms", "10 µs", "64", "256", "batch size", "└┴──"))
    assert not any(marker in picture for marker in "●○")


@pytest.mark.parametrize("axis", ["x", "y"])
def test_your_number_stands_beside_its_mark(axis: str) -> None:
    figure = replace(layer_batch(), marks=(Mark("prediction", 32.0, "you", axis),))

    picture = render(figure, 74, 16, y_range=(1.0, 1000.0)).plain()

    assert f"◆ you: {'32' if axis == 'x' else '32 s'} " in picture


def test_nothing_jumps_when_points_arrive_within_the_hinted_ranges() -> None:
    pictures = [render(paper_race(k), 74, 16, x_range=(1, 1024), y_range=(1e-5, 1e-2)) for k in range(12)]

    frames = {(p.plain().splitlines()[-1], p.plain().splitlines()[-2]) for p in pictures}
    gutters = {tuple(line[:9] for line in p.plain().splitlines()) for p in pictures}

    assert (len(frames), len(gutters)) == (1, 1)


def rows_of(figure: Figure, style: str) -> str:
    return "".join(s.text for row in render(figure, 74, 16).rows for s in row if s.style == style)


def test_a_lane_that_was_not_measured_here_is_dashed_and_named() -> None:
    assumed, measured = (
        paper_race(),
        replace(
            paper_race(),
            series=tuple(
                replace(s, points=tuple(replace(p, basis=Basis.MEASURED) for p in s.points))
                for s in paper_race().series
            ),
        ),
    )

    def braille(figure: Figure) -> int:
        return sum("⠀" < char <= "⣿" for char in rows_of(figure, "gpu"))

    assert braille(assumed) <= 0.7 * braille(measured)
    assert "assumed" in render(assumed, 74, 16).plain()
    assert "assumed" not in render(measured, 74, 16).plain()


def test_cpu_dots_are_solid_and_gpu_dots_hollow() -> None:
    cpu, gpu = rows_of(paper_race(), "cpu"), rows_of(paper_race(), "gpu")

    assert "●" in cpu
    assert "○" in gpu
    assert "○" not in cpu


def test_two_series_of_one_role_get_different_markers() -> None:
    plot = Plot(Axis("n"), Axis("t", "s"), (Lane("a", "one", "cpu"), Lane("b", "many", "cpu")))
    figure = draw(
        "t", plot, [Point(name, x, x + add) for name, add in (("a", 0), ("b", 3)) for x in (1.0, 2.0, 3.0)]
    )

    picture = render(figure, 74, 16).plain()

    assert (picture.count("●"), picture.count("■")) == (3, 3)


def test_where_two_dots_meet_both_are_seen() -> None:
    plot = Plot(Axis("n"), Axis("t", "s"), (Lane("a", "CPU", "cpu"), Lane("b", "GPU", "gpu")))
    figure = draw("t", plot, [Point("a", 1, 1), Point("a", 3, 3), Point("b", 1, 3), Point("b", 3, 3)])

    picture = render(figure, 74, 16).plain()

    assert picture.count("◉") == 1


def test_crossing_lines_share_their_dots() -> None:
    plot = Plot(Axis("n"), Axis("t", "s"), (Lane("a", "CPU", "cpu"), Lane("b", "GPU", "gpu")))
    both = draw("t", plot, [Point("a", 0, 0), Point("a", 1, 1), Point("b", 0, 0.2), Point("b", 1, 0.6)])

    def dots(figure: Figure) -> list[int]:
        text = render(figure, 74, 16, x_range=(0, 1), y_range=(0, 1)).plain()
        return [ord(c) - 0x2800 if "⠀" < c <= "⣿" else 0 for c in text]

    together = dots(both)
    cpu, gpu = (dots(replace(both, series=(series,))) for series in both.series)
    shared = [k for k in range(len(cpu)) if cpu[k] and gpu[k]]

    assert any(cpu[k] | gpu[k] not in (cpu[k], gpu[k]) for k in shared)  # neither line hides the other
    assert [together[k] for k in shared] == [cpu[k] | gpu[k] for k in shared]


def test_labels_stand_at_line_ends_and_never_on_each_other() -> None:
    lanes = tuple(Lane(str(k), f"lane {k}", "neutral") for k in range(4))
    points = [Point(lane.id, x, 1.0 + 0.01 * k) for k, lane in enumerate(lanes) for x in (1.0, 2.0)]

    picture = render(draw("t", Plot(Axis("n"), Axis("t", "s"), lanes), points), 74, 16).plain()

    assert all(picture.count(f"lane {k}") == 1 for k in range(4))


def test_a_prediction_far_outside_points_to_its_side() -> None:
    figure = replace(layer_batch(), marks=(Mark("prediction", 1e9, ""),))

    assert "you: 1G → ◆" in render(figure, 74, 16).plain()


def test_a_wide_spread_is_a_faint_bar_and_a_narrow_one_is_not_drawn() -> None:
    def bars(high: float) -> int:
        points = [Point("a", 1, 1e-4), Point("a", 2, 1e-3, 1e-3, high), Point("a", 4, 1e-2)]
        figure = draw("t", Plot(Axis("n", "", "log2"), Axis("t", "s", "log10"), (Lane("a", "CPU"),)), points)
        return sum(s.text.count("│") for row in render(figure, 60, 20).rows for s in row if s.style == "axis")

    axis = bars(1.02e-3)  # the y axis is drawn with the same stroke
    assert bars(5e-3) >= axis + 3


def test_every_marker_sits_on_its_line() -> None:
    rng = random.Random(5)
    for _ in range(60):
        cols, rows = rng.randint(20, 110), rng.randint(6, 40)
        xs = sorted(rng.random() for _ in range(6))
        ys = [rng.random() for _ in xs]

        dots = trace(xs, ys, cols, rows)

        for x, y in zip(xs, ys, strict=True):
            assert (cell(x, cols, 2), rows - 1 - cell(y, rows, 4)) in dots


def test_bars_name_what_was_not_measured_here() -> None:
    lines = render(copy_bars(), 74, 16).plain().splitlines()

    recorded = next(line for line in lines if "pinned by loader" in line)
    measured = next(line for line in lines if "plain" in line)

    assert "░" in recorded
    assert "7.1 ms (recorded)" in recorded
    assert "█" in measured
    assert "12.3 ms" in measured
    assert "◆ you: 10 ms" in "\n".join(lines)


def test_bar_lengths_are_in_proportion() -> None:
    lines = render(copy_bars(), 100, 16).plain().splitlines()

    plain, pinned = (sum(c in "█▏▎▍▌▋▊▉" for c in line) for line in lines if "█" in line)

    assert pinned / plain == pytest.approx(0.0241 / 0.0123, rel=0.08)


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    plot = Plot(Axis("n\x1b[2J"), Axis("t", "s"), (Lane("a", "C\x1b[31mPU\u202e\n"),))

    picture = render(draw("t", plot, [Point("a", 1, 1.0)]), 60, 12).plain()

    assert "\x1b" not in picture
    assert "\u202e" not in picture


def test_colours_are_the_caller_s_and_none_without_a_palette() -> None:
    grid = Grid(4, 1, ((Span("ab", "cpu"), Span(" c", "gpu")),))

    assert to_ansi(grid, {}) == "ab c"
    assert to_ansi(grid, {"cpu": "38;5;215"}) == "\x1b[38;5;215mab\x1b[0m c"


def test_plotext_is_loaded_by_the_first_line_drawn_and_not_before() -> None:
    import subprocess
    import sys

    script = (
        "import sys, studyapp.chart as c; from tests.chart.figures import paper_race\n"
        "c.render(paper_race(0), 74, 16); c.render_text(paper_race())\n"
        "print([m for m in ('plotext', 'textual', 'torch') if m in sys.modules])\n"
        "c.render(paper_race(), 74, 16); print('plotext' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.splitlines() == ["[]", "True"]


def test_figures_are_drawn_alike_from_many_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    expected = render(paper_race(), 74, 16).plain()
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda _: render(paper_race(), 74, 16).plain(), range(12)))

    assert pictures == [expected] * 12


def test_points_of_the_race_are_all_drawn() -> None:
    picture = render(paper_race(), 116, 30).plain()

    assert len(RACE_PLOT.lanes) == 2
    assert picture.count("●") + picture.count("○") + 2 * picture.count("◉") == len(CPU_US) + len(PAPER_US)
    assert US == 1e-6


def test_where_lines_share_cells_the_measured_colour_prevails() -> None:
    lanes = (Lane("a", "CPU", "cpu"), Lane("b", "paper", "gpu"))
    points = [
        Point(lane.id, x, 1.0, basis=basis)
        for lane, basis in zip(lanes, (Basis.MEASURED, Basis.ASSUMED), strict=True)
        for x in (1.0, 2.0)
    ]

    spans = [
        s for row in render(draw("t", Plot(Axis("n"), Axis("t", "s"), lanes), points), 60, 12).rows for s in row
    ]

    assert {s.style for s in spans if "◉" in s.text} == {"cpu"}


def test_empty_bars_show_their_categories_and_the_one_predicted() -> None:
    figure = replace(copy_bars(), series=(), marks=(Mark("prediction", 2, "pinned by loader"),))

    lines = render(figure, 74, 16).plain().splitlines()

    assert any("◆ pinned by loader │" in line for line in lines)
    assert any(line.strip() == "plain │" for line in lines)
    assert not any(char.isdigit() for line in lines for char in line)


def test_more_bars_than_rows_are_counted() -> None:
    plot = Plot(
        Axis("n", labels=tuple(f"way {k}" for k in range(30))), Axis("t", "s"), (Lane("a", "t"),), kind="bar"
    )

    picture = render(draw("t", plot, [Point("a", k, 1.0 + k) for k in range(30)]), 60, 13).plain()

    assert "21 more" in picture
    assert "way 8" in picture
    assert "way 9" not in picture


def test_ticks_close_together_keep_the_digits_that_tell_them_apart() -> None:
    plot = Plot(Axis("updates", "", "log2"), Axis("weight"), (Lane("a", "float16"),))
    figure = draw("t", plot, [Point("a", 2.0**k, 1 - k * 0.0005) for k in range(5)])

    labels = [line.split(" │")[0].strip() for line in render(figure, 100, 26).plain().splitlines()]

    assert [label for label in labels[:-2] if label] == ["1", "0.9995", "0.999", "0.9985", "0.998"]


def test_names_of_a_series_without_room_stand_evenly_up_to_the_last() -> None:
    plot = Plot(Axis("from", labels=tuple(f"{day} Jun" for day in range(10, 23))), Axis("recall", "%"), ())
    figure = draw("t", plot, [Point("a", float(k), 90.0) for k in range(13)])

    last = render(figure, 74, 14).plain().splitlines()[-1]

    assert [word for word in last.split() if word != "Jun"] == ["10", "12", "14", "16", "18", "20", "22"]


def test_a_hinted_range_cuts_what_sticks_out() -> None:
    plot = Plot(Axis("n"), Axis("recall", "%"), (Lane("a", "recall"),))
    figure = draw("t", plot, [Point("a", float(k), 90.0, 20.0, 100.0) for k in range(4)])

    rows = render(figure, 74, 14, y_range=(60.0, 100.0)).plain().splitlines()

    assert [row.split(" │")[0].strip() for row in rows if " % │" in row] == ["100 %", "80 %", "60 %"]
