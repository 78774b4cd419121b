"""C01, C02: whatever is printed, outside text stays text: no control character, no override, no markup."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from studyapp.settings import load
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import NOW, Studyapp
from tests.plain.conftest import Speak
from tests.plain.test_listening import MORE, PRINTS, trial_as_recorded
from tests.tui.hostile import FORBIDDEN, hostile_lesson
from tests.tui.hostile_words import LONG, MARKUP, OBEYED, SPEAKS

CARD = "gpus-and-cpus/two-4"
AS_THE_FIRST_CARD = {"demo/needs": CARD, "demo/warp": CARD, "demo/latency": CARD}
SHOWS = {"list", "show", "corrections", "check", "import", "ids"}
"""Commands that must have shown the hostile words, so that they cannot pass without having met them."""
CONVERSATIONS = {
    "review": ["", "3", "!", SPEAKS, "", "2", SPEAKS, "q"],
    "read": ["c", "", "", SPEAKS, "b", "q"],
    "browse": ["1", "tag:x", SPEAKS, "1", "q"],
    "challenge open {home}/challenge.json": ["1 GB", "3", "q"],
}


@pytest.fixture(autouse=True)
def _hostile(home: Path, studyapp: Studyapp, speak: Speak, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record in which every word that can come from outside is hostile."""
    lesson = hostile_lesson(home / "demo.md")
    lesson.write_text(lesson.read_text(encoding="utf-8").replace(LONG, LONG[:300]), encoding="utf-8")
    (home / "bare.md").write_text(f"Q: {SPEAKS}?\nA: {SPEAKS}\n", encoding="utf-8")
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: lesson)
    monkeypatch.delenv("STUDYAPP_LESSONS")
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    monkeypatch.setenv("STUDYAPP_EDITOR", f"vi {SPEAKS}".replace("\0", ""))
    assert studyapp("answer", CARD, "good").code == 0
    assert studyapp("corrections", "--add", CARD, "--text", SPEAKS).code == 0
    studyapp("due", where=home / "other")
    with open_desk_from(load({"data_dir": str(home / "data"), "now": NOW})) as desk:
        for recording, batch in (("kept-calm", 64), ("kept-batch-1-calm", 1)):
            trial_as_recorded(desk, recording, batch)
    assert studyapp("challenge", "export", str(home / "challenge.json"), "--from", SPEAKS).code == 0


def check(name: str, said: str) -> None:
    bare = said.replace("\n", "")
    assert not (found := FORBIDDEN.search(bare)), (name, bare[max(0, found.start() - 40) : found.end() + 9])
    assert OBEYED not in re.sub(r"\s+", "", said), name


@pytest.mark.parametrize("more", [[], ["--plain"], ["--json"]], ids=["usual", "plain", "json"])
def test_c01_c02_every_command_prints_hostile_words_as_words(
    studyapp: Studyapp, home: Path, more: list[str]
) -> None:
    for words in [*PRINTS.values(), *MORE]:
        for mine, its in AS_THE_FIRST_CARD.items():
            words = words.replace(mine, its)
        result = studyapp(*words.format(home=home).split(), *more)

        check(words, result.out + result.err)
        assert "internal" not in result.err, (words, result.err)
        if words.split()[0] in SHOWS:
            assert "zq" in result.out, words


@pytest.mark.parametrize("words", CONVERSATIONS)
def test_c01_c02_every_conversation_says_hostile_words_as_words(
    speak: Speak, studyapp: Studyapp, home: Path, words: str
) -> None:
    result = speak(CONVERSATIONS[words], *words.format(home=home).split())

    check(words, result.out + result.err)
    assert "internal" not in result.err
    if not words.startswith("challenge"):
        assert MARKUP in result.out


def test_c02_a_worker_that_says_hostile_words_is_quoted(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = home / "worker.py"
    told.write_text(
        f"import json, sys\nprint(json.dumps(dict(studyapp=1, kind='failed', failure='crashed', why={SPEAKS!r})), "
        f"flush=True)\nsys.stderr.write({SPEAKS!r})\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(told)]))
    for words in ("run kept", "run --all", "passport", "doctor", "race --plain"):
        for more in ([], ["--json"] if "race" not in words else []):
            result = studyapp(*words.split(), *more)

            check(words, result.out + result.err)
            assert "internal" not in result.err, (words, result.err)
