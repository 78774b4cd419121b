from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from tests.cli.conftest import ROOT, Result, Studyapp

Process = Callable[..., Result]
BARE = {"LANG": "", "LC_ALL": "", "LC_CTYPE": ""}
LOCALES = [
    {**BARE, "LC_ALL": "C"},
    {**BARE, "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {**BARE, "LC_ALL": "en_US.ISO-8859-1"},
    {**BARE, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "ascii"},
    {**BARE, "PYTHONIOENCODING": "latin-1"},
]
HOSTILE = ("\x1b", "\x07", "\x9b", "\x00", "\x7f", "\u202e")
SCREENS = [[], ["review"], ["read"], ["review", "demo"]]


def spawn(home: Path, *words: str, environ: dict[str, str] | None = None) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable,
        ["-m", "studyapp", "--data-dir", str(home / "data"), *words],
        cwd=str(ROOT),
        env={**os.environ, "TERM": "xterm-256color", **(environ or {})},
        encoding="utf-8",
        dimensions=(24, 80),
        timeout=30,
    )


def finish(child: pexpect.spawn[str]) -> tuple[int | None, str]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, str(child.before)


@pytest.mark.parametrize("words", SCREENS)
@pytest.mark.parametrize("given", [None, "q\n"])
def test_c06_a_screen_without_a_terminal_exits_at_once_with_2(
    process: Process, words: list[str], given: str | None
) -> None:
    result = process(*words, given=given)

    assert (result.code, result.out) == (2, "")
    assert "needs a terminal (try ssh -t)" in result.err
    assert "--plain" in result.err


@pytest.mark.parametrize("redirect", ["</dev/null", "| cat", "2>/dev/null | cat", "2>errors"])
def test_c06_each_of_the_three_streams_must_be_a_terminal(home: Path, redirect: str) -> None:
    line = f"{sys.executable} -m studyapp --data-dir {home}/data review {redirect}; echo rc ${{PIPESTATUS[0]}}"
    line = line.replace("2>errors", f"2>{home}/errors")
    child = pexpect.spawn(
        "bash", ["-c", line], cwd=str(ROOT), env={**os.environ, "TERM": "xterm"}, encoding="utf-8"
    )

    _, out = finish(child)

    assert "rc 2" in out
    assert "\x1b[?1049h" not in out


@pytest.mark.parametrize("command", ["stats --json", "list", "experiments --json", "show gpus-and-cpus/wide-wins"])
def test_c06_a_reader_that_goes_away_gives_no_traceback(home: Path, command: str) -> None:
    line = f"{sys.executable} -m studyapp --data-dir {home}/data {command} | head -1"

    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, timeout=60, check=False)

    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_c06_a_reader_that_left_before_the_first_line_is_141(home: Path) -> None:
    line = f"{sys.executable} -m studyapp --data-dir {home}/data list | true; echo ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, timeout=60, check=False)

    assert (done.stdout.strip(), done.stderr) == (b"141", b"")


def test_c06_a_closed_output_is_no_crash(home: Path) -> None:
    line = f"{sys.executable} -m studyapp --data-dir {home}/data due >&-"

    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_c06_printing_commands_use_no_control_codes_in_a_pipe(process: Process) -> None:
    for words in (["due"], ["stats"], ["list"], ["experiments"], ["streak"]):
        result = process(*words)

        assert result.code == 0
        assert "\x1b" not in result.out + result.err


