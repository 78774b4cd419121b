"""Decks in and out through the command line, on a real data folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import LESSON, Studyapp

CASES = Path(__file__).parents[1] / "decks" / "cases"
DECK = "Q: What is a warp?\nA: Thirty-two lanes in step.\n\nQ: What is latency?\nA: The time of one answer.\n"


@pytest.fixture
def own(home: Path) -> Path:
    """The folder of the learner's own lessons."""
    return home / "data" / "lessons"


@pytest.fixture
def write(home: Path) -> Callable[[str, str], Path]:
    def put(name: str, text: str) -> Path:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return put


def tree(folder: Path) -> dict[str, Any]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def ids(studyapp: Studyapp, *words: str) -> dict[str, str]:
    """Return the ids of the stored cards by question."""
    return {card["prompt"]: card["id"] for card in studyapp("list", "--json", *words).data}


Write = Callable[[str, str], Path]


def test_an_import_ends_with_a_count_line_and_the_second_adds_nothing(
    studyapp: Studyapp, write: Write, own: Path
) -> None:
    path = write("my deck.md", DECK)

    first, second = studyapp("import", str(path)), studyapp("import", str(path))

    assert (first.code, second.code) == (0, 0)
    assert first.out.splitlines()[-1] == "2 cards: 2 new, 0 changed, 0 unchanged"
    assert second.out.splitlines()[-1] == "2 cards: 0 new, 0 changed, 2 unchanged"
    assert [p.name for p in own.iterdir()] == ["my-deck.md"]
    assert path.read_text(encoding="utf-8") == DECK
    assert own.stat().st_mode & 0o777 == 0o700


def test_a_dry_run_lists_the_cards_and_stores_nothing(studyapp: Studyapp, write: Write, home: Path) -> None:
    path = write("deck.md", DECK)

    without_store = studyapp("import", str(path), "--dry-run")

    assert "  line 1    basic   What is a warp?" in without_store.out
    assert without_store.out.splitlines()[-1] == "Nothing was stored. 2 cards: 2 new, 0 changed, 0 unchanged"
    assert not (home / "data").exists()
    studyapp("due")
    before = set(tree(home / "data"))
    with_store = studyapp("import", str(path), "--dry-run", "--json").data
    assert (with_store["new"], with_store["dry_run"], len(with_store["cards"])) == (2, True, 2)
    assert set(tree(home / "data")) == before
    assert ids(studyapp, "warp?") == {}


def test_the_json_of_an_import_names_cards_problems_and_what_was_left(studyapp: Studyapp) -> None:
    result = studyapp("import", str(CASES / "F07_multiline_hash.csv"), "--json")

    assert result.code == 1
    assert [set(card) >= {"id", "kind", "prompt", "answer", "experiments"} for card in result.data["cards"]] == [
        True
    ] * 2
    assert [problem["line"] for problem in result.data["problems"]] == [8, 9, 10]
    assert all({"line", "reason"} <= set(left) for left in result.data["left_out"])


def test_an_imported_file_is_studied_from_then_on_and_may_be_edited(
    studyapp: Studyapp, write: Write, own: Path
) -> None:
    studyapp("import", str(write("deck.md", DECK)))
    name = ids(studyapp, "warp?")["What is a warp?"]
    studyapp("answer", name, "good")
    copy = own / "deck.md"
    copy.write_text(copy.read_text(encoding="utf-8").replace("Thirty-two", "32"), encoding="utf-8")

    shown = studyapp("show", name, "--json").data

    assert (shown["answer"], shown["reps"]) == ("32 lanes in step.", 1)


