"""Colours: exact xterm values, enough contrast, told apart by colour-blind eyes; and what stands in for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Shade
from textual.widgets import Input

from studyapp.chart.frame import ASCII as PLAIN
from studyapp.chart.frame import UNICODE, Glyphs, markers
from studyapp.core.figures import Lane, Series
from studyapp.settings import Settings
from studyapp.tui.app import StudyApp
from studyapp.tui.glyphs import ASCII, NoHue, in_ascii
from studyapp.tui.screens.home_parts import DENSE_HEAT
from studyapp.tui.theme import CHART_STYLES, GRAPHITE, PALETTES, PAPER, SIXTEEN, choose, depth, themes
from tests.tui.drive import open_desk, release, text_of, until

Maker = Callable[..., StudyApp]
WORDS = ("s-cpu", "s-gpu", "s-you", "s-sky", "s-again", "s-hard", "s-good", "s-easy")
"""Colours that words and curves are written in."""
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
"""Source: Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009, severity 1.0, on linear RGB."""
STEPS = (0, 95, 135, 175, 215, 255)
TOLD_APART = 15.0
"""CIE76 distance; about 2 is just noticeable side by side."""


def linear(color: str) -> tuple[float, float, float]:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return r, g, b


def contrast(one: str, other: str) -> float:
    """Return the WCAG 2 contrast ratio."""
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    r, g, b = (min(1.0, max(0.0, c)) for c in rgb)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, eye: tuple[tuple[float, ...], ...]) -> float:
    seen = []
    for color in (one, other):
        rgb = linear(color)
        r, g, b = (sum(m * c for m, c in zip(row, rgb, strict=True)) for row in eye)
        seen.append(lab((r, g, b)))
    return float(sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5)


XTERM = [
    *(f"#{r:02x}{g:02x}{b:02x}" for r in STEPS for g in STEPS for b in STEPS),
    *(f"#{8 + 10 * k:02x}{8 + 10 * k:02x}{8 + 10 * k:02x}" for k in range(24)),
]
"""The colours 16 to 255 of xterm: its cube and its greys."""


@pytest.mark.parametrize("palette", [GRAPHITE, PAPER], ids=["graphite", "paper"])
def test_every_colour_is_one_that_256_colours_have(palette: Mapping[str, str]) -> None:
    for role, value in palette.items():
        assert value in XTERM, role
        fallen = Color.parse(value).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
        red, green, blue = (int(value[k : k + 2], 16) for k in (1, 3, 5))
        grey = red == green == blue  # Rich takes a light grey for its neighbour
        assert fallen.hex == value or (grey and abs(fallen.red - red) <= 10), role


@pytest.mark.parametrize(("palette", "bright", "text"), [(GRAPHITE, 7.0, 7.0), (PAPER, 7.0, 7.0)])
def test_words_stand_out_from_the_ground(palette: Mapping[str, str], bright: float, text: float) -> None:
    for ground in ("s-bg", "s-panel"):
        assert contrast(palette["s-bright"], palette[ground]) >= bright
        assert contrast(palette["s-text"], palette[ground]) >= text
    assert contrast(palette["s-muted"], palette["s-bg"]) >= 4.5
    for role in WORDS:
        assert contrast(palette[role], palette["s-bg"]) >= 4.5, role


def test_the_year_gets_brighter_with_every_level() -> None:
    for palette in (GRAPHITE, PAPER):
        levels = [contrast(palette[f"s-heat-{k}"], palette["s-bg"]) for k in range(1, 5)]
        assert levels == sorted(levels)
        assert all(b / a > 1.15 for a, b in pairwise(levels))
    assert len(set(DENSE_HEAT)) == 5


@pytest.mark.parametrize("eye", [DEUTERANOPIA, PROTANOPIA], ids=["deuteranopia", "protanopia"])
@pytest.mark.parametrize("palette", [GRAPHITE, PAPER], ids=["graphite", "paper"])
def test_colour_blind_eyes_tell_cpu_and_gpu_apart_by_colour_alone(
    palette: Mapping[str, str], eye: tuple[tuple[float, ...], ...]
) -> None:
    for one, other in (("s-cpu", "s-gpu"), ("s-cpu", "s-sky")):
        assert distance(palette[one], palette[other], eye) > TOLD_APART, (one, other)


@pytest.mark.parametrize("glyphs", [UNICODE, PLAIN], ids=["unicode", "ascii"])
def test_the_four_lanes_have_four_markers(glyphs: Glyphs) -> None:
    """To a deuteranope pink and teal are one colour: signs and labels tell lanes and prediction apart."""
    lanes = [Series(Lane(role, role, role), ()) for role in ("cpu", "gpu", "neutral", "weak")]
    assert len(set(markers(lanes, glyphs))) == 4


def test_all_palettes_have_the_same_roles_and_charts_use_no_other() -> None:
    assert set(GRAPHITE) == set(PAPER) == set(SIXTEEN)
    used = {word[1:] for style in CHART_STYLES.values() for word in style.split() if word.startswith("$")}
    assert used <= set(GRAPHITE)
    assert all(value.startswith("ansi_") for value in SIXTEEN.values())


@pytest.mark.parametrize(
    ("wanted", "environ", "colors"),
    [
        ("auto", {"TERM": "xterm-256color"}, "256"),
        ("auto", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "true"),
        ("auto", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "Apple_Terminal"}, "256"),
        ("auto", {"TERM": "linux"}, "16"),
        ("auto", {"TERM": "xterm"}, "16"),
        ("auto", {"TERM": "xterm-256color", "NO_COLOR": "1"}, "never"),
        ("auto", {"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
        ("true", {"TERM": "linux", "NO_COLOR": "1"}, "true"),
        ("never", {"COLORTERM": "truecolor"}, "never"),
    ],
)
def test_c08_the_number_of_colours_follows_setting_and_terminal(
    wanted: str, environ: dict[str, str], colors: str
) -> None:
    assert depth(wanted, environ) == colors


def test_the_theme_follows_setting_colours_and_ground() -> None:
    assert choose("auto", "", "256") == "graphite"
    assert choose("auto", "0;15", "256") == "paper"
    assert choose("graphite", "0;15", "256") == "graphite"
    assert choose("auto", "0;15", "16") == "sixteen"
    assert choose("paper", "", "16") == "sixteen", "its greys would all be one in sixteen colours"
    assert choose("sixteen", "", "true") == "sixteen"


def test_a_sign_in_ascii_has_the_width_it_had() -> None:
    for glyph, sign in ASCII.items():
        assert sign.isascii()
        assert len(sign) == cell_len(glyph) == 1, glyph
    for text in ("━━─ ▲ 3 days · 日本語 é", "ﬁ ½ ① 👍 \u0301", "zażółć"):
        assert in_ascii(text).isascii()
        assert len(in_ascii(text)) == cell_len(text), text


def test_without_colour_muted_is_dim_and_bright_is_bold() -> None:
    given = [Segment("a", Style.parse("bold green on black")), Segment("b", Style.parse("bright_black"))]
    found = NoHue().apply(given, Shade(0, 0, 0))
    assert [s.style.color for s in found if s.style] == [None, None]
    assert [(s.style.bold, s.style.dim) for s in found if s.style] == [(True, None), (None, True)]


async def screens(app: StudyApp) -> dict[str, list[Segment]]:
    """Walk through the main screens and return what each sends to the terminal."""
    seen = {}
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        for keys, name in (("l", "read"), ("q enter", "prompt"), ("space", "answer"), ("question_mark", "help"),
                           ("q q s", "stats"), ("q x", "lab"), ("enter", "experiment")):  # fmt: skip
            await pilot.press(*keys.split())
            await until(pilot, lambda: "?" in text_of(app).split("\n")[-1])
            await pilot.pause(0.1)
            strips = app.screen._compositor.render_strips()
            seen[name] = [segment for strip in strips for segment in strip]
    return seen


async def test_c08_color_never_leaves_no_colour_on_any_screen(app_of: Maker, settings: Settings) -> None:
    for name, segments in (await screens(app_of(over=replace(settings, color="never")))).items():
        for segment in segments:
            style = segment.style
            assert style is None or (style.color is None and style.bgcolor is None), (name, segment)


async def test_c08_sixteen_colours_are_the_terminals_own_on_every_screen(
    app_of: Maker, settings: Settings
) -> None:
    for name, segments in (await screens(app_of(over=replace(settings, color="16")))).items():
        for segment in segments:
            for color in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                assert color is None or color.is_default or (color.number or 0) < 16, (name, segment)
                assert color is None or color.triplet is None, (name, segment)


async def test_c09_ascii_leaves_nothing_else_on_any_screen(app_of: Maker, settings: Settings) -> None:
    for name, segments in (await screens(app_of(over=replace(settings, ascii=True)))).items():
        for segment in segments:
            assert segment.text.isascii(), (name, segment.text)


async def test_a_chart_changes_its_colours_with_the_theme(app_of: Maker) -> None:
    from studyapp.tui.screens.experiment import ExperimentScreen

    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {}))
        await until(pilot, lambda: "rows per step" in text_of(app))
        for name in ("paper", "graphite", "sixteen"):
            app.theme = name
            await pilot.pause()
            chart = app.screen.query_one("#chart")
            label = chart._style("label")  # type: ignore[attr-defined]
            wanted = PALETTES[name]["s-muted"].removeprefix("ansi_")
            assert label.color is not None
            assert label.color.name == wanted


def test_the_large_number_of_home_is_readable_in_ascii() -> None:
    from textual.renderables.digits import DIGITS3X3, DIGITS3X3_BOLD

    assert "?" not in in_ascii("".join([*DIGITS3X3, *DIGITS3X3_BOLD]))


@pytest.mark.parametrize("name", PALETTES)
def test_cursors_are_seen_without_colours(name: str) -> None:
    from studyapp.tui.screens.streak_parts import CURSOR

    theme = next(theme for theme in themes() if theme.name == name)

    assert theme.variables["input-cursor-text-style"] == "reverse"
    assert "reverse" in CURSOR


async def test_the_cursor_of_a_line_has_the_consoles_own_colours_reversed(app_of: Maker) -> None:
    app = app_of("browse")
    app.theme = "sixteen"
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.focused, Input))
        assert isinstance(app.focused, Input)
        style = app.focused.get_component_rich_style("input--cursor")

    assert (style.reverse, style.color, style.bgcolor) == (True, Color.default(), Color.default())
