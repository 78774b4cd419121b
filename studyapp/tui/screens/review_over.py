"""What the review screen says when a sitting is over: a designed sentence for each way it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

if TYPE_CHECKING:
    from studyapp.study.cramming import Offers
    from studyapp.study.reviewing import Sitting


def over(
    status: Mapping[str, Any],
    sitting: Sitting,
    note: str,
    trials: Sequence[str] = (),
    beyond: Offers | None = None,
) -> tuple[str, str, Content]:
    """Return eyebrow, title and the lines below it."""
    waiting = until_step(sitting)
    answered = sitting.answered
    eyebrow = note.upper() if note else "DONE FOR NOW" if waiting else f"DONE: {sitting.title.upper()}"
    if sitting.title == "review" and not (note or waiting):
        eyebrow = "DONE FOR TODAY"
    if waiting:
        title = waiting
    elif answered:
        title = "1 answer, stored." if answered == 1 else f"{answered} answers, all stored."
    else:
        title = "Nothing is due." if sitting.title == "review" else "There is no such card."
    left = sitting.counts().held_back if sitting.title == "cram" else 0
    rest = _ahead(status, sitting.can_have_more(), beyond)
    if left:
        rest = Content("\n").join([Content.styled(f"{left} more, less likely forgotten, wait.", "$s-text"), rest])
    if trials:
        key = Content.assemble(("x", "bold $s-bright"), (f" put on trial: {', '.join(trials)}", "$s-sky"))
        rest = Content("\n").join([key, Content(""), rest])
    return eyebrow, title, rest


def until_step(sitting: Sitting) -> str:
    """Return when the next card can be shown, where only a step is waited for; "" otherwise."""
    waiting = sitting.counts().waiting_until_ms
    if waiting is None:
        return ""
    return f"A card comes back in {max(1, round((waiting - sitting.desk.clock().at_ms) / 60_000))} min."


def _ahead(status: Mapping[str, Any], more: bool, beyond: Offers | None) -> Content:
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
    keys = [("m", " a few more today")] if more else []
    if beyond is not None and beyond.ahead:
        cards = f"{beyond.ahead} card{'' if beyond.ahead == 1 else 's'}"
        when = "tomorrow" if beyond.ahead_days == 1 else f"the next {beyond.ahead_days} days"
        keys.append(("a", f" study ahead: {cards} of {when}"))
    if beyond is not None and beyond.cram:
        keys.append(("c", " cram: any card, due or not; moves nothing"))
    told = [Content.assemble((key, "bold $s-bright"), (words, "$s-muted")) for key, words in keys]
    return Content("\n").join([*told, *([Content("")] if told and lines else []), *lines])
