"""`config`: every setting listed with its source, one explained, one written."""

from __future__ import annotations

from pathlib import Path

import pytest

from studyapp.settings.values import PARSERS
from tests.cli.conftest import Studyapp


def test_every_setting_is_listed_with_value_default_and_source(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studyapp("config", "retention", "0.85")
    monkeypatch.setenv("STUDYAPP_FUZZ", "off")

    found = {setting["name"]: setting for setting in studyapp("config", "--json").data["settings"]}

    assert set(found) == set(PARSERS) - {"now"}
    assert found["retention"] | {"words": "", "takes": ""} == {
        "name": "retention",
        "value": "0.85",
        "default": "0.9",
        "source": str(home / ".config/studyapp/config.toml"),
        "words": "",
        "takes": "",
    }
    assert (found["fuzz"]["value"], found["fuzz"]["source"]) == ("off", "STUDYAPP_FUZZ")
    assert (found["rollover"]["value"], found["rollover"]["source"]) == ("04:00", "default")
    assert "begins" in found["rollover"]["words"]
    assert found["theme"]["takes"].startswith("one of auto")
    assert not [setting for setting in found.values() if "x00" in setting["takes"]]


def test_every_value_listed_can_be_set_as_it_is_listed(studyapp: Studyapp) -> None:
    before = studyapp("config", "--json").data["settings"]
    for setting in before:
        if setting["name"] in ("rollover", "lessons", "streak", "zone", "worker_command", "theme"):
            assert studyapp("config", setting["name"], setting["value"]).code == 0

    after = studyapp("config", "--json").data["settings"]

    assert [setting["value"] for setting in after] == [setting["value"] for setting in before]


def test_one_setting_is_explained(studyapp: Studyapp) -> None:
    lines = studyapp("config", "goal").out.splitlines()

    assert lines[0] == "goal = 1 answer"
    assert "It takes 1 answer, 20 answers, 10 minutes or all due." in lines


def test_a_setting_is_written_read_and_taken_back(studyapp: Studyapp, home: Path) -> None:
    file = home / ".config/studyapp/config.toml"

    written = studyapp("config", "rollover", "05:00")

    assert written.out == (
        f"rollover = 05:00 is set in {file}.\nToday ends as it would have; it counts from the next day on.\n"
    )
    assert file.read_text() == 'rollover = "05:00"\n'
    assert studyapp("config", "rollover").out.startswith(f"rollover = 05:00  ({file})\n")
    assert studyapp("config", "rollover", "--default").out.startswith(f"rollover is no longer set in {file}.\n")
    assert file.read_text() == ""


def test_a_stronger_source_is_named(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_THEME", "paper")

    assert "STUDYAPP_THEME is set too and wins" in studyapp("config", "theme", "graphite").out


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["retentoin"], "There is no setting"),
        (["now"], "--now"),
        (["retention", "2"], "a number from 0.7 to 0.97"),
        (["zone", "Mars/Base"], "Europe/Paris"),
        (["--default"], "one setting"),
    ],
)
def test_what_cannot_be_set_is_wrong_usage(studyapp: Studyapp, home: Path, words: list[str], kind: str) -> None:
    result = studyapp("config", *words)

    assert result.code == 2
    assert kind in result.err
    assert not (home / ".config/studyapp/config.toml").exists()
