"""Talking in lines: print sentences, ask for one line. A terminal, a pipe and a screen reader are all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from studyapp.decks.clean import clean
from studyapp.decks.md_plain import plain_lines


class Over(Exception):  # noqa: N818 - no error: the learner said q, or there is nothing more to read
    """The learner leaves."""

    def __init__(self, *, ended: bool = False) -> None:
        super().__init__()
        self.ended = ended
        """Whether the input came to its end, rather than the learner saying q."""


class Talk:
    """One conversation over two streams."""

    def __init__(
        self,
        source: TextIO | None = None,
        sink: TextIO | None = None,
        *,
        ascii: bool = False,  # noqa: A002
    ) -> None:
        """Talk over standard input and output, or over the streams given.

        Args:
            source: Where lines are read.
            sink: Where sentences go.
            ascii: Write numbers with ASCII units.
        """
        self._source = source or sys.stdin
        self._sink = sink or sys.stdout
        self.ascii = ascii

    def say(self, *lines: str) -> None:
        """Print lines, cleaned."""
        for line in lines:
            self._sink.write(clean(line) + "\n")
        self._sink.flush()

    @contextmanager
    def until_over(self) -> Iterator[None]:
        """Let the learner leave the block: with q, or with the end of the input, which is then said."""
        try:
            yield
        except Over as over:
            if over.ended:
                self.say("The input has ended.")

    def markdown(self, text: str) -> None:
        """Print a text without Markdown's marks, to be listened to."""
        self.say(*plain_lines(text, spoken=True))

    def ask(self, question: str) -> str:
        """Print a question and return the answer, trimmed and in lower case.

        Raises:
            Over: If the answer is q, or the input has ended.
        """
        return self.ask_line(question).lower()

    def ask_line(self, question: str) -> str:
        """Print a question and return the answer, trimmed: capitals tell MB from mb.

        Raises:
            Over: If the answer is q, or the input has ended.
        """
        self._sink.write(clean(question) + " ")
        self._sink.flush()
        line = self._source.readline()
        if not line:
            self.say("")
            raise Over(ended=True)
        if not self._source.isatty():
            self.say("")  # nobody's enter key ended the line
        answer = line.strip()
        if answer.lower() in ("q", "quit"):
            raise Over
        return answer

    def choose(self, question: str, choices: Sequence[str], otherwise: str) -> str:
        """Ask until the answer is one of the choices.

        Args:
            question: What is asked.
            choices: Allowed answers, in lower case; "" stands for enter alone.
            otherwise: Said after any other answer.

        Raises:
            Over: If the answer is q, or the input has ended.
        """
        while (answer := self.ask(question)) not in choices:
            self.say(otherwise)
        return answer


def plural(count: int, word: str) -> str:
    """Return "1 card" or "3 cards"."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
