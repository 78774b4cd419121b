"""A folder of everything that goes wrong: one line each with what and where, the rest taken, nothing half done."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from studyapp.decks.anki import archive
from tests.cli.conftest import Studyapp

DECK = "Q: What is good? <!-- id: good -->\nA: This card.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(archive, "FREE_BYTES", 2**20)
    place = tmp_path / "mess"
    place.mkdir()
    (place / "a-good.md").write_text(DECK)
    (place / "b-conflict.md").write_text(f"{DECK}<<<<<<< HEAD\nA: one\n=======\nA: two\n>>>>>>> other\n")
    (place / "c-double.md").write_text(DECK)
    (place / "d-utf16-without-mark.md").write_bytes(DECK.encode("utf-16-le"))
    (place / "e-latin1.md").write_bytes("Q: Größe? <!-- id: size -->\nA: groß\n".encode("latin-1"))
    (place / "f-binary.md").write_bytes(b"\x7fELF" + bytes(range(256)) * 64)
    (place / "g-field.csv").write_text('What is long?,"' + "x" * 20_000_000 + '"\nWhat is short?,this\n')
    with (place / "h-huge.md").open("wb") as file:
        file.truncate(300 * 2**20)
    (place / "i-loop").symlink_to(place)
    (place / "j-nowhere.md").symlink_to(place / "nothing")
    os.mkfifo(place / "k-pipe.md")
    with zipfile.ZipFile(place / "l-bomb.apkg", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("collection.anki21", b"SQLite format 3\0" + b"\0" * 2**21)
    (place / "m-hostile.md").write_text("Q: What is \x1b[31mred\u202e? <!-- id: red -->\nA: text\n")
    (place / "n-text.apkg").write_text("no archive")
    return place


def test_b08_f03_each_bad_file_gets_its_line_and_the_rest_is_imported(
    studyapp: Studyapp, home: Path, folder: Path
) -> None:
    before = sorted(path for path in home.rglob("*") if "data" not in path.parts)

    result = studyapp("import", str(folder), "--json")

    said = {Path(problem["path"]).name: problem["message"] for problem in result.data["problems"]}
    for name, words in {
        "b-conflict.md": "holds a merge conflict",
        "c-double.md": "has the same text as",
        "d-utf16-without-mark.md": "UTF-16 without a byte order mark",
        "e-latin1.md": "a byte here is not valid UTF-8",
        "f-binary.md": "is not",
        "g-field.csv": "a cell of 20,000,000 characters",
        "h-huge.md": "is 300 MiB large, more than the 4 MiB that are read",
        "i-loop": "leads back to a folder that was read already",
        "j-nowhere.md": "leads nowhere",
        "k-pipe.md": "is a pipe, socket or device",
        "l-bomb.apkg": "larger than 1 MiB when unpacked",
        "n-text.apkg": "is no Anki package",
    }.items():
        assert words in said[name], name
    assert "\n" not in "".join(said.values())
    assert result.code == 1
    taken = {card["prompt"]: card["answer"] for card in result.data["cards"]}
    assert taken["What is good?"] == "This card."
    assert taken["What is short?"] == "this"
    assert "What is ␛[31mred" in " ".join(taken)
    assert not any(sign in result.out for sign in "\x1b\u202e")
    assert sorted(path for path in home.rglob("*") if "data" not in path.parts) == before
    (folder / "g-field.csv").unlink()  # a second time it costs no less
    assert studyapp("import", str(folder), "--json").data["new"] == 0


def test_a_pipe_named_as_a_package_is_refused_and_not_waited_for(studyapp: Studyapp, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.apkg")

    result = studyapp("import", str(tmp_path / "pipe.apkg"), "--json")

    assert "is no file" in result.error["message"]
