"""Files and folders: every encoding, every oddity, one sentence each."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from studyapp.core.errors import DeckError
from studyapp.decks import files
from studyapp.decks.files import MAX_BYTES, Entry, glance, read, scan
from studyapp.decks.load import load

TEXT = "Q: Größe?\nA: 3 µs → gut\n"
DIGEST = "9acdc048286154294195e8cbe3228f3a"


def refusal(path: Path) -> str:
    with pytest.raises(DeckError) as caught:
        read(path)
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_b03_the_same_text_in_any_encoding_has_one_digest(tmp_path: Path, encoding: str, line_end: str) -> None:
    path = tmp_path / "deck.md"
    path.write_bytes(TEXT.replace("\n", line_end).encode(encoding))

    source = read(path)

    assert source.text == TEXT
    assert source.problems == ()
    assert source.digest == DIGEST


def test_b03_big_endian_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_bytes(b"\xfe\xff" + TEXT.encode("utf-16-be"))

    assert read(path).text == TEXT


def test_b03_an_invalid_byte_is_reported_by_line_and_loses_no_card(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_bytes(b"Q: one\r\nA: gr\xf6sse\r\n\r\nQ: two\r\nA: fine\r\n")

    (parsed,) = load(path)

    assert [card.answer for card in parsed.module.cards] == ["gr\ufffdsse", "fine"]
    assert [(problem.line, problem.path) for problem in parsed.problems] == [(2, str(path))]
    assert "not valid UTF-8" in parsed.problems[0].message


def test_many_invalid_bytes_are_summed_up(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_bytes(b"some words with one letter: \xf6\n" * 9)

    problems = read(path).problems

    assert [problem.line for problem in problems] == [1, 2, 3, 4, 5, 6]
    assert problems[-1].message == "so are bytes in 4 more lines from here on"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.md"
    path.write_bytes(bytes(range(256)) * 20)
    assert refusal(path) == f"{path} is not UTF-8 text. Save it as UTF-8."

    path.write_bytes("utf-16 without a mark".encode("utf-16-le"))
    assert refusal(path).startswith(f"{path} is not text, or UTF-16 without a byte order mark.")


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "dir.md").mkdir()

    assert "is a pipe, socket or device, not a file." in refusal(tmp_path / "fifo.md")
    assert "cannot be read: is a directory." in refusal(tmp_path / "dir.md")
    assert "cannot be read: no such file or directory." in refusal(tmp_path / "gone.md")
    assert "cannot be read: embedded null byte" in refusal(Path("a\0b"))


def test_b08_a_file_above_the_limit_is_refused_by_name_and_size(tmp_path: Path) -> None:
    path = tmp_path / "big.md"
    with path.open("wb") as file:
        file.truncate(300 << 20)

    assert refusal(path).startswith(f"{path} is 300 MiB large, more than the 4 MiB that are read.")


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grows.md"
    path.write_bytes(b"x" * 100)
    monkeypatch.setattr(files, "MAX_BYTES", 99)
    monkeypatch.setattr(files, "_refusal", lambda _status, _limit: "")  # as if the size had been smaller before

    assert "is larger than" in refusal(path)
    assert MAX_BYTES > 99


def odd_folder(top: Path) -> None:
    (top / "good.md").write_text(TEXT, encoding="utf-8")
    (top / "loop").symlink_to(".")
    (top / "gone.md").symlink_to("/nowhere")
    os.mkfifo(top / "fifo.md")
    with (top / "big.md").open("wb") as file:
        file.truncate(300 << 20)
    (top / "dir.md").mkdir()
    (top / "dir.md" / "inner.txt").write_text(TEXT, encoding="utf-8")
    (top / "binary.md").write_bytes(bytes(range(256)) * 20)
    (top / ".git").mkdir()
    (top / ".git" / "x.md").write_text(TEXT, encoding="utf-8")
    (top / "new\nline.md").write_text(TEXT, encoding="utf-8")
    (top / "picture.png").write_bytes(b"")
    deep = top.joinpath(*(["d"] * 60))
    deep.mkdir(parents=True)
    (deep / "deep.markdown").write_text(TEXT, encoding="utf-8")


def test_b08_every_odd_entry_is_one_line_and_the_good_ones_load(tmp_path: Path) -> None:
    odd_folder(tmp_path)

    loaded = load(tmp_path)

    cards = [Path(parsed.module.path).name for parsed in loaded if parsed.module.cards]
    assert sorted(cards) == ["deep.markdown", "good.md", "inner.txt", "new␊line.md"]
    problems = {parsed.module.title: parsed.problems[0].message for parsed in loaded if not parsed.module.cards}
    endings = ".md, .markdown, .txt, .csv, .tsv, .yaml, .yml, .html nor .htm"
    assert problems.pop(tmp_path.name) == f"1 file is neither {endings}"
    assert problems.pop("binary.md").endswith("binary.md is not UTF-8 text. Save it as UTF-8.")
    assert problems == {
        "big.md": "is 300 MiB large, more than the 4 MiB that are read",
        "fifo.md": "is a pipe, socket or device, not a file",
        "gone.md": "leads nowhere: no such file or directory",
        "loop": "leads back to a folder that was read already",
    }
    assert all(len(parsed.problems) == 1 for parsed in loaded if not parsed.module.cards)


def test_scanning_gives_names_in_order_and_a_single_file_as_it_is(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "c.png", "d.png"):
        (tmp_path / name).touch()

    assert scan(tmp_path) == [
        Entry(tmp_path / "a.md"),
        Entry(tmp_path / "b.md"),
        Entry(tmp_path, "2 files are neither .md, .markdown nor .txt"),
    ]
    assert scan(tmp_path / "c.png") == [Entry(tmp_path / "c.png")]


def test_a_path_with_nothing_at_it_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="cannot be found: no such file or directory"):
        scan(tmp_path / "gone")
    with pytest.raises(DeckError, match="cannot be found: embedded null byte"):
        scan("a\0b")


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Give up root for a while: file modes do not bite it."""
    if root := os.geteuid() == 0:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


