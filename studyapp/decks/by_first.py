"""markdown-it's block rules, each asked only where it can fit: told by the first character of a line.

The parser asks every rule at every line, and at every line of a paragraph again; nearly all say no by the first
character. The same blocks come out (a test compares the two), in half the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock

_BEGINS: Mapping[str, str] = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*-+0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
    "math_block": "$",
}
"""What a line must begin with, after white space, for a rule to fit. Source: CommonMark 0.31.2, section 4; a rule
that is not here is asked everywhere."""
_UNDERLINE = re.compile(r"[=-][ \t]*$", re.MULTILINE)


class RulesByFirst(Ruler[RuleFuncBlockType]):
    """The rules of a block parser that is set up already, sorted by what a line begins with."""

    def __init__(self, rules: Ruler[RuleFuncBlockType], everywhere: str = "") -> None:
        """Sort the rules.

        Args:
            rules: The parser's, of which no more are added or switched.
            everywhere: Characters at which every rule is asked, for one of them may change what the next ones see.
        """
        super().__init__()
        self.__rules__ = rules.__rules__
        self._everywhere = everywhere
        self._chains: dict[str, list[RuleFuncBlockType]] = {}

    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:  # noqa: N802, N803 - the library's names
        """Return one rule that stands for all of a chain."""
        if chainName not in self._chains:
            chain = [
                (rule.name, rule.fn)
                for rule in self.__rules__
                if rule.enabled and (not chainName or chainName in rule.alt)
            ]
            self._chains[chainName] = [_sorted(chain, self._everywhere)]
        return self._chains[chainName]


def unneeded(text: str) -> list[str]:
    """Return the rules that are asked at every line and fit nowhere in a text: they need not be asked at all."""
    rules = [] if "|" in text else ["table"]
    return rules if _UNDERLINE.search(text) else [*rules, "lheading"]


def _sorted(chain: Sequence[tuple[str, RuleFuncBlockType]], everywhere: str) -> RuleFuncBlockType:
    """Return a rule that asks those of a chain that may fit a line, in their order."""
    every = [rule for _, rule in chain]
    others = [rule for name, rule in chain if name not in _BEGINS]
    by_first = {
        first: [rule for name, rule in chain if first in _BEGINS.get(name, first)]
        for first in set("".join(_BEGINS.values()))
    } | dict.fromkeys(everywhere, every)

    def first_that_fits(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        at = state.bMarks[line] + state.tShift[line]
        for rule in by_first.get(state.src[at], others) if at < state.eMarks[line] else every:
            if rule(state, line, end, silent):
                return True
        return False

    return first_that_fits
