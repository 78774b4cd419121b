"""Questions with options: the answer begins with a task list, `- [x]` right and `- [ ]` wrong. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from studyapp.core.attempts import Attempt, Fit

MOST_OPTIONS = 9
"""There is one key for each."""
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,2}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)")


@dataclass(frozen=True, slots=True)
class Option:
    """One option."""

    text: str
    right: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """The options as they were written, and what explains them."""

    options: tuple[Option, ...]
    rest: str = ""

    @property
    def right(self) -> frozenset[int]:
        """Return the numbers, from 0, of the options that are right."""
        return frozenset(at for at, option in enumerate(self.options) if option.right)


def read_choice(answer: str) -> Choice | None:
    r"""Return the options an answer begins with, or None where it begins with something else.

    >>> read_choice("- [x] a warp\n- [ ] a block\n\n32 lanes.")
    Choice(options=(Option(text='a warp', right=True), Option(text='a block', right=False)), rest='32 lanes.')
    """
    lines = answer.strip("\n").split("\n")
    options: list[Option] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if found := _ITEM.match(line):
            options.append(Option(found[2].strip(), found[1] != " "))
        elif options and line.startswith(("  ", "\t")) and line.strip():
            options[-1] = Option(f"{options[-1].text} {line.strip()}", options[-1].right)
        elif line.strip() or not _goes_on(lines, at):
            break
        at += 1
    return Choice(tuple(options), "\n".join(lines[at:]).strip("\n")) if options else None


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Return whether the list goes on after an empty line, as a loose list does."""
    following = next((line for line in lines[at:] if line.strip()), "")
    return bool(_ITEM.match(following))


def trouble(choice: Choice | None) -> str:
    """Return why options cannot be asked, "" where they can."""
    if choice is None or len(choice.options) < 2:
        return "a choice needs a list of two options at least, '- [x]' right and '- [ ]' wrong"
    if len(choice.options) > MOST_OPTIONS:
        return f"a choice has {MOST_OPTIONS} options at most, one for each key; here are {len(choice.options)}"
    if not choice.right:
        return "no option is marked right with '- [x]'"
    return ""


def order(count: int, seed: str) -> tuple[int, ...]:
    """Return the numbers below `count` in an order that is fixed by the seed and differs from seed to seed.

    >>> order(3, "a") == order(3, "a"), sorted(order(4, "b"))
    (True, [0, 1, 2, 3])
    """
    return tuple(
        sorted(range(count), key=lambda at: hashlib.blake2b(f"{seed}:{at}".encode(), digest_size=8).digest())
    )


def judge_choice(choice: Choice, chosen: Collection[int]) -> Attempt:
    """Return how chosen options, by number from 0, compare with the right ones.

    Near is where several are right, most of what was chosen is, and half of them were found.

    >>> judge_choice(Choice((Option("a", True), Option("b", False))), {1}).fit.value
    'off'
    """
    picked, right = frozenset(chosen), choice.right
    said = "; ".join(choice.options[at].text for at in sorted(picked))
    if not picked:
        return Attempt(said)
    if picked == right:
        return Attempt(said, Fit.RIGHT)
    hits = len(picked & right)
    near = len(right) > 1 and hits * 2 >= len(picked | right)
    words = f"{hits} of {len(right)} found." if len(right) > 1 else ""
    return Attempt(said, Fit.NEAR if near else Fit.OFF, words)


def asked_plainly(prompt: str, choice: Choice, seed: str) -> tuple[str, str]:
    """Return a question with its options, and the right ones, for programs that know no choices.

    Args:
        prompt: The question.
        choice: Its options.
        seed: Fixes the order: authors tend to write the right one first.
    """
    options = [choice.options[at] for at in order(len(choice.options), seed)]
    front = prompt + "\n\n" + "\n".join(f"- {option.text}" for option in options)
    right = [option.text for option in choice.options if option.right]
    back = right[0] if len(right) == 1 else "\n".join(f"- {text}" for text in right)
    return front, f"{back}\n\n{choice.rest}".strip()
