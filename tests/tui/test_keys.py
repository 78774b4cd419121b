"""One command, one place: key, footer, help and listing agree, and the learner's own keys hold everywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.errors import UsageError
from studyapp.settings import Settings, load
from studyapp.tui.app import StudyApp
from studyapp.tui.commands import FORGEABLE, SplitSequences, is_key, keys_of, named
from studyapp.tui.keymap import EVERYWHERE, all_commands, check_keys
from studyapp.tui.screens.read import ReadScreen
from tests.tui.drive import open_desk, release, reveal, start, text_of, until

Maker = Callable[..., StudyApp]
CONFIG = Path("/home/ada/.config/studyapp/config.toml")
GRADES_AND_REMOVALS = ("grade.", "review.bury", "review.suspend", "read.all")


def test_every_command_has_a_name_a_key_and_words() -> None:
    for command in all_commands({}):
        assert command.id, command
        assert command.keys, command
        assert len(command.words) > 1, command
        assert all(is_key(key) for key in command.keys), command


def test_no_key_of_a_screen_is_taken_twice() -> None:
    commands = all_commands({})
    everywhere = {key for command in commands for key in command.keys if command.screen == EVERYWHERE}
    for screen in {command.screen for command in commands} - {EVERYWHERE}:
        taken: dict[str, str] = {}
        for command in commands:
            for key in command.keys if command.screen == screen else ():
                closes_itself = {command.id, taken.get(key)} == {"back", "help"}  # `?` leaves the help it opened
                assert taken.setdefault(key, command.id) == command.id or closes_itself, (screen, key)
                assert key not in everywhere, (screen, key)


def test_c11_no_letter_of_a_split_sequence_grades_or_puts_away() -> None:
    for command in all_commands({}):
        if command.id.startswith(GRADES_AND_REMOVALS):
            letters = {key for key in command.keys if not key.isdigit()}
            assert letters.isdisjoint(FORGEABLE), command


@pytest.mark.parametrize("sequence", ["[A", "OR", "[3~", "[<0;14;2M", "[1;5C", "[200~", "[I"])
def test_c11_the_pieces_of_a_split_key_are_nobodys_letters(sequence: str) -> None:
    split = SplitSequences()
    at = 10.0
    assert not split.swallows("escape", at)
    for letter in sequence:
        at += 0.3
        assert split.swallows(keys_of(letter)[0] if letter != "," else "comma", at), letter
    assert not split.swallows("3", at + 0.1)


@given(st.lists(st.sampled_from(["1", "3", "j", "q", "space", "O", "left_square_bracket"]), max_size=8))
def test_c11_without_an_escape_every_key_is_passed_on(keys: list[str]) -> None:
    split = SplitSequences()
    assert not any(split.swallows(key, float(number)) for number, key in enumerate(keys))


def test_a_bracket_typed_long_after_an_escape_is_a_bracket() -> None:
    split = SplitSequences()
    split.swallows("escape", 1.0)
    assert not split.swallows("left_square_bracket", 2.5)
    split.swallows("escape", 3.0)
    assert not split.swallows("3", 3.1)


def test_keys_come_from_the_file_as_text_as_list_and_as_dotted_name(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('retention = 0.9\n[keys]\n"review.bury" = "v"\nread.down = ["n", "down"]\nback = "q,escape"\n')
    found = load({}, {"HOME": str(tmp_path), "STUDYAPP_CONFIG": str(path)}, "linux")
    assert found.keys == {"review.bury": "v", "read.down": "n,down", "back": "q,escape"}
    path.write_text('[keys]\n"review.bury" = 7\n')
    with pytest.raises(UsageError, match=r"review\.bury cannot be 7"):
        load({}, {"HOME": str(tmp_path), "STUDYAPP_CONFIG": str(path)}, "linux")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"review.burry": "v"}, ("review.burry", "Did you mean review.bury")),
        ({"review.bury": "v", "review.undo": "v"}, ("'v'", "review.bury", "review.undo", "screen review")),
        ({"review.bury": "z"}, ("'z'", "review.bury", "review.suspend", "Put the card away")),
        ({"review.bury": "ctrl+q"}, ("quit (", "review.bury")),
        ({"review.bury": "hyper+v"}, ("hyper+v", "no terminal sends")),
        ({"grade.good": "A"}, ("grade.good", "split an arrow key")),
    ],
)
def test_keys_that_cannot_be_are_named_with_the_file_and_what_is_near(
    keys: dict[str, str], words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as refused:
        check_keys(keys, CONFIG)
    for word in (str(CONFIG), *words):
        assert word in str(refused.value)


def test_two_commands_may_swap_their_keys() -> None:
    check_keys({"review.bury": "z", "review.suspend": "b"}, CONFIG)


def test_every_key_is_written_as_a_person_reads_it() -> None:
    assert [named(key) for key in ("question_mark", "escape", "down", "j", "slash", "tab", "ctrl+d")] == [
        "?", "esc", "↓", "j", "/", "tab", "ctrl+d",
    ]  # fmt: skip


async def test_own_keys_work_and_footer_and_help_show_them(app_of: Maker, settings: Settings) -> None:
    own = {"home.stats": "S,f2", "grade.good": "g", "review.reveal": "v", "help": "f1"}
    app = app_of(over=replace(settings, keys=own))
    async with app.run_test(size=(100, 40)) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        assert "S stats" in text_of(app).split("\n")[-1]
        await pilot.press("question_mark", "s")
        assert len(app.screen_stack) == 1, "the usual keys are free"
        await pilot.press("f1")
        await until(pilot, lambda: "S  f2   How it has been going" in text_of(app))
        await pilot.press("q", "enter")
        screen = app.screen
        await until(pilot, lambda: getattr(app.screen, "showing", None) and app.screen.seen)  # type: ignore[attr-defined]
        screen = app.screen
        await pilot.press("space", "v")
        await until(pilot, lambda: screen.revealed and screen.seen)  # type: ignore[attr-defined]
        await pilot.pause()
        await pilot.press("3", "g")
        assert app.desk is not None
        store = app.desk.store
        await until(pilot, lambda: len(store.reviews()) == 1)
        assert store.reviews()[0].rating == 3


async def test_help_names_the_key_in_force_in_its_text(app_of: Maker, settings: Settings) -> None:
    app = app_of("read", over=replace(settings, keys={"read.all": "ctrl+a", "read.next": "v"}))
    async with app.run_test(size=(90, 40)) as pilot:
        await open_desk(app, pilot)
        assert isinstance(app.screen, ReadScreen)
        await pilot.press("question_mark")
        await until(pilot, lambda: "ctrl+a releases the whole lesson" in " ".join(text_of(app).split()))
        assert "then press v" in " ".join(text_of(app).split())


async def test_c11_a_split_page_key_does_not_grade(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        app._split.swallows("escape", time.monotonic())  # as if it had closed the help in front of the card
        await pilot.press("left_square_bracket", "3", "tilde")
        await pilot.pause()
        assert app.desk is not None
        assert app.desk.store.reviews() == []


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ("x /", "enter to the list   esc all of them"),
        ("b /", "enter to the list"),
        (", enter", "enter keep it   esc back"),
    ],
)
async def test_while_a_line_is_typed_the_last_row_names_no_letter(app_of: Maker, keys: str, row: str) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        for key in keys.split():
            await pilot.press({"/": "slash", ",": "comma"}.get(key, key))
            await pilot.pause()
        await until(pilot, lambda: text_of(app).split("\n")[-1].strip() == row)
