"""Packages are read, never unpacked; what cannot be read is said in one sentence."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from studyapp.core.errors import DeckError
from studyapp.decks.anki import archive
from studyapp.decks.anki.archive import collection_file
from studyapp.decks.anki.mapping import Deck, read_cards
from studyapp.decks.anki.reader import open_collection
from tests.decks.anki.build import BASIC, CLOZE, PAIR, card, collection, note, package

CASES = Path(__file__).parents[1] / "cases"
NOTICE = "Please update to the latest Anki version, then import the .colpkg/.apkg file again."


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    folder.mkdir()
    yield folder
    assert list(folder.iterdir()) == []


def read(path: Path, beside: Path) -> Deck:
    with collection_file(path, beside) as file, open_collection(file, path.name) as opened:
        return read_cards(opened)


def refusal(path: Path, beside: Path) -> str:
    with pytest.raises(DeckError) as caught:
        read(path, beside)
    assert "\n" not in str(caught.value)
    return caught.value.message


@pytest.mark.parametrize("name", ["F01_legacy.apkg", "F01_new_format.apkg"])
def test_f01_both_generations_give_the_same_four_cards(name: str, beside: Path) -> None:
    if name == "F01_new_format.apkg":
        pytest.importorskip("zstandard")

    deck = read(CASES / name, beside)

    assert (deck.notes, deck.cards, dict(deck.skipped), deck.placeholders) == (4, 5, {"empty front": 1}, 1)
    assert [(one.card.prompt, one.card.answer) for one in deck.taken] == [
        (
            "What does **batch size** buy & cost?  \nSay it first.",
            "Throughput > latency  \nsecond line\n- one\n- two",
        ),
        ("[picture: bus.png] What is this? [sound: hum.mp3]", r"The PCIe bus \\(x^2\\) [latex]y[/latex]"),
        ("A GPU is […], not faster; […] twice", "A GPU is **wider**, not faster; **same cloze** twice"),
        ("A GPU is wider, not [adjective]; same cloze twice", "A GPU is wider, not **faster**; same cloze twice"),
    ]
    assert len({one.card.note for one in deck.taken[2:]}) == 1


def test_f01_the_notice_for_older_programs_never_becomes_a_card(tmp_path: Path, beside: Path) -> None:
    stub = package(
        tmp_path / "x.apkg", [note(1, [NOTICE, ""])], [card(1, 1)], meta=None, member="collection.anki2"
    )

    assert "only Anki's notice" in refusal(stub, beside)


def test_f01_the_newest_format_without_its_library_says_what_to_install(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)

    with pytest.raises(DeckError) as caught:
        read(CASES / "F01_new_format.apkg", beside)

    assert "needs the package zstandard" in caught.value.message
    assert "studyapp[anki]" in caught.value.hint


def test_f03_names_that_lead_outside_are_never_followed(tmp_path: Path, beside: Path) -> None:
    before = set(tmp_path.parent.rglob("*"))

    deck = read(CASES / "F03_traversal.apkg", beside)

    assert [one.card.prompt for one in deck.taken] == ["safe?"]
    assert set(tmp_path.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("F03_not_a_zip.apkg", "is no Anki package"),
        ("F03_truncated.apkg", "is no Anki package, or it is cut off"),
        ("F03_no_collection.apkg", "holds no Anki collection"),
    ],
)
def test_f03_what_is_no_package_is_refused_in_one_sentence(name: str, says: str, beside: Path) -> None:
    assert says in refusal(CASES / name, beside)


def test_f03_a_package_cut_anywhere_is_refused(tmp_path: Path, beside: Path) -> None:
    whole = (CASES / "F01_legacy.apkg").read_bytes()
    cut = tmp_path / "cut.apkg"
    for size in range(0, len(whole) - 1, 7_001):
        cut.write_bytes(whole[:size])

        refusal(cut, beside)


def test_f03_a_damaged_collection_is_refused(tmp_path: Path, beside: Path) -> None:
    made = collection(tmp_path / "c.db", [note(1, ["q", "a"])], [card(1, 1)])
    data = bytearray(made.read_bytes())
    data[200:] = b"\xff" * (len(data) - 200)
    damaged = tmp_path / "x.anki2"
    damaged.write_bytes(data)

    assert "damaged" in refusal(damaged, beside)


def test_a_newer_package_is_refused_by_its_version(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)], meta=b"\x08\x04")

    assert "version 4" in refusal(path, beside)


def test_a_newer_schema_is_refused(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)], schema=19)

    assert "schema 19" in refusal(path, beside)


def test_a_zip_bomb_is_left_alone(tmp_path: Path, beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "FREE_BYTES", 2**16)
    bomb = tmp_path / "bomb.apkg"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("collection.anki2", bytes(2**22))

    assert "larger than" in refusal(bomb, beside)


def test_a_bomb_of_zstd_is_left_alone(tmp_path: Path, beside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard = pytest.importorskip("zstandard")
    monkeypatch.setattr(archive, "FREE_BYTES", 2**16)
    bomb = tmp_path / "bomb.apkg"
    with zipfile.ZipFile(bomb, "w") as made:
        made.writestr("meta", b"\x08\x03")
        made.writestr("collection.anki21b", zstandard.ZstdCompressor().compress(bytes(2**22)))

    assert "larger than" in refusal(bomb, beside)


def test_a_collection_above_the_absolute_limit_is_refused(
    tmp_path: Path, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)])
    monkeypatch.setattr(archive, "MOST_BYTES", 2**14)

    assert "larger than 0 MiB when unpacked." in refusal(path, beside)


def test_a_size_claimed_in_a_header_is_not_believed(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)])
    data = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        size = opened.getinfo("collection.anki21").file_size
    path.write_bytes(data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little")))

    refusal(path, beside)


def test_views_in_place_of_tables_are_refused(tmp_path: Path, beside: Path) -> None:
    made = collection(tmp_path / "x.anki2", [], [])
    with contextlib.closing(sqlite3.connect(made)) as raw:
        raw.executescript("DROP TABLE notes; CREATE VIEW notes AS SELECT 1 AS id")

    assert "no Anki collection" in refusal(made, beside)


def test_several_templates_ask_each_in_its_own_way(tmp_path: Path, beside: Path) -> None:
    notes = [note(1, ["France", "Paris", '<img src="fr.png">'], PAIR), note(2, ["Nauru", "", ""], PAIR)]
    cards = [card(10 * n + o, n, o) for n in (1, 2) for o in range(3)]

    deck = read(package(tmp_path / "x.apkg", notes, cards), beside)

    assert [(one.card.id, one.card.prompt, one.card.answer) for one in deck.taken] == [
        ("anki-guid1:1", "What is the capital of France?", "Paris"),
        ("anki-guid1:2", "Whose capital is Paris?", "France"),
    ]
    assert dict(deck.skipped) == {"need a picture": 1, "empty back": 1, "empty front": 2}


def test_f02_a_package_of_pictures_and_sounds_only_says_what_it_needs(tmp_path: Path, beside: Path) -> None:
    notes = [
        note(1, ['<img src="a.png">', "x"]),
        note(2, ["[sound:a.mp3]", "x"]),
        note(3, ["q", '<img src="b.png">']),
    ]

    deck = read(package(tmp_path / "x.apkg", notes, [card(n, n) for n in (1, 2, 3)]), beside)

    assert deck.taken == []
    assert dict(deck.skipped) == {"need a picture": 2, "need a sound": 1}


def test_a_note_of_an_unknown_type_is_asked_by_its_first_two_fields(tmp_path: Path, beside: Path) -> None:
    deck = read(package(tmp_path / "x.apkg", [note(1, ["q", "a", "more"], 99)], [card(1, 1)]), beside)

    assert [(one.card.prompt, one.card.answer) for one in deck.taken] == [("q", "a")]


def test_tags_flags_and_the_deck_below_come_along(tmp_path: Path, beside: Path) -> None:
    path = package(
        tmp_path / "x.apkg",
        [note(1, ["q", "a"], BASIC, tags=" gpu memory ")],
        [card(1, 1, did=7, flags=3)],
        decks={7: "GPU::Part one"},
    )

    one = read(path, beside).taken[0]

    assert (one.deck, one.card.tags) == ("GPU", ("gpu", "memory", "deck:GPU::Part_one"))
    assert one.flag == "green"


def test_a_cloze_card_whose_gap_was_taken_away_is_counted(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["{{c1::a}} b", ""], CLOZE)], [card(1, 1, 0), card(2, 1, 4)])

    deck = read(path, beside)

    assert [one.card.id for one in deck.taken] == ["anki-guid1:1"]
    assert dict(deck.skipped) == {"empty front": 1}


def test_a_field_too_long_to_say_is_counted(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "x" * 2_000_000])], [card(1, 1)])

    assert dict(read(path, beside).skipped) == {"too long": 1}


def test_a_missing_file_and_one_that_cannot_be_read_are_said(tmp_path: Path, beside: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "none.apkg", beside)
    assert "cannot be read" in refusal(tmp_path, beside)


def test_a_member_that_is_no_collection_is_refused(tmp_path: Path, beside: Path) -> None:
    path = tmp_path / "x.apkg"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("collection.anki2", b"not a database")

    assert "is no Anki collection" in refusal(path, beside)


def test_a_locked_member_is_refused(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)])
    data = path.read_bytes()
    for head, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.index(head, data.index(b"collection.anki21") - 60)
        data = data[: start + at] + b"\x01" + data[start + at + 1 :]
    path.write_bytes(data)

    assert "password" in refusal(path, beside)


def test_damaged_zstd_is_refused(tmp_path: Path, beside: Path) -> None:
    pytest.importorskip("zstandard")
    path = tmp_path / "x.apkg"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("meta", b"\x08\x03")
        made.writestr("collection.anki21b", b"\x28\xb5\x2f\xfd" + b"\xff" * 50)

    assert "is damaged" in refusal(path, beside)


def test_a_collection_without_its_one_row_is_refused(tmp_path: Path, beside: Path) -> None:
    made = collection(tmp_path / "x.anki2", [], [])
    with contextlib.closing(sqlite3.connect(made)) as raw:
        raw.executescript("DELETE FROM col")

    assert "is empty" in refusal(made, beside)


def test_the_newest_collections_own_comparison_of_names_is_known(beside: Path) -> None:
    pytest.importorskip("zstandard")
    path = CASES / "F01_new_format.apkg"

    with collection_file(path, beside) as file, open_collection(file, path.name) as opened:
        found = opened.raw.execute("SELECT name FROM notetypes WHERE name = 'BASIC'").fetchall()

    assert found == [("Basic",)]


def test_cards_without_note_or_template_and_doubles_are_counted(tmp_path: Path, beside: Path) -> None:
    notes = [note(1, ["q", "a"], guid="same"), note(2, ["q", "a"], guid="same"), note(3, ["q", "x" * 150_000])]
    cards = [card(1, 1), card(2, 2), card(3, 99), card(4, 1, 7), card(5, 3)]

    deck = read(package(tmp_path / "x.apkg", notes, cards), beside)

    assert len(deck.taken) == 1
    assert dict(deck.skipped) == {
        "twice in the package": 1,
        "without a note": 1,
        "without a template": 1,
        "too long": 1,
    }


def test_a_picture_inside_the_text_is_only_named(tmp_path: Path, beside: Path) -> None:
    picture = f'<img src="data:image/png;base64,{"A" * 300_000}"> What?'

    deck = read(package(tmp_path / "x.apkg", [note(1, [picture, "a"])], [card(1, 1)]), beside)

    assert [one.card.prompt for one in deck.taken] == ["[picture: data:] What?"]


def test_a_long_note_of_an_unknown_type_is_counted(tmp_path: Path, beside: Path) -> None:
    deck = read(package(tmp_path / "x.apkg", [note(1, ["q", "x" * 250_000], 99)], [card(1, 1)]), beside)

    assert dict(deck.skipped) == {"too long": 1}


OWN = {
    7: ("studyapp QA", 0, ["Front", "Back", "uid", "module", "experiment", "source"], [("{{Front}}", "{{Back}}")])
}


@pytest.mark.parametrize("source", ["", "{not json", "[1]", '{"hash": "of another text"}', "[" * 100_000])
def test_a_note_of_ours_with_a_damaged_source_is_read_from_its_fields(
    source: str, tmp_path: Path, beside: Path
) -> None:
    path = package(
        tmp_path / "x.apkg", [note(1, ["<b>q</b>", "a", "m/c1", "m", "", source], 7)], [card(1, 1)], types=OWN
    )

    one = read(path, beside).taken[0]

    assert (one.card.id, one.card.prompt, one.module, one.deck) == ("m/c1", "**q**", "m", "studyapp::m")


def test_a_note_of_ours_that_was_emptied_is_counted(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["", "a", "m/c1", "m", "", ""], 7)], [card(1, 1)], types=OWN)

    assert dict(read(path, beside).skipped) == {"empty front": 1}


def test_a_source_that_names_unknown_experiments_gives_none(tmp_path: Path, beside: Path) -> None:
    from studyapp.decks.anki.mapping import digest

    links = [{"experiment": "known", "controls": {"n": 1}}, {"experiment": "rm", "controls": 5}, 9]
    source = json.dumps(
        {"hash": digest("q", "a"), "prompt": "q\x1b", "answer": "a", "kind": "evil", "experiments": links}
    )
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a", "m/c1", "m", "", source], 7)], [card(1, 1)], types=OWN)

    with collection_file(path, beside) as file, open_collection(file, path.name) as opened:
        one = read_cards(opened, lambda link: None if link.experiment == "known" else "unknown").taken[0].card

    assert [(link.experiment, link.controls) for link in one.experiments] == [("known", {"n": "1"})]
    assert (one.prompt, one.kind) == ("q␛", "basic")


def test_what_another_import_uses_is_left_alone(tmp_path: Path, beside: Path) -> None:
    path = package(tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1)])

    with collection_file(path, beside) as first, collection_file(path, beside) as second:
        assert first.exists()
        assert second.exists()

    assert list(beside.iterdir()) == []
