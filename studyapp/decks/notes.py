"""What a parser has to say about a file besides its cards: problems, text left out, ids already taken."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from studyapp.core.cards import ExperimentLink, LeftOut, Problem
from studyapp.decks.clean import clean_line

Known = Callable[[ExperimentLink], str | None]
"""Says what is wrong with an experiment link, or None; handed in, for decks know no experiments."""


class Notes:
    """The remarks on one file, in the order in which they were made."""

    def __init__(self, path: str, known: Known | None = None) -> None:
        self.path = clean_line(path)
        self.known = known
        self._problems: list[Problem] = []
        self._left_out: list[LeftOut] = []
        self._taken: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def problem(self, line: int, message: str) -> None:
        """Remember something the author should mend; `line` counts from 1."""
        self._problems.append(Problem(self.path, line, message))

    def leave(self, line: int, reason: str) -> None:
        """Remember text that became no card; `line` counts from 1."""
        self._left_out.append(LeftOut(line, reason))

    def remark(self, line: int, words: str) -> None:
        """Remember how a text was read, which its author may want to look at; `line` counts from 1."""
        self._left_out.append(LeftOut(line, words, is_remark=True))

    def check(self, link: ExperimentLink) -> None:
        """Report a link whose experiment or controls are not known."""
        message = self.known(link) if self.known else None
        if message:
            self.problem(link.line, message)

    def claim_id(self, name: str, line: int, what: str) -> bool:
        """Return whether an id is free, and take it; report it when it is not."""
        key = f"{what} {name}"
        first = self._taken.setdefault(key, line)
        if first == line:
            return True
        self.problem(line, f"{what} id '{name}' is already used in line {first}; give this one another id")
        return False

    def free_id(self, name: str, line: int, what: str) -> str:
        """Return and take the first of NAME-2, NAME-3, ... that is free."""
        key = f"{what} {name}"
        others = count(self._numbers.get(key, 2))
        number = next(number for number in others if f"{key}-{number}" not in self._taken)
        self._numbers[key] = number + 1  # where thousands are alike, none is tried twice
        self._taken[f"{key}-{number}"] = line
        return f"{name}-{number}"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems by line."""
        return tuple(sorted(self._problems, key=lambda problem: problem.line))

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the text left out, by line."""
        return tuple(sorted(self._left_out, key=lambda item: item.line))
