"""The rows of the controls as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from studyapp.study.estimating import Estimate
from studyapp.study.lab import value_words
from studyapp.tui.screens.lab_parts import time_and_memory


def cost_lines(cost: Estimate, width: int) -> list[Content]:
    """Return an estimate as lines of its own, for where it is the news."""
    found = []
    for name, words in zip(("time    ", "memory  "), time_and_memory(cost), strict=True):
        found += Content.assemble((name, "$s-muted"), (words.removeprefix(name.strip() + " "), "$s-text")).wrap(
            width
        )
    return found + Content.styled(f"ends    after {cost.limit_s:g} s, whatever it has", "$s-muted").wrap(width)


def settings_line(name: str, values: Sequence[Any], value: Any, here: bool, width: int) -> Content:
    """Return a control with its values on one line, the present one marked; what has no room is left out."""
    words = [value_words(v) for v in values]
    at = list(values).index(value)
    first, last = _window([len(word) + 2 for word in words], at, width - len(name) - 8)
    parts: list[tuple[str, str]] = [("▌ " if here else "  ", "$s-sky")]
    parts.append((name, "bold $s-bright" if here else "$s-text"))
    parts.append(("  ‹ " if first > 0 else "    ", "$s-muted"))
    for index in range(first, last + 1):
        if index == at:
            parts.append((f"[{words[index]}] ", "bold $s-sky" if here else "bold $s-text"))
        else:
            parts.append((f"{words[index]}  ", "$s-muted"))
    parts.append(("›" if last + 1 < len(words) else "", "$s-muted"))
    return Content.assemble(*parts).truncate(max(1, width), ellipsis=False)


def _window(cells: Sequence[int], at: int, room: int) -> tuple[int, int]:
    """Return the first and last of the entries around `at` that fit, as evenly to both sides as can be."""
    first = last = at
    used = cells[at]
    while True:
        can_before = first > 0 and used + cells[first - 1] <= room
        can_after = last + 1 < len(cells) and used + cells[last + 1] <= room
        if can_before and (not can_after or at - first <= last - at):
            first -= 1
            used += cells[first]
        elif can_after:
            last += 1
            used += cells[last]
        else:
            return first, last
