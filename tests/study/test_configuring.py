"""One setting changed in the TOML file: everything else in the file stays as the learner wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.errors import StoreError, UsageError
from studyapp.settings import Settings, load
from studyapp.settings.values import PARSERS
from studyapp.study.configuring import set_setting, unset_setting

WRITTEN = """\
# my settings

zone = "Europe/Paris"   # home
retention = 0.85
lessons = [
  "/one",  # a # in a comment
  "/two#three",
]

# elsewhere
[worker]
# conda
command = ["conda", "run", "python"] # py
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "made" / "config.toml"


def loaded(config: Path) -> Settings:
    return load({}, {"HOME": "/nowhere", "STUDYAPP_CONFIG": str(config)}, "linux")


def written(config: Path, text: str) -> Path:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")
    return config


def test_the_first_setting_makes_the_file(config: Path) -> None:
    set_setting(config, "zone", "Asia/Tokyo")

    assert config.read_text() == 'zone = "Asia/Tokyo"\n'
    assert loaded(config).zone_name == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("zone", "Asia/Tokyo", '"Europe/Paris"   # home', '"Asia/Tokyo"   # home'),
        ("retention", "0.9", "0.85", "0.9"),
        ("lessons", "/four", '[\n  "/one",  # a # in a comment\n  "/two#three",\n]', '["/four"]'),
        ("worker_command", "srun 'a b'", '["conda", "run", "python"] # py', '["srun", "a b"] # py'),
    ],
)
def test_a_value_is_changed_in_its_place(config: Path, name: str, text: str, old: str, new: str) -> None:
    set_setting(written(config, WRITTEN), name, text)

    assert config.read_text() == WRITTEN.replace(old, new)


def test_a_new_setting_goes_behind_the_others_and_before_the_tables(config: Path) -> None:
    set_setting(written(config, WRITTEN), "fuzz", "off")

    assert config.read_text() == WRITTEN.replace("]\n\n# elsewhere", "]\nfuzz = false\n\n# elsewhere")


def test_a_new_setting_goes_above_a_table_with_its_comment(config: Path) -> None:
    set_setting(written(config, '# hello\n\n# far\n[worker]\ncommand = ["x"]\n'), "typed", "on")

    assert config.read_text() == '# hello\n\ntyped = true\n\n# far\n[worker]\ncommand = ["x"]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("retention = 0.85", "retention = 0.85\ntyped = true\n"),
        ("# only a comment\n", "# only a comment\ntyped = true\n"),
        ("typed = false", "typed = true"),
        ("zone = 'UTC'\r\ntyped = false # no\r\n", "zone = 'UTC'\r\ntyped = true # no\r\n"),
        ("'typed'=false", "'typed' = true"),
    ],
)
def test_unusual_ways_to_write_the_file_are_kept(config: Path, before: str, after: str) -> None:
    config.parent.mkdir()
    config.write_bytes(before.encode())

    set_setting(config, "typed", "on")

    assert config.read_bytes() == after.encode()


@pytest.mark.parametrize("before", ['worker = { command = ["a"] } # w\n', 'worker.command = ["a"] # w\n'])
def test_a_setting_within_an_inline_table_is_changed_there(config: Path, before: str) -> None:
    set_setting(written(config, before), "worker_command", "b c")

    assert loaded(config).worker_command == ("b", "c")
    assert config.read_text() == before.replace('["a"]', '["b", "c"]')


def test_taking_a_setting_out_brings_its_default_back(config: Path) -> None:
    written(config, WRITTEN)

    assert unset_setting(config, "retention")
    assert not unset_setting(config, "retention")
    assert config.read_text() == WRITTEN.replace("retention = 0.85\n", "")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("zone", "Mars/Base", "Europe/Paris"),
        ("retention", "much", "a number from 0.7 to 0.97"),
        ("retentoin", "0.9", "no setting"),
        ("now", "2026-01-01", "--now"),
        ("editor", "vi\x1b[2J", "characters"),
    ],
)
def test_a_wrong_value_is_refused_and_the_file_stays(config: Path, name: str, text: str, words: str) -> None:
    written(config, WRITTEN)

    with pytest.raises(UsageError) as refused:
        set_setting(config, name, text)

    assert words in str(refused.value)
    assert config.read_text() == WRITTEN


def test_a_file_that_is_wrong_already_is_named_and_left_alone(config: Path) -> None:
    written(config, "zone = \n")

    with pytest.raises(UsageError, match=r"config\.toml"):
        set_setting(config, "typed", "on")

    assert config.read_text() == "zone = \n"


def test_a_file_that_is_a_link_stays_one_and_keeps_its_mode(config: Path, tmp_path: Path) -> None:
    real = written(tmp_path / "dotfiles" / "study.toml", "typed = false\n")
    real.chmod(0o640)
    config.parent.mkdir()
    config.symlink_to(real)

    set_setting(config, "typed", "on")

    assert config.is_symlink()
    assert real.read_text() == "typed = true\n"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_written_is_said_and_nothing_is_left_behind(config: Path) -> None:
    config.mkdir(parents=True)

    with pytest.raises(StoreError, match="cannot be written"):
        set_setting(config, "typed", "on")

    assert [path.name for path in config.parent.iterdir()] == [config.name]


EXAMPLES = {
    "db": "/tmp/x.db",
    "zone": "UTC",
    "rollover": "04:30",
    "retention": "0.9",
    "retention_of": "gpus-and-cpus=0.93, demo=0.8",
    "timebox_minutes": "7.5",
    "leech": "suspend",
    "buttons": "2",
    "reviews_per_day": "50",
    "fuzz": "off",
    "lessons": "/a:/b",
    "worker_command": "a 'b c'",
    "editor": 'vi "quoted"',
    "sync": "user@box",
    "far_command": "x y",
    "ssh_command": "ssh -p 2",
}


@given(st.lists(st.sampled_from(sorted(EXAMPLES)), min_size=1, max_size=6))
def test_settings_written_in_any_order_are_read_back_as_if_each_was_given_alone(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    config = tmp_path_factory.mktemp("any") / "config.toml"

    for name in names:
        set_setting(config, name, EXAMPLES[name])

    found = loaded(config)
    for name in set(names) - {"zone"}:
        assert getattr(found, name) == PARSERS[name](EXAMPLES[name])


def test_retentions_that_stand_in_a_table_are_left_to_an_editor(config: Path) -> None:
    config.parent.mkdir()
    written = "[retention_of]\ndemo = 0.8\n"
    config.write_text(written)

    for change in (
        lambda: set_setting(config, "retention_of", "demo=0.9"),
        lambda: unset_setting(config, "retention_of"),
    ):
        with pytest.raises(UsageError, match="cannot be changed safely"):
            change()

    assert config.read_text() == written
