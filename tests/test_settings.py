"""Settings: one name from file, environment and flag; the later wins; what cannot be is refused in words."""

from __future__ import annotations

from datetime import time
from pathlib import Path

import pytest

from studyapp.core.errors import UsageError
from studyapp.settings import load


def in_file(folder: Path, text: str) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return {"HOME": str(folder), "STUDYAPP_CONFIG": str(path)}


def test_file_environment_and_flag_each_win_over_the_one_before(tmp_path: Path) -> None:
    env = in_file(tmp_path, 'retention = 0.85\nnew_minutes = 5\n[worker]\ncommand = ["a b", "c"]\n')
    found = load({"retention": "0.95"}, {**env, "STUDYAPP_NEW_MINUTES": "7"}, "linux")
    assert (found.retention, found.new_minutes) == (0.95, 7.0)
    assert found.worker_command == ("a b", "c")
    assert found.sources["new_minutes"] == "STUDYAPP_NEW_MINUTES"


def test_a_list_of_lessons_is_a_list_of_paths(tmp_path: Path) -> None:
    env = in_file(tmp_path, 'lessons = ["/one two", "/three"]\n')
    assert load({}, env, "linux").lessons == (Path("/one two"), Path("/three"))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("device", "gpu", "auto, cpu, cuda, mps or xpu"),
        ("retention", "1.2", "from 0.7 to 0.97"),
        ("rollover", "noon", "a time such as 04:00"),
        ("fuzz", "perhaps", "on or off"),
        ("zone", "Mars/Base", "Europe/Paris"),
    ],
)
def test_a_value_that_cannot_be_names_setting_source_and_what_it_takes(name: str, value: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        load({}, {"HOME": "/nowhere", f"STUDYAPP_{name.upper()}": value}, "linux")
    assert words in str(refused.value)


def test_an_unknown_name_in_the_file_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    env = in_file(tmp_path, "retentoin = 0.9\n")
    with pytest.raises(UsageError) as refused:
        load({}, env, "linux")
    assert "config.toml" in str(refused.value)
    assert "retentoin" in str(refused.value)


def test_the_rollover_may_have_minutes(tmp_path: Path) -> None:
    assert load({"rollover": "04:30"}, {"HOME": str(tmp_path)}, "linux").rollover == time(4, 30)
