"""Checking lessons while they are written: what is in them, how it will look, and the same again at each change.

Nothing is stored, and the store is never opened.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from studyapp.core.attempts import CHOICE
from studyapp.core.cards import Card, Parsed
from studyapp.core.choices import order, read_choice
from studyapp.core.errors import DeckError
from studyapp.decks import files, load
from studyapp.decks.md_plain import plain_lines
from studyapp.study.lessons import known_experiment

EVERY_S = 0.5
"""Seconds between two looks at files that are watched."""
_ASKS = {
    "numeric": "The learner gives a number first.",
    "typed": "The learner types it first.",
    "choice": "The learner chooses first; the order is another each time.",
}


def check(path: str | Path) -> list[Parsed]:
    """Return what a file or a folder holds, with everything its author should mend.

    Raises:
        DeckError: If there is nothing at that path.
    """
    return load.linted(load.load(path, known_experiment))


def watched(
    path: Path, wait: Callable[[float], object] = time.sleep, every_s: float = EVERY_S
) -> Iterator[list[Parsed]]:
    """Yield what is found, now and after every change, for ever.

    Args:
        path: A file or a folder; once it is gone, what comes back is awaited.
        wait: Waits for some seconds.
        every_s: Seconds between two looks.

    Raises:
        DeckError: If there is nothing at that path to begin with.
    """
    seen = _look(path)
    yield check(path)
    while True:
        wait(every_s)
        now = _look(path)
        if now == seen:
            continue
        seen = now
        with contextlib.suppress(DeckError):  # an editor that writes a new file takes the old one away first
            yield check(path)


def _look(path: Path) -> list[tuple[Path, tuple[int, ...]]]:
    with contextlib.suppress(DeckError):
        return [(entry.path, entry.look) for entry in files.scan(path, files.IMPORTED)]
    return []


def preview(card: Card, *, spoken: bool = False) -> list[str]:
    """Return a card as the learner meets it, in plain lines: question, options, answer, checks, trials.

    Args:
        card: The card.
        spoken: Whether it will be listened to: names of the parts instead of their places.
    """
    choice = read_choice(card.answer) if card.kind == CHOICE else None
    lines = plain_lines(card.prompt, spoken=spoken)
    answer = card.answer
    gap, edge = (". ", "") if spoken else ("  ", "  ")
    if choice is not None:
        shown = order(len(choice.options), card.id)
        lines += [f"{edge}{number}{gap}{_line(choice.options[at].text)}" for number, at in enumerate(shown, 1)]
        right = [_line(option.text) for option in choice.options if option.right]
        answer = "\n\n".join(part for part in ("\n".join(f"- {text}" for text in right), choice.rest) if part)
    if card.kind in _ASKS:
        lines += [f"({_ASKS[card.kind]})"]
    lines += ["", *(["Answer:"] if spoken else [])]
    lines += [f"{edge}{line}".rstrip() for line in plain_lines(answer, spoken=spoken)]
    if card.key_points:
        lines += ["", *(["Key points:"] if spoken else [])]
        lines += [f"{'- ' if spoken else '  [ ] '}{_line(point)}" for point in card.key_points]
    for link in card.experiments:
        controls = ", ".join(f"{name}={value}" for name, value in link.controls.items())
        trial = "On trial: " if spoken else "  x  "
        lines += ["", f"{trial}{link.experiment}{f' ({controls})' if controls else ''}"]
    return lines


def _line(markdown: str) -> str:
    return " ".join(plain_lines(markdown))