def test_b08_what_may_not_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "noperm.md").write_text(TEXT, encoding="utf-8")
    (tmp_path / "noperm.md").chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)  # the folders above are private, "." is not
    request.getfixturevalue("ordinary_user")

    loaded = load(".")

    assert [(parsed.module.path, parsed.problems[0].message) for parsed in loaded] == [
        ("noperm.md", "noperm.md cannot be read: permission denied. Check the path and its permissions."),
        ("closed", "cannot be opened: permission denied"),
    ]


def test_c09_files_are_read_as_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    path = tmp_path / "umlaut-ö.md"
    path.write_text(TEXT, encoding="utf-8")
    code = "import sys; from studyapp.decks.files import read; print(ascii(read(sys.argv[1]).text))"
    env = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONPATH": str(Path.cwd())}

    done = subprocess.run(
        [sys.executable, "-c", code, os.fsencode(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=env,
    )

    assert done.stdout.strip() == ascii(TEXT)


def test_a_glance_is_the_same_until_something_is_touched(tmp_path: Path) -> None:
    (tmp_path / "deck").mkdir()
    (tmp_path / "deck" / "a.md").write_text("one")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "nowhere.md").symlink_to(tmp_path / "nothing")
    first = glance(tmp_path)

    assert glance(tmp_path) == first
    (tmp_path / "deck" / "a.md").write_text("two")
    second = glance(tmp_path)
    (tmp_path / "deck" / "b.md").touch()
    third = glance(tmp_path)
    (tmp_path / "nothing").touch()

    assert len({tuple(look) for look in (first, second, third, glance(tmp_path))}) == 4
    assert glance(tmp_path / "none") == glance(tmp_path / "none")
