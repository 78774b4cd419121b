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
        ("retention_of", "gpu=0.99", "from 0.7 to 0.97"),
        ("retention_of", "gpu", "module-id=number"),
        ("retention_of", "=0.9", "module-id=number"),
        ("retention_of", "gpu=nan", "from 0.7 to 0.97"),
        ("leech", "burn", "tag, suspend"),
        ("buttons", "3", "one of 4, 2"),
        ("timebox_minutes", "-1", "from 0 to 240"),
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


def test_what_is_wanted_of_single_modules_comes_as_a_table_or_as_one_text(tmp_path: Path) -> None:
    env = in_file(tmp_path, '[retention_of]\ngpus-and-cpus = 0.93\n"old deck" = 0.8\n')
    found = load({}, env, "linux")
    assert found.retention_of == {"gpus-and-cpus": 0.93, "old deck": 0.8}
    assert found.sources["retention_of"].endswith("config.toml")
    again = load({}, {**env, "STUDYAPP_RETENTION_OF": "a=0.7, b=0.97"}, "linux")
    assert again.retention_of == {"a": 0.7, "b": 0.97}
    assert load({}, in_file(tmp_path, 'retention_of = "a=0.9"\n'), "linux").retention_of == {"a": 0.9}


def test_a_wrong_retention_of_a_module_names_the_file_and_the_module(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load({}, in_file(tmp_path, "[retention_of]\ngpu = 0.5\n"), "linux")
    assert "config.toml" in str(refused.value)
    assert "gpu=0.5" in str(refused.value)
    assert "from 0.7 to 0.97" in str(refused.value)
