"""What the review screen says when a sitting is over: a designed sentence for each way it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

if TYPE_CHECKING:
    from studyapp.study.reviewing import Sitting


def over(
    status: Mapping[str, Any], sitting: Sitting, note: str, trials: Sequence[str] = ()
) -> tuple[str, str, Content]:
    """Return eyebrow, title and the lines below it."""
    waiting = sitting.counts().waiting_until_ms
    answered = sitting.answered
    eyebrow = note.upper() if note else "DONE FOR NOW" if waiting else "DONE FOR TODAY"
    if waiting:
        minutes = max(1, round((waiting - sitting.desk.clock().at_ms) / 60_000))
        title = f"A card comes back in {minutes} min."
    elif answered:
        title = "1 answer, stored." if answered == 1 else f"{answered} answers, all stored."
    else:
        title = "Nothing is due."
    rest = _ahead(status, sitting.can_have_more())
    if trials:
        key = Content.assemble(("x", "bold $s-bright"), (f" put on trial: {', '.join(trials)}", "$s-sky"))
        rest = Content("\n").join([key, Content(""), rest])
    return eyebrow, title, rest


def _ahead(status: Mapping[str, Any], more: bool) -> Content:
    days = status.get("days", ())
    lines: list[Content] = []
    if len(days) > 1:
        load = days[1]["review"] + days[1]["new"]
        cards = "card" if load == 1 else "cards"
        tomorrow = f"Tomorrow: {load} {cards}." if load else "Nothing is due tomorrow."
        lines.append(Content.styled(tomorrow, "$s-text"))
    length = status.get("streak", {}).get("length", 0)
    if length:
        lines.append(Content.styled(f"{length} day{'' if length == 1 else 's'} in a row.", "$s-text"))
    if any(module["unread"] for module in status.get("modules", ())):
        read = Content.assemble(("q", "bold $s-bright"), (" back, then ", "$s-muted"), ("l", "bold $s-bright"))
        lines.append(Content.assemble(read, (" to read the next section", "$s-muted")))
    if more:
        key = Content.assemble(("m", "bold $s-bright"), (" a few more today", "$s-muted"))
        lines = [key, *lines]
    return Content("\n").join(lines)