def test_c02_a_hostile_deck_never_reaches_the_terminal_raw(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = ROOT / "tests" / "decks" / "cases" / "C02_escapes.md"
    monkeypatch.setenv("STUDYAPP_LESSONS", str(deck))
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    heard = ""
    for words in (["check", str(deck)], ["list", "harmless"], ["stats"], ["list", "harmless", "--json"]):
        code, out = finish(spawn(home, *words))
        heard += out
        assert code in (0, 1)
    card = heard[heard.index('"id": "') + 7 :].split('"')[0]
    heard += finish(spawn(home, "show", card))[1]

    child = spawn(home, "review", "--plain")
    child.expect_exact("press enter")
    heard += str(child.before)
    child.sendline("q")
    heard += finish(child)[1]

    assert "harmless" in heard
    assert "before ␛]52;c;" in heard
    assert [mark for mark in HOSTILE if mark in heard] == []


def test_c02_words_of_the_command_line_come_back_cleaned(studyapp: Studyapp) -> None:
    result = studyapp("show", "x\x1b[2Jy\x9b6n")
    usage = studyapp("no\x1b]0;title\x07pe")

    assert result.code == usage.code == 2
    assert not set("\x1b\x07\x9b") & set(result.err + usage.err)


@pytest.mark.parametrize("environ", LOCALES, ids=lambda e: e.get("LC_ALL") or "io " + e["PYTHONIOENCODING"])
def test_c09_no_locale_brings_a_traceback(
    process: Process, home: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = home / "größe.md"
    deck.write_text("Q: Wie groß? — ✓\nA: 5 µs × 2 → ‘naïve’ 日本\n", encoding="utf-8")
    monkeypatch.setenv("STUDYAPP_LESSONS", str(deck))
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    for words in (["check", str(deck)], ["check", str(deck), "--json"], ["stats"], ["list"], ["due"], ["doctor"]):
        result = process(*words, environ=environ)

        assert "studyapp failed" not in result.err, (words, result.err)
        assert "Traceback" not in result.err
        assert result.code in (0, 1), (words, result.err)
    spoken = process("review", "--plain", given="\n3\nq\n", environ=environ)

    assert (spoken.code, spoken.err) == (0, "")
    assert "1 answer stored" in spoken.out


def test_c09_what_the_output_lacks_is_written_in_ascii(process: Process, home: Path) -> None:
    deck = home / "deck.md"
    deck.write_text("Q: Größe → 5 µs × 2 …?\nA: –\n", encoding="utf-8")

    result = process("list", "5", environ={"PYTHONIOENCODING": "ascii", "STUDYAPP_LESSONS": str(deck)})

    assert "Gr??e -> 5 us x 2 ...?" in result.out


def test_c09_files_are_read_as_utf8_whatever_the_locale(process: Process, home: Path) -> None:
    deck = home / "deck.md"
    deck.write_text("Q: Größe?\nA: ✓ 日本\n", encoding="utf-8")

    result = process("check", str(deck), "--json", environ=LOCALES[1])

    assert result.data["cards"][0]["prompt"] == "Größe?"
    assert result.data["cards"][0]["answer"] == "✓ 日本"


@pytest.mark.parametrize("environ", LOCALES[:4], ids=str)
def test_c09_a_locale_without_utf8_gets_lines_and_the_cause_once(home: Path, environ: dict[str, str]) -> None:
    child = spawn(home, "review", environ=environ)

    code, out = finish(child)

    assert code == 0
    assert out.count("UTF-8 cannot be shown here") == 1
    assert "Nothing was answered." in out
    assert out.isascii()


@pytest.mark.parametrize("words", [[], ["review"], ["read"]])
def test_with_three_terminals_the_screen_opens_and_q_leaves_it(home: Path, words: list[str]) -> None:
    child = spawn(home, *words)
    child.expect_exact("\x1b[?1049h")

    for _ in range(60):  # q goes back screen by screen
        child.send("q")
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=0.5) == 0:
            break
    child.close()

    assert child.exitstatus == 0
    assert "\x1b[?1049l" in str(child.before)


@pytest.mark.parametrize("command", ["review", "read"])
def test_an_unknown_module_is_said_before_the_screen_opens(home: Path, command: str) -> None:
    code, out = finish(spawn(home, command, "nothing"))

    assert code == 2
    assert "There is no module 'nothing'." in out
    assert "\x1b[?1049h" not in out


def test_a_dumb_terminal_gets_lines(home: Path) -> None:
    code, out = finish(spawn(home, "review", environ={"TERM": "dumb"}))

    assert code == 0
    assert "plain lines" in out
    assert "\x1b" not in out


def test_home_in_lines_says_what_is_due(process: Process) -> None:
    result = process("--plain")

    assert result.code == 0
    assert result.out.startswith("0 cards due today")
    assert "studyapp read --plain" in result.out


def test_help_and_due_load_neither_torch_nor_textual(home: Path) -> None:
    script = (
        "import sys\n"
        "from studyapp.cli.main import run\n"
        f"code = run(['--data-dir', {str(home / 'data')!r}, *sys.argv[1:]])\n"
        "heavy = {'torch', 'textual', 'plotext', 'sqlalchemy', 'alembic', 'fsrs', 'click'} & set(sys.modules)\n"
        "print(code, sorted(heavy), file=sys.stderr)\n"
    )

    def loaded(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stderr.strip()

    loaded("due")  # the first opening upgrades the store, which needs alembic

    assert loaded("--help") == "0 ['click']"
    assert loaded("check", "data/modules") == "0 ['click']"
    assert loaded("experiments") == "0 ['click']"
    assert loaded("due") == "0 ['click']"