def test_b06_typo_rename_insertion_and_move_keep_the_history(studyapp: Studyapp, write: Write, home: Path) -> None:
    before = (CASES / "B06_before.md").read_text(encoding="utf-8")
    path = write("a/deck.md", before)
    studyapp("import", str(home / "a"))
    known = ids(studyapp, "utilisation?") | ids(studyapp, "force?")
    for name in known.values():
        studyapp("answer", name, "good")

    path.write_text(
        "Q: Quite new?\nA: Yes, at the top.\n\n" + (CASES / "B06_after_typo_fixed.md").read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    edited = studyapp("import", str(home / "a"), "--json").data
    assert (edited["new"], edited["changed"], edited["unchanged"]) == (1, 1, 1)

    path.rename(home / "a" / "renamed.md")
    renamed = studyapp("import", str(home / "a"), "--json").data
    assert (renamed["new"], renamed["changed"], renamed["unchanged"]) == (0, 0, 3)

    text = (home / "a" / "renamed.md").read_text(encoding="utf-8")
    moved = "Q: What does .item() force?\nA: A synchronisation.\n"
    write("a/renamed.md", text.replace(moved, ""))
    write("a/another.md", moved)
    after = studyapp("import", str(home / "a"), "--json").data
    assert (after["new"], after["gone"]) == (0, 0)
    assert [studyapp("show", name, "--json").data["reps"] for name in known.values()] == [1, 1]


def test_b06_a_card_edited_and_moved_at_once_is_asked_about_and_linked_by_its_id(
    studyapp: Studyapp, write: Write, home: Path, own: Path
) -> None:
    first, second = DECK.split("\n\n")
    write("in/a.md", DECK)
    write("in/b.md", "Q: Something else altogether?\nA: Indeed.\n")
    studyapp("import", str(home / "in"))
    old = ids(studyapp, "latency?")["What is latency?"]
    studyapp("answer", old, "good")

    write("in/a.md", first)
    write(
        "in/b.md",
        "Q: Something else altogether?\nA: Indeed.\n\n" + second.replace("one answer", "a single answer"),
    )
    asked = studyapp("import", str(home / "in"))

    line = next(line for line in asked.out.splitlines() if "alike" in line)
    new = line.split(" and ")[1].split(" ")[0]
    assert line.startswith(f"{old} went and {new} came, 9")
    copy = own / "b.md"
    copy.write_text(copy.read_text(encoding="utf-8").replace(f"id: {new}", f"id: /{old}"), encoding="utf-8")
    linked = studyapp("show", old, "--json").data
    assert (linked["reps"], linked["answer"]) == (1, "The time of a single answer.")


def test_b06_a_card_that_was_deleted_and_put_back_has_its_history(studyapp: Studyapp, write: Write) -> None:
    path = write("deck.md", DECK)
    studyapp("import", str(path))
    name = ids(studyapp, "latency?")["What is latency?"]
    studyapp("answer", name, "good")

    write("deck.md", DECK.partition("\n\n")[0])
    gone = studyapp("import", str(path))
    write("deck.md", DECK)
    studyapp("import", str(path))

    assert gone.out.splitlines()[-1] == "1 card: 0 new, 0 changed, 1 unchanged, 1 gone (history kept)"
    assert studyapp("show", name, "--json").data["reps"] == 1
    assert ids(studyapp, "latency?") == {"What is latency?": name}


def test_b03_line_ends_and_a_byte_order_mark_change_nothing(studyapp: Studyapp, home: Path) -> None:
    path = home / "deck.md"
    path.write_bytes((CASES / "B03_lf.md").read_bytes())
    studyapp("import", str(path))

    path.write_bytes((CASES / "B03_crlf_bom.md").read_bytes())

    assert studyapp("import", str(path)).out.splitlines()[-1] == "2 cards: 0 new, 0 changed, 2 unchanged"


def test_a_copy_edited_here_is_never_overwritten(studyapp: Studyapp, write: Write, own: Path) -> None:
    path = write("deck.md", DECK)
    studyapp("import", str(path))
    copy = own / "deck.md"
    mine = copy.read_text(encoding="utf-8") + "\nQ: My own?\nA: Yes. <!-- x -->\n"
    copy.write_text(mine, encoding="utf-8")

    same = studyapp("import", str(path))
    write("deck.md", DECK.replace("lanes", "threads"))
    other = studyapp("import", str(path))

    assert same.code == 0
    assert other.code == 1
    assert "was changed, and so was its copy" in other.err
    assert copy.read_text(encoding="utf-8") == mine


def test_b12_the_page_becomes_a_lesson_that_check_can_read(studyapp: Studyapp, own: Path) -> None:
    result = studyapp("import", str(CASES / "B12_lesson.md"), "--json").data

    kinds = [card["kind"] for card in result["cards"]]
    assert (kinds.count("faq"), kinds.count("say")) == (4, 3)
    assert [left["line"] for left in result["left_out"]] == [29, 33]
    checked = studyapp("check", str(own / "b12-lesson.md"), "--json")
    assert checked.data["problems"] == []
    assert [card["id"] for card in checked.data["cards"]] == [card["id"] for card in result["cards"]]
    assert studyapp("import", str(CASES / "B12_lesson.md"), "--json").data["unchanged"] == 7


def test_b08_one_bad_file_never_stops_the_others_and_nothing_is_written_elsewhere(
    studyapp: Studyapp, write: Write, home: Path
) -> None:
    good = write("in/good.md", DECK)
    write("in/twice.md", DECK.replace("\n", "\r\n"))
    write("in/conflict.md", "Q: a\n<<<<<<< HEAD\nA: b\n=======\nA: c\n>>>>>>> other\n")
    write("in/empty.md", "")
    write("in/sub/good.md", "Q: other?\nA: yes\n")
    (home / "in" / "binary.md").write_bytes(bytes(range(256)) * 40)
    (home / "in" / "loop").symlink_to(".")
    os.mkfifo(home / "in" / "pipe.md")
    with (home / "in" / "big.md").open("wb") as file:
        file.truncate(300 * 1024 * 1024)

    result = studyapp("import", str(home / "in"))

    assert result.code == 1
    assert result.out.splitlines()[-1] == "3 cards: 3 new, 0 changed, 0 unchanged; 7 problems"
    told = {Path(line.partition(":")[0]).name: line for line in result.err.splitlines()}
    assert "has the same text as" in told["twice.md"]
    assert "merge conflict" in told["conflict.md"]
    assert "300 MiB" in told["big.md"]
    assert sorted(told) == ["big.md", "binary.md", "conflict.md", "empty.md", "loop", "pipe.md", "twice.md"]
    assert sorted(p.name for p in (home / "data" / "lessons").iterdir()) == ["good.md", "sub-good.md"]
    assert good.read_text(encoding="utf-8") == DECK
    assert sorted(p.name for p in home.iterdir()) == ["data", "in"]


def test_b06_a_card_that_moves_to_another_file_of_the_folder_is_not_counted_as_gone(
    studyapp: Studyapp, write: Write, home: Path
) -> None:
    one, two = write("in/a.md", DECK), write("in/b.md", "Q: What is HBM?\nA: Stacked memory.\n")
    studyapp("import", str(home / "in"))
    name = ids(studyapp, "latency?")["What is latency?"]
    studyapp("answer", name, "good")
    first, moved = DECK.split("\n\n")
    one.write_text(f"{first}\n")
    two.write_text(f"{two.read_text()}\n{moved}")

    again = studyapp("import", str(home / "in"))

    assert again.out.splitlines()[-1] == "3 cards: 0 new, 1 changed, 2 unchanged"
    assert ids(studyapp, "latency?") == {"What is latency?": name}


def test_b08_the_name_of_a_file_is_shown_and_never_sent(studyapp: Studyapp, write: Write, home: Path) -> None:
    write("in/a\x1b[31m\nb.md", DECK)
    (home / "in" / "noise.md").write_bytes(bytes(range(256)))

    brought, checked = studyapp("import", str(home / "in")), studyapp("check", str(home / "in"))

    for said in (brought.out + brought.err, checked.out + checked.err):
        assert "\x1b" not in said
        assert "a␛[31m␊b.md" in said
    assert "noise.md" not in checked.out
    assert checked.err.count("noise.md") == 1


def test_ids_of_another_lesson_are_not_taken_over(studyapp: Studyapp, write: Write, lesson: Path) -> None:
    stolen = studyapp("import", str(write("other.md", LESSON.replace("Thirty-two lanes", "Lanes"))))
    bare = studyapp("import", str(write("bare.md", "Q: a <!-- id: /demo/needs -->\nA: b\n")))

    assert (stolen.code, bare.code) == (1, 1)
    assert "its module id 'demo' belongs to" in stolen.err
    assert "its card id 'demo/needs' (line 1) is used in" in bare.err
    assert studyapp("show", "demo/needs", "--json").data["path"] == str(lesson)


def test_a_store_that_cannot_be_written_leaves_no_file_behind(
    studyapp: Studyapp, write: Write, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studyapp("import", str(write("deck.md", DECK)))
    before = tree(own)

    from studyapp.core.errors import StoreError
    from studyapp.store.database import Store

    def fail(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", "Make room.")

    monkeypatch.setattr(Store, "save_modules", fail)
    write("deck.md", DECK.replace("lanes", "threads"))
    result = studyapp("import", str(write("new.md", "Q: n?\nA: m\n")).replace("new.md", ""))

    assert result.code == 3
    assert tree(own) == before


def test_what_cannot_be_imported_is_said_in_one_line(studyapp: Studyapp, write: Write) -> None:
    rst = studyapp("import", str(write("faq.rst", "Title\n=====\n")))
    nothing = studyapp("import", "/nowhere/at/all.md")
    broken = studyapp("import", str(write("x.json", "{")))
    foreign = studyapp("import", str(write("y.json", "[]")))
    newer = studyapp(
        "import",
        str(
            write(
                "z.json",
                json.dumps(
                    {
                        "studyapp_export": 99,
                        "lessons": [],
                        "record": {"studyapp": "", "schema": "", "columns": {}, "rows": {}},
                    }
                ),
            )
        ),
    )

    assert "reStructuredText" in rst.err
    assert rst.out.splitlines()[-1] == "0 cards: 0 new, 0 changed, 0 unchanged; 1 problem"
    assert [r.code for r in (rst, nothing, broken, foreign, newer)] == [1] * 5
    assert "cannot be found" in nothing.err
    assert "is not JSON" in broken.err
    assert "is no export of studyapp" in foreign.err
    assert "newer format (99)" in newer.err


def test_everything_goes_out_as_json_and_comes_in_again_elsewhere(
    studyapp: Studyapp, write: Write, home: Path, lesson: Path
) -> None:
    studyapp("import", str(write("deck.md", DECK)))
    name = next(i for i in ids(studyapp, "warp?").values() if i != "demo/warp")
    studyapp("answer", name, "good")
    studyapp("answer", "demo/needs", "hard")
    out = home / "all.json"

    done = studyapp("export", str(out), "--json").data
    first = studyapp("import", str(out), where=home / "elsewhere")
    second = studyapp("import", str(out), where=home / "elsewhere")

    assert done["reviews"] == 2
    assert (first.code, second.code) == (0, 0)
    assert first.out.splitlines()[-1] == "2 cards: 2 new, 0 changed, 0 unchanged, 2 reviews added"
    assert "0 new" in second.out.splitlines()[-1]
    assert "added" not in second.out.splitlines()[-1]
    here = studyapp("show", name, "--json").data
    there = studyapp("show", name, "--json", where=home / "elsewhere").data
    assert {k: here[k] for k in here if k != "path"} == {k: there[k] for k in there if k != "path"}
    assert there["reps"] == 1
    document = json.loads(out.read_text(encoding="utf-8"))
    assert {"lessons", "modules", "record", "exported_at", "version"} <= set(document)


def test_lessons_go_out_as_markdown_with_the_ids_they_are_remembered_by(
    studyapp: Studyapp, write: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_LESSONS", str(write("loose.md", DECK)))
    known = ids(studyapp, "latency?")

    studyapp("export", str(home / "out"))
    single = studyapp("export", str(home / "one.md"), "--module", "loose")

    text = (home / "out" / "loose.md").read_text(encoding="utf-8")
    assert f"Q: What is latency? <!-- id: {known['What is latency?']} -->" in text
    assert single.code == 0
    assert (home / "one.md").read_text(encoding="utf-8") == text
    assert "gpus-and-cpus.md" in [p.name for p in (home / "out").iterdir()]


def test_cards_go_out_as_a_table_and_come_in_again(studyapp: Studyapp, home: Path, lesson: Path) -> None:
    studyapp("export", str(home / "demo.csv"), "--module", "demo")

    again = studyapp("import", str(home / "demo.csv"))
    lesson.unlink()
    elsewhere = studyapp("import", str(home / "demo.csv"), "--json", where=home / "elsewhere").data

    assert "card demo/needs is here already" in again.out
    (first, *_) = elsewhere["cards"]
    assert tuple(first[name] for name in ("id", "kind", "prompt", "key_points", "experiments")) == (
        "demo/needs", "say", "What does backward need?", ["outputs", "kept by forward"],
        [{"experiment": "kept", "controls": {"batch": "8"}}],
    )  # fmt: skip


def test_an_export_never_overwrites_and_names_what_there_is(studyapp: Studyapp, home: Path, write: Write) -> None:
    taken = studyapp("export", str(write("there.json", "x")))
    unknown = studyapp("export", str(home / "x.csv"), "--module", "nosuch")

    assert [r.code for r in (taken, unknown)] == [2, 2]
    assert (home / "there.json").read_text(encoding="utf-8") == "x"
    assert "There is: gpus-and-cpus" in unknown.err


def test_one_markdown_file_holds_one_module(studyapp: Studyapp, home: Path, lesson: Path) -> None:
    many = studyapp("export", str(home / "x.md"))

    assert (many.code, "One Markdown file holds one module." in many.err) == (2, True)
    assert not (home / "x.md").exists()


def test_ids_are_listed_then_written_and_the_history_goes_on(
    studyapp: Studyapp, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("loose.md", DECK.replace("\n", "\r\n"))
    monkeypatch.setenv("STUDYAPP_LESSONS", str(path))
    name = ids(studyapp, "latency?")["What is latency?"]
    studyapp("answer", name, "good")

    listed = studyapp("ids", str(path))
    assert listed.out.splitlines()[-1] == "2 cards without an id."
    assert path.read_bytes() == DECK.replace("\n", "\r\n").encode()

    written = studyapp("ids", "--write", str(path), "--json").data
    assert {card["id"] for card in written["cards"]} >= {name}
    assert all(card["written"] for card in written["cards"])
    text = path.read_bytes()
    assert f"Q: What is latency? <!-- id: {name} -->\r\n".encode() in text
    assert b"\n" not in text.replace(b"\r\n", b"")
    assert studyapp("show", name, "--json").data["reps"] == 1
    assert studyapp("ids", str(path)).out.splitlines()[-1] == "0 cards without an id."


def test_siblings_of_one_sentence_keep_their_history_when_it_gets_an_id(
    studyapp: Studyapp, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("gaps.md", "---\nid: gaps\n---\nC: A {{c1::warp}} has {{c2::32}} lanes.\n")
    monkeypatch.setenv("STUDYAPP_LESSONS", str(path))
    known = sorted(ids(studyapp, "gaps").values())
    assert [name.partition(":")[2] for name in known] == ["c1", "c2"]
    assert known[0].partition(":")[0] == known[1].partition(":")[0]
    studyapp("answer", known[1], "good")

    studyapp("ids", "--write", str(path))

    assert sorted(ids(studyapp, "gaps").values()) == known
    assert studyapp("show", known[1], "--json").data["reps"] == 1


def test_a_new_module_is_faultless_and_never_overwrites(studyapp: Studyapp, home: Path) -> None:
    made = studyapp("new-module", str(home / "transformer-notes"))
    again = studyapp("new-module", str(home / "transformer-notes.md"))
    wrong = studyapp("new-module", str(home / "x.docx"))

    assert made.code == 0
    checked = studyapp("check", str(home / "transformer-notes.md"), "--json")
    assert (checked.code, checked.data["problems"], checked.data["left_out"]) == (0, [], [])
    assert len(checked.data["cards"]) == 4
    assert (again.code, wrong.code) == (2, 2)
    assert "title: Transformer notes" in (home / "transformer-notes.md").read_text(encoding="utf-8")


def test_f01_f05_an_anki_package_comes_in_once_and_goes_out_again(studyapp: Studyapp, home: Path) -> None:
    package = Path(__file__).parents[1] / "decks" / "cases" / "F01_legacy.apkg"
    first = studyapp("import", str(package), "--json")
    again = studyapp("import", str(package), "--json").data
    out = studyapp("export", str(home / "out.apkg"), "--json").data

    assert first.data["new"] > 0
    assert (again["new"], again["unchanged"]) == (0, first.data["new"])
    assert out["cards"] >= first.data["new"]
    assert (home / "out.apkg").stat().st_size > 0


def test_a_folder_brings_its_packages_of_anki_too_and_a_broken_one_stops_no_other(
    studyapp: Studyapp, tmp_path: Path
) -> None:
    cases = CASES
    folder = tmp_path / "mine"
    (folder / "old").mkdir(parents=True)
    (folder / "deck.md").write_text("Q: one? {#a}\nA: 1\n")
    shutil.copy(cases / "F01_legacy.apkg", folder / "old")
    shutil.copy(cases / "F03_truncated.apkg", folder)

    planned = studyapp("import", str(folder), "--dry-run", "--json").data
    first = studyapp("import", str(folder))
    second = studyapp("import", str(folder), "--json")

    assert [one["new"] for one in planned["packages"]] == [4]
    assert "F01_legacy.apkg: 4 notes, 5 cards: 4 made (4 new," in first.out
    assert "1 card: 1 new" in first.out
    assert "F03_truncated.apkg: is no Anki package" in first.err
    assert first.code == 1
    assert [(one["new"], one["unchanged"]) for one in second.data["packages"]] == [(0, 4)]
    assert (second.data["new"], second.data["unchanged"]) == (0, 1)


def test_check_shows_cards_as_the_learner_will_see_them(studyapp: Studyapp, tmp_path: Path) -> None:
    (tmp_path / "deck.md").write_text("Q: **Number:** How many *lanes*? {#lanes}\nA: Exactly 32.\n")

    result = studyapp("check", str(tmp_path / "deck.md"), "--preview")

    assert result.out.splitlines()[:5] == [
        "lanes (numeric, line 1)",
        "How many lanes?",
        "(The learner gives a number first.)",
        "",
        "  Exactly 32.",
    ]


def test_a_line_names_its_place_once_and_a_remark_is_not_called_left_out(
    studyapp: Studyapp, write: Write, home: Path
) -> None:
    path = write("in/x.csv", "front;back\nq;a\n")
    conflict = write("in/y.md", "Q: a\n<<<<<<< HEAD\nA: b\n=======\nA: c\n>>>>>>> other\n")
    binary = home / "in" / "z.md"
    binary.write_bytes(bytes(range(256)) * 40)

    result = studyapp("import", str(home / "in"), "--dry-run")

    assert (
        f"{path}:1: note: read as a table: delimiter ';' (semicolon), front = column 1, back = column 2"
        in result.out
    )
    assert "left out" not in result.out
    assert result.err.splitlines() == [
        f"{conflict}:2 holds a merge conflict. Settle it; until then the file is left out.",
        f"{binary}: is not UTF-8 text. Save it as UTF-8.",
    ]


def test_a_table_of_cards_from_anki_keeps_their_ids(studyapp: Studyapp, home: Path) -> None:
    studyapp("import", str(Path(__file__).parents[1] / "decks" / "cases" / "F01_legacy.apkg"))
    before = [card["id"] for card in studyapp("list", "id:anki-", "--json").data]
    module = studyapp("list", "id:anki-", "--json").data[0]["module"]
    studyapp("export", "--module", module, str(home / "t.csv"))

    back = studyapp("--data-dir", str(home / "other"), "import", str(home / "t.csv"), "--json").data

    assert (back["new"], back["problems"]) == (len(before), [])
    found = studyapp("--data-dir", str(home / "other"), "list", "id:anki-", "--json").data
    assert sorted(card["id"] for card in found) == sorted(before)


def test_the_json_of_cards_from_anki_comes_back_into_an_empty_store_as_they_were(
    studyapp: Studyapp, home: Path
) -> None:
    package, elsewhere = CASES / "F01_legacy.apkg", home / "other"
    studyapp("import", str(package))
    before = studyapp("list", "id:anki-", "--json").data
    gaps = [card["id"] for card in before if card["kind"] == "cloze"]
    studyapp("answer", gaps[0], "3")
    studyapp("export", str(home / "all.json"))

    tried = studyapp("import", "--dry-run", str(home / "all.json"), where=elsewhere)
    first = studyapp("import", str(home / "all.json"), where=elsewhere)
    second = studyapp("import", str(home / "all.json"), where=elsewhere)

    assert [r.code for r in (tried, first, second)] == [0, 0, 0]
    assert tried.out == "Nothing was stored. 4 cards: 4 new, 0 changed, 0 unchanged\n"
    assert first.out.splitlines()[-1].startswith("4 cards: 4 new, 0 changed, 0 unchanged, ")
    assert second.out.splitlines()[-1] == "4 cards: 0 new, 0 changed, 4 unchanged"
    assert len({name.partition(":")[0] for name in gaps}) == 1
    assert len(gaps) == 2
    here, there = (studyapp("list", "id:anki-", "--json", where=w).data for w in (home / "data", elsewhere))
    assert there == here != before
    assert "0 new, 0 changed, 4 unchanged" in studyapp("import", str(package), where=elsewhere).out


def test_the_json_of_an_older_version_that_has_a_lesson_for_cards_from_anki_is_read_alike(
    studyapp: Studyapp, home: Path
) -> None:
    studyapp("import", str(CASES / "F01_legacy.apkg"))
    studyapp("export", str(home / "all.json"))
    document = json.loads((home / "all.json").read_text())
    name = next(m["id"] for m in document["modules"] if m["cards"] and m["cards"][0]["id"].startswith("anki-"))
    lesson = {
        "module": name,
        "name": f"{name}.md",
        "text": f"---\nid: {name}\n---\n\nQ: One? <!-- id: x -->\nA: 1.\n",
    }
    (home / "all.json").write_text(json.dumps(document | {"lessons": [lesson]}))

    back = studyapp("import", str(home / "all.json"), where=home / "other")

    assert back.out.splitlines()[-1].startswith("4 cards: 4 new")
    found = studyapp("list", "id:anki-", "--json", where=home / "other").data
    assert sorted(card["kind"] for card in found) == ["basic", "basic", "cloze", "cloze"]


PAGE = """<!doctype html><html><head><title>Feeding | A site</title></head><body>
<h1>Feeding the GPU</h1><p>Whoever trains on pictures meets this.</p>
<h2>Workers</h2><p>One for each core.</p>
<h2>FAQ</h2><h3>How many workers?</h3><p>As many as cores.</p></body></html>"""


def test_check_says_of_a_page_what_an_import_makes_of_it(studyapp: Studyapp, write: Write) -> None:
    path = str(write("page.html", PAGE))

    checked, brought = studyapp("check", path, "--json").data, studyapp("import", path, "--json").data
    said = studyapp("check", path).out

    found = [(card["line"], card["prompt"]) for card in (*checked["cards"], *checked["added"])]
    assert sorted(found) == sorted((card["line"], card["prompt"]) for card in brought["cards"])
    assert [card["prompt"] for card in checked["added"]] == [
        "What is the one-line takeaway of “Feeding the GPU”?",
        "What does “Feeding the GPU” say about “Workers”?",
    ]
    assert "page.html: an import adds 2 prompts, for sections that nothing asks about:" in said


def test_check_names_the_prompts_for_a_text_without_questions_too(studyapp: Studyapp, write: Write) -> None:
    path = str(write("notes.md", "# Width\n\nThreads are many.\n\n## Batches\n\nThey fill it.\n"))

    checked, brought = studyapp("check", path, "--json").data, studyapp("import", path, "--json").data

    assert checked["cards"] == []
    assert [c["prompt"] for c in checked["added"]] == [c["prompt"] for c in brought["cards"]]
    assert len(brought["cards"]) == 2


FLAT = (CASES / "B12_flat.txt").read_text(encoding="utf-8")


def test_a_text_without_a_title_is_named_at_the_import_and_keeps_the_name(
    studyapp: Studyapp, write: Write, own: Path
) -> None:
    path = str(write("text.txt", FLAT))
    tried = studyapp("import", "--dry-run", path)

    named = studyapp("import", "--title", "Width  before speed", path)
    again = studyapp("import", path)

    assert "text.txt:1: note: no title in the text, so it is called 'text' like its file" in tried.out
    assert "note: no title" not in named.out
    assert "title: Width before speed\n" in (own / "text.md").read_text()
    assert "“Width before speed”" in (own / "text.md").read_text()
    assert again.out.splitlines()[-1].startswith("6 cards: 0 new, 0 changed, 6 unchanged")


def test_a_short_first_line_is_a_texts_title(studyapp: Studyapp, write: Write, own: Path) -> None:
    studyapp("import", str(write("text.txt", f"Width before speed\n{FLAT}")))

    text = (own / "text.md").read_text()
    assert "title: Width before speed\n" in text
    assert text.count("Width before speed") == 4  # title, heading, two prompts


@pytest.mark.parametrize("deck", [DECK, f"---\ntitle: Old\nid: d\n---\n\n{DECK}", "front :: back\none :: two\n"])
def test_any_file_can_be_given_a_title(studyapp: Studyapp, write: Write, deck: str) -> None:
    path = str(write("deck.md", deck))

    studyapp("import", "--title", "Warps: a start", path)
    again = studyapp("import", path)

    document = studyapp("export", str(Path(path).with_name("all.json")))
    found = json.loads(Path(path).with_name("all.json").read_text())["modules"]
    assert document.code == 0
    assert "Warps: a start" in [module["title"] for module in found]
    assert again.out.splitlines()[-1] == "2 cards: 0 new, 0 changed, 2 unchanged"


def test_a_copy_that_was_edited_keeps_its_title_and_that_is_said(
    studyapp: Studyapp, write: Write, own: Path
) -> None:
    path = str(write("deck.md", DECK))
    studyapp("import", "--title", "One", path)
    copy = own / "deck.md"
    copy.write_text(copy.read_text() + "\nQ: Mine?\nA: Yes. <!-- id: mine -->\n")

    again = studyapp("import", "--title", "Two", path)

    assert "note: its copy deck.md was edited, so the title stays; change it there" in again.out
    assert "title: One\n" in copy.read_text()


def test_a_title_belongs_to_one_text(studyapp: Studyapp, home: Path, write: Write) -> None:
    folder = studyapp("import", "--title", "X", str(write("in/deck.md", DECK).parent))
    package = studyapp("import", "--title", "X", str(CASES / "F01_legacy.apkg"))

    assert (folder.code, package.code) == (2, 2)
    assert "--title names one lesson" in folder.err


def test_what_would_be_taken_is_listed_with_its_line_in_the_source(studyapp: Studyapp, write: Write) -> None:
    path = write("deck.md", f"Words above.\n\n{DECK}")

    tried = studyapp("import", "--dry-run", "--title", "T", str(path))
    brought = studyapp("import", "--title", "T", str(path), "--json").data

    assert "  line 3    basic   What is a warp?\n  line 6    basic   What is latency?\n" in tried.out
    assert [(card["path"], card["line"]) for card in brought["cards"]] == [(str(path), 3), (str(path), 6)]


def test_what_check_does_not_read_and_an_empty_folder_are_said_in_one_line(studyapp: Studyapp, home: Path) -> None:
    (home / "empty").mkdir()
    (home / "all.json").write_text("{}")

    package = studyapp("check", str(CASES / "F01_legacy.apkg"))
    record = studyapp("check", str(home / "all.json"))
    empty = studyapp("import", str(home / "empty"))
    nowhere = studyapp("export", "/proc/x/all.json")

    assert [r.code for r in (package, record, empty, nowhere)] == [1, 1, 1, 2]
    assert all("is no text to check" in r.err and "import --dry-run" in r.err for r in (package, record))
    assert "empty: holds nothing that is read" in empty.err
    assert "/proc/x/all.json cannot be written" in nowhere.err


def test_rows_of_any_shape_in_an_export_harm_nobody(studyapp: Studyapp, home: Path, write: Write) -> None:
    studyapp("import", str(write("deck.md", DECK)))
    studyapp("export", str(home / "all.json"))
    document = json.loads((home / "all.json").read_text())
    rows = document["record"]["rows"]
    rows["challenges"] = [
        [1],
        {"x": 1},
        ["u", "s", 5, "{}", "[]"],
        ["v", "s", "not a number", "{}", "{}"],
        [None] * 5,
    ]
    rows["modules"] += ["z", [["x"], 1]]
    rows["cards"] += [[1, 2], [["x"], ["y"]]]
    document["lessons"].append({"module": ["x"], "name": "../../evil", "text": "Q: a\nA: b\n"})
    (home / "bad.json").write_text(json.dumps(document))

    back = studyapp("import", str(home / "bad.json"), where=home / "other")
    again = studyapp("import", str(home / "bad.json"), where=home / "other")

    assert (back.code, again.code) == (1, 1)
    assert "damaged rows of the record, left out" in back.err
    assert back.out.splitlines()[-1].startswith("3 cards: 3 new")
    assert again.out.splitlines()[-1].startswith("3 cards: 0 new")
    assert not list(home.rglob("evil*")) or [p.parent.name for p in home.rglob("evil*")] == ["lessons"]


def test_one_module_in_json_brings_its_own_record_and_no_other(
    studyapp: Studyapp, write: Write, home: Path
) -> None:
    studyapp("import", str(write("deck.md", DECK)))
    cards = [card["id"] for card in studyapp("list", "module:deck", "--json").data]
    shipped = studyapp("list", "module:gpus", "--json").data[0]["id"]
    for card in (cards[0], shipped):
        studyapp("answer", card, "good")

    said = studyapp(
        "export", str(home / "deck.json"), "--module", studyapp("show", cards[0], "--json").data["module"]
    )
    back = studyapp("--data-dir", str(home / "other"), "import", str(home / "deck.json"))

    assert said.out.startswith("2 cards and 1 review in ")
    assert back.out.splitlines()[-1] == "2 cards: 2 new, 0 changed, 0 unchanged, 1 review added"
    assert studyapp("--data-dir", str(home / "other"), "list", "rated:1", "--json").data[0]["id"] == cards[0]
