"""Lesson files into the store: read when changed, kept when gone, problems named by file and line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.reviews import Rating
from studyapp.decks import files
from studyapp.study.desk import Desk
from studyapp.study.lessons import bring_in, shipped
from studyapp.study.reviewing import Sitting
from tests.study.conftest import Watch, lesson

Maker = Callable[..., Desk]


def test_the_shipped_lesson_is_found_beside_the_package_or_inside_it() -> None:
    assert (shipped() / "gpus-and-cpus.md").is_file()


def test_b06_a_typo_fixed_and_a_card_gone_and_back_keep_their_history(desk_of: Maker, lesson_path: Path) -> None:
    desk = desk_of(release="all")
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.EASY, duration_ms=1)
    learned = desk.store.card("demo/a0")
    assert learned is not None
    text = lesson_path.read_text()

    lesson_path.write_text(text.replace("What is a0?", "What's a0?"))
    edited = desk_of(release="all").store.card("demo/a0")
    assert edited is not None
    assert edited.prompt == "What's a0?"
    assert edited.memory == learned.memory

    lesson_path.write_text(text.replace("id: a0 ", "id: gone "))
    gone = desk_of(release="all").store.card("demo/a0")
    assert gone is not None
    assert gone.hidden

    lesson_path.write_text(text)
    back = desk_of(release="all").store.card("demo/a0")
    assert back is not None
    assert not back.hidden
    assert back.memory == learned.memory


@pytest.mark.parametrize("kept", ["3f2a9c", "[]", "7"])
def test_what_another_version_kept_of_its_last_look_stops_no_start(desk_of: Maker, kept: str) -> None:
    desk_of().store.meta_set("lessons", kept)

    assert desk_of().store.card("demo/a0") is not None


def test_a_file_that_is_gone_hides_its_module_and_brings_it_back(desk_of: Maker, lesson_path: Path) -> None:
    desk_of()
    text = lesson_path.read_text()
    lesson_path.unlink()
    without = desk_of()
    assert without.store.modules() == []
    assert "no such file" in without.problems[0].message
    lesson_path.write_text(text)
    assert [m.id for m in desk_of().store.modules()] == ["demo"]


def test_one_broken_card_hides_no_other_and_is_named_with_its_line(desk_of: Maker, lesson_path: Path) -> None:
    broken = lesson().replace("> It is a1.\n", ">\n").replace("experiment:small-net", "experiment:small-nett", 1)
    lesson_path.write_text(broken)
    desk = desk_of()
    ids = [card.id for card in desk.store.cards()]
    assert "demo/a0" in ids
    assert "demo/b1" in ids
    assert "demo/a1" not in ids
    messages = [(p.line > 0, p.message) for p in desk.problems]
    assert any(line and "small-nett" in words for line, words in messages)
    assert any(line and "answer" in words for line, words in messages)


def test_a_second_file_with_the_same_module_id_is_named_and_takes_nothing_over(
    desk_of: Maker, lesson_path: Path, tmp_path: Path
) -> None:
    double = lesson_path.with_name("zz-double.md")
    double.write_text(lesson().replace("It is", "It was"), encoding="utf-8")

    desk = desk_of()
    desk.problems = bring_in(desk, [lesson_path, double])

    assert [problem.message for problem in desk.problems if problem.path == str(double)] == [
        "Its module id 'demo' is used by another lesson. Give it another id."
    ]
    card = desk.store.card("demo/a0")
    assert card is not None
    assert card.answer == "It is a0."


def test_nothing_is_read_where_nothing_was_touched_and_a_change_is_seen_by_any_sign(
    desk_of: Maker, lesson_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.set("2099-01-01T10:00")  # long after the file was written
    desk = desk_of()
    opened: list[object] = []
    read = files.read

    def noted(path: Path) -> files.Source:
        opened.append(path)
        return read(path)

    monkeypatch.setattr(files, "read", noted)
    before = lesson_path.stat()

    bring_in(desk)
    assert opened == []

    lesson_path.write_text(lesson_path.read_text().replace("It is a0.", "It is a9."))
    os.utime(lesson_path, ns=(before.st_atime_ns, before.st_mtime_ns))  # the same size and time
    bring_in(desk)
    card = desk.store.card("demo/a0")
    assert card is not None
    assert card.answer == "It is a9."

    desk.store.hide_missing([])  # what is stored is other than the files say
    assert desk.store.modules() == []
    bring_in(desk)
    assert [module.id for module in desk.store.modules()] == ["demo"]


def test_a_file_that_cannot_be_read_is_named_at_every_start(
    desk_of: Maker, lesson_path: Path, watch: Watch
) -> None:
    watch.set("2099-01-01T10:00")
    bad = lesson_path.with_name("bad.md")
    bad.write_bytes(b"\x00" * 100)

    for _ in range(2):
        desk = desk_of()
        assert any("is not text" in problem.message for problem in bring_in(desk, [lesson_path, bad]))
