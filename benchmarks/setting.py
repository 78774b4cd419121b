"""What every measurement starts from: a private folder, a clean environment, the command lines, compiled code."""

from __future__ import annotations

import compileall
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.terminal import Terminal

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"
HELLO = (sys.executable, str(PROGRAMS / "hello.py"))
HELLO_SAYS = b"HELLO-THERE"
STUDYAPP = (sys.executable, "-m", "studyapp")
SCRIPT = Path(sys.executable).with_name("studyapp")
"""The installed command."""
MODULE = "bench"
CARDS = 250
PROMPT = "question-{number:04d}"
ANSWER = "answer-{number:04d}"
LAID_OUT = b"SAY IT FIRST"
"""Stands above every card's question, painted together with it."""


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a learner whose home is this folder; Python may write byte code in it."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "STUDYAPP_DATA_DIR": str(folder / "data"),
        "STUDYAPP_RELEASE": "all",
        "STUDYAPP_NEW_MINUTES": "600",
        **more,
    }


def deck(cards: int = CARDS) -> str:
    """Return a lesson of cards whose questions and answers can be told apart on the screen."""
    head = f"---\nid: {MODULE}\ntitle: Cards to be timed\n---\n\n# Cards to be timed\n"
    card = "\n> **Say it first:** {asked} What does a row cost? <!-- id: c{number:04d} -->\n>\n> {answer}\n"
    told = ANSWER + " Launches and bookkeeping: a *fixed* cost, whatever the number of rows."
    return (
        head
        + "\n## One <!-- id: one -->\n\nText.\n"
        + "".join(
            card.format(number=n, asked=PROMPT.format(number=n), answer=told.format(number=n))
            for n in range(cards)
        )
    )


@contextmanager
def home(*, with_deck: bool = False) -> Iterator[Path]:
    """Yield the home of a learner who has opened the program before, so that store and status file exist.

    Args:
        with_deck: Also put the deck of `deck()` there; say `deck_environment` to have it read.
    """
    with tempfile.TemporaryDirectory(prefix="studyapp-bench-") as name:
        folder = Path(name)
        environ = environment(folder)
        if with_deck:
            (folder / "bench.md").write_text(deck(), encoding="utf-8")
            environ = deck_environment(folder)
        with Terminal((*STUDYAPP, "review"), environ=environ) as terminal:
            terminal.until(LAID_OUT)
        yield folder


def deck_environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment in which the deck in this folder is a lesson too."""
    return environment(folder, STUDYAPP_LESSONS=str(folder / "bench.md"), **more)


def compile_everything() -> None:
    """Write the byte code that start-up figures need: where Python may not write it, all of them are wrong."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in ("studyapp", "textual", "rich", "sqlalchemy", "fsrs"):
        spec = find_spec(name)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            compileall.compile_dir(place, quiet=2)
    compileall.compile_dir(PROGRAMS, quiet=2)
