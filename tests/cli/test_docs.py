from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from studyapp.cli.group import global_options
from studyapp.cli.main import PLACES, studyapp
from tests.cli.conftest import ROOT, Studyapp

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def command(name: str) -> click.Command:
    found = studyapp.get_command(click.Context(studyapp), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", PLACES)
def test_every_command_has_a_page_of_help_and_stands_in_the_reference(name: str, studyapp: Studyapp) -> None:
    result = studyapp(name, "--help")

    assert result.code == 0
    assert result.out.startswith(f"Usage: studyapp {name}")
    assert re.search(rf"`studyapp {name}\b", PAGE)


@pytest.mark.parametrize("name", PLACES)
def test_every_option_stands_in_the_reference(name: str) -> None:
    options = [
        option for parameter in command(name).params for option in (*parameter.opts, *parameter.secondary_opts)
    ]

    assert [o for o in options if o.startswith("--") and o not in PAGE] == []


@pytest.mark.parametrize("name", PLACES)
def test_every_command_takes_the_global_options(name: str) -> None:
    own = {parameter.name for parameter in command(name).params}

    assert {option.name for option in global_options()} <= own


@pytest.mark.parametrize("name", PLACES)
def test_the_first_sentence_of_help_fits_the_list_of_commands(name: str) -> None:
    assert not command(name).get_short_help_str(62).endswith("...")


def test_the_reference_names_no_command_that_does_not_exist() -> None:
    named = set(re.findall(r"`?studyapp ([a-z]+(?:-[a-z]+)?)", PAGE))

    assert named - set(PLACES) == set()


def test_commands_that_print_data_say_so() -> None:
    printing = {name for name in PLACES if any(p.name == "json" for p in command(name).params)}

    assert set(PLACES) - printing == {"review", "read", "browse", "race", "lab", "exchange", "shell"}


def test_every_place_is_a_file() -> None:
    folder = Path(ROOT / "studyapp" / "cli")

    assert [place for place in set(PLACES.values()) if not (folder / f"{place}.py").exists()] == []
