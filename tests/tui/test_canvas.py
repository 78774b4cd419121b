"""Only what differs is sent, and a terminal that gets it looks like one that is sent everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from studyapp.tui.canvas import Canvas
from studyapp.tui.orders import erases_in_colour
from tests.tui.twin import Twins

WIDTH, HEIGHT = 24, 5
GROUNDS = ("on #14171a", "on #20252b", "")
INKS = ("", "#c9d1d9", "bold #58a6ff", "dim #8b949e", "underline #c9d1d9", "bold dim reverse red", "strike italic")
STYLES = [Style.parse(f"{ink} {ground}".strip() or "none") for ground in GROUNDS for ink in INKS]
LINK = Style.parse("underline #58a6ff on #14171a link https://example.org/a")
LETTERS = ["a", "b", " ", " ", " ", "━", "é", "⠿", "x", "…"]
WIDE = ["日", "語"]
"""No letters that the emulator joins by rules of its own: they are tried one by one below."""


def runs(draw: st.DrawFn, width: int) -> list[Segment]:
    """Draw runs of so many columns."""
    found: list[Segment] = []
    letters = [*LETTERS, *WIDE] if draw(st.integers(0, 3)) == 3 else LETTERS
    room = width
    while room:
        text = "".join(draw(st.lists(st.sampled_from(letters), min_size=1, max_size=9)))
        if draw(st.booleans()):
            text = text[0] * len(text)
        while cell_len(text) > room:
            text = text[:-1]
        text = text or " "
        found.append(Segment(text, draw(st.sampled_from(STYLES))))
        room -= cell_len(text)
    return found


@st.composite
def updates(draw: st.DrawFn) -> list[CompositorUpdate | str]:
    """Draw a whole screen, then further ones and pieces of them, with accidents in between."""
    cut = draw(st.integers(1, WIDTH - 1))
    rows = [draw(st.integers(0, 3)) for _ in range(HEIGHT)]
    pool = [runs(draw, WIDTH) for _ in range(4)]
    found: list[CompositorUpdate | str] = [screen([pool[row] for row in rows])]
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["whole", "piece", "piece", "rows", "forget", "scribble"]))
        if kind == "whole":
            found.append(screen([pool[draw(st.integers(0, 3))] for _ in range(HEIGHT)]))
        elif kind == "piece":
            x, end = (0, cut) if draw(st.booleans()) else (cut, WIDTH)
            found.append(pieces({draw(st.integers(0, HEIGHT - 1)): (x, end, runs(draw, end - x))}))
        elif kind == "rows":
            wanted = {y: (0, WIDTH, runs(draw, WIDTH)) for y in range(HEIGHT) if draw(st.booleans())}
            found += [pieces(wanted)] if wanted else []
        else:
            found += [kind, screen([pool[draw(st.integers(0, 3))] for _ in range(HEIGHT)])]
    return found


def screen(rows: list[list[Segment]]) -> LayoutUpdate:
    """Return a whole screen."""
    return LayoutUpdate([[Strip(row)] for row in rows], Region(0, 0, WIDTH, len(rows)))


def pieces(rows: dict[int, tuple[int, int, list[Segment]]]) -> ChopsUpdate:
    """Return one piece in each of some rows: from, to, content."""
    chops: list[dict[int, Strip | None]] = [{0: None} for _ in range(HEIGHT)]
    ends = [[WIDTH] for _ in range(HEIGHT)]
    spans = []
    for y, (x, end, row) in sorted(rows.items()):
        chops[y], ends[y] = {0: None, x: Strip(row)}, [x, end, WIDTH]
        if x == 0:
            chops[y], ends[y] = {0: Strip(row), end: None}, [end, WIDTH]
        spans.append((y, x, end))
    return ChopsUpdate(chops, spans, ends)


@settings(max_examples=300, deadline=None)
@given(updates(), st.booleans())
def test_what_differs_makes_the_same_screen_as_all(found: list[CompositorUpdate | str], coloured: bool) -> None:
    twins = Twins(WIDTH, HEIGHT, erases_in_colour=coloured)
    for update in found:
        if isinstance(update, str):
            if update == "scribble":
                twins.scribble()
            twins.canvas.forget()
        else:
            twins.take(update)
            assert twins.differing() == []


def sent(twins: Twins, update: CompositorUpdate) -> str:
    """Return what is sent for an update."""
    assert twins.canvas.take(update, ColorSystem.TRUECOLOR)
    return twins.canvas.difference()


def words(*rows: str, style: str = "#c9d1d9 on #14171a") -> LayoutUpdate:
    """Return a screen of plain rows."""
    return screen([[Segment(row.ljust(WIDTH), Style.parse(style))] for row in rows])


def test_a_screen_that_stands_there_already_takes_no_byte() -> None:
    twins = Twins(WIDTH, HEIGHT)
    assert sent(twins, words(*["one"] * HEIGHT))
    assert sent(twins, words(*["one"] * HEIGHT)) == ""
    again = [Segment("one".ljust(WIDTH), Style.parse("#c9d1d9 on #14171a"))]
    assert sent(twins, pieces({1: (0, WIDTH, again)})) == ""


def test_one_letter_takes_its_place_its_colour_and_itself() -> None:
    twins = Twins(WIDTH, 2)
    sent(twins, words("question 1 of 20", "two"))
    ink = "\x1b[38;2;201;209;217;48;2;20;23;26m"
    assert sent(twins, words("question 2 of 20", "two")) == f"\x1b[1;10H{ink}2\x1b[m"


def test_letters_that_stay_between_two_that_change_are_sent_where_that_is_shorter() -> None:
    twins = Twins(WIDTH, 1)
    sent(twins, words("a in b", style="none"))
    assert sent(twins, words("c in d", style="none")) == "\x1b[Hc in d"
    assert sent(twins, words("c inside d", style="none")) == "\x1b[1;5Hside d"
    sent(twins, words("1 of the many 2", style="none"))
    assert sent(twins, words("3 of the many 4", style="none")) == "\x1b[H3\x1b[13C4"


@pytest.mark.parametrize("coloured", [True, False])
def test_blank_ends_of_rows_are_erased_where_that_draws_their_background(coloured: bool) -> None:
    twins = Twins(WIDTH, 1, erases_in_colour=coloured)
    sent(twins, words("a row that is full"))
    found = sent(twins, words("a"))
    assert ("\x1b[K" in found) is coloured
    assert (" " * 8 in found) is not coloured
    sent(twins, words("a row that is full", style="none"))
    assert "\x1b[K" in sent(twins, words("a", style="none")), "every terminal erases in its own colour"


def test_a_screen_nobody_knows_is_cleared_and_its_blanks_are_not_sent() -> None:
    twins = Twins(WIDTH, HEIGHT)
    first = sent(twins, words(*["one"] * HEIGHT))
    assert first.count("\x1b[J") == 1
    assert " " not in first
    twins.canvas.forget()
    assert sent(twins, words(*["one"] * HEIGHT)) == first
    assert "\x1b[J" not in sent(twins, words(*["two"] * HEIGHT))


@pytest.mark.parametrize("letters", ["日本", "e\u0301", "👩\u200d🔬", "▶\ufe0f", "🇩🇪", "שלום", "\u00ad"])
def test_a_row_with_letters_of_unsure_width_is_sent_whole(letters: str) -> None:
    twins = Twins(WIDTH, 1)
    style = Style.parse("#c9d1d9 on #14171a")
    pad = " " * (WIDTH - 2 - cell_len(letters))

    def row(tail: str) -> LayoutUpdate:
        return screen([[Segment(letters, style), Segment(f"{pad}{tail}", style)]])

    sent(twins, row("ab"))
    found = sent(twins, row("ac"))
    assert letters in found
    assert f"{pad}ac" in found
    assert sent(twins, row("ac")) == ""
    plain = sent(twins, screen([[Segment("ac".rjust(WIDTH), style)]]))
    assert plain.endswith("ac\x1b[m"), "and once more when the letters have gone"


def test_where_a_terminal_draws_a_run_narrower_nothing_old_stays_behind_it() -> None:
    twins = Twins(WIDTH, 2)
    style = Style.parse("#c9d1d9 on #14171a")
    old, sign = [Segment("x" * WIDTH, style)], Segment("▶\ufe0f", style)
    assert cell_len(sign.text) == 2, "for Textual; the emulator draws it in one"

    twins.take(screen([old, old]))
    twins.take(screen([[sign, Segment(" " * (WIDTH - 2), style)], old]))
    twins.take(pieces({1: (4, 12, [sign, Segment(" " * 6, style)])}))

    rows = ["".join(twins.less.buffer[y][x].data for x in range(WIDTH)) for y in (0, 1)]
    assert rows[0] == "▶".ljust(WIDTH)
    assert rows[1] == f"xxxx▶{' ' * 7}{'x' * 12}"
    assert twins.less.buffer[0][WIDTH - 1].bg == "14171a"


def test_what_is_left_of_a_wide_run_is_not_taken_for_blank() -> None:
    twins = Twins(WIDTH, HEIGHT)
    style = Style.parse("#c9d1d9 on #14171a")
    sent(twins, screen([[Segment("日本".ljust(WIDTH - 2), style)]] * HEIGHT))
    sent(twins, pieces({y: (0, 4, [Segment("four", style)]) for y in range(HEIGHT)}))
    twins.canvas.forget()
    again = sent(twins, pieces({0: (0, 4, [Segment("five", style)])}))
    assert "\x1b[J" not in again, "who clears must know every cell"
    assert "five" in again


def test_a_link_is_opened_and_closed() -> None:
    twins = Twins(WIDTH, 1)
    rest = Style.parse("#c9d1d9 on #14171a")
    found = sent(twins, screen([[Segment("here", LINK), Segment(" " * (WIDTH - 4), rest)]]))
    assert found.count("https://example.org/a") == 1
    assert found.rindex("\x1b]8;;\x1b\\") > found.index("here")


def test_an_update_of_another_kind_is_left_alone_and_nothing_is_known_after_it() -> None:
    twins = Twins(WIDTH, 1)
    first = sent(twins, words("one"))
    assert not twins.canvas.take(CompositorUpdate(), ColorSystem.TRUECOLOR)
    assert sent(twins, words("one")) == first


def test_rows_that_are_too_long_or_too_short_keep_the_rest_of_the_screen() -> None:
    twins = Twins(WIDTH, HEIGHT)
    twins.take(words(*["one"] * HEIGHT))
    style = Style.parse("#c9d1d9 on #14171a")
    twins.take(screen([[Segment("x" * length, style)] for length in (WIDTH, WIDTH - 3, 0, 1, 2)]))
    assert twins.differing() == []
    twins.take(words(*["two"] * HEIGHT))
    assert twins.differing() == []


@pytest.mark.parametrize(
    ("environ", "erases"),
    [({"TERM": "xterm-256color"}, True), ({"TERM": "linux"}, True), ({"TERM": "screen-256color"}, False),
     ({"TERM": "xterm-256color", "STY": "1.pts-0"}, False), ({"TERM": "vt100"}, False), ({}, False),
     ({"TERM": "xterm-256color", "TMUX": "/tmp/tmux-1/default"}, False),
     ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-1/default", "TERM_PROGRAM": "tmux"}, True)],
)  # fmt: skip
def test_whether_a_terminal_erases_in_colour_is_known_by_its_name(environ: dict[str, str], erases: bool) -> None:
    assert erases_in_colour(environ) is erases
    assert Canvas(erases_in_colour=erases).erases_in_colour is erases
