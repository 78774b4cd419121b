"""What the panels of the statistics screen share, as Content: pure, so that tests can look at it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

PANELS = ("recall", "ahead", "forecasts", "cards")
NAME = 16
"""Columns of the names at the left."""


def tabs(panel: str, width: int) -> Content:
    """Return the names of the panels, the present one marked."""
    parts: list[tuple[str, str]] = []
    for number, name in enumerate(PANELS, start=1):
        here = name == panel
        parts += [
            (f"{number} ", "$s-faint"),
            (name.upper() if here else name, "bold $s-sky" if here else "$s-muted"),
        ]
        parts += [("    " if width >= 56 else "  ", "")]
    return Content.assemble(*parts).truncate(max(1, width), ellipsis=False)


def time_words(seconds: float) -> str:
    """Return a time in words: "2 h 51 min", "14 min", "40 s"."""
    if seconds >= 3600:
        return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def row(name: str, *parts: tuple[str, str]) -> Content:
    """Return a row: its name at the left, then the parts."""
    return Content.assemble((f"{name:<{NAME}}", "$s-muted"), *parts)


def whole(name: str, groups: Sequence[Sequence[tuple[str, str]]], width: int) -> Content:
    """Return a row with as many groups as fit: half a figure says something else."""
    line = row(name)
    for group in groups:
        longer = Content.assemble(line, *group)
        if longer.rstrip().cell_length > width:
            break
        line = longer
    return line


def ends(left: str, right: str, width: int) -> Content:
    """Return a row with words at both ends."""
    return Content.assemble(
        (left, "bold $s-bright"), " " * max(1, width - len(left) - len(right)), (right, "$s-muted")
    )


def bar(name: str, share: float, words: str, width: int, ascii_only: bool, style: str = "$s-gpu") -> Content:
    """Return a row with a bar: a share of 1 fills it."""
    room = max(4, min(40, width - NAME - 22))
    filled = max(0, min(room, round(share * room)))
    full, empty = ("#", ".") if ascii_only else ("━", "─")
    return Content.assemble(
        (f"{name[: NAME - 2]:<{NAME}}", "$s-muted"),
        (full * filled, style),
        (empty * (room - filled), "$s-track"),
        (f"  {words}", "$s-text"),
    )
