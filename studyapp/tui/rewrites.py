"""Asks, once for each, whether a rewritten card keeps its progress: a small panel with the two texts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.content import Content

from studyapp.core.cards import text_hash
from studyapp.core.percent import percent
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.study.settling import Rewrite
    from studyapp.tui.screens.base import StudyScreen

CHOICES = [("k", "keep the progress", "$s-text"), ("o", "start over with this card", "$s-text")]
_SHOWN = 240
"""Characters of each text in the panel."""


async def ask_about_rewrites(screen: StudyScreen) -> int:
    """Ask about every rewritten card of which nothing was said yet; return how many were settled.

    Whoever goes back is asked again when the program is started anew. Call it from a worker.
    """
    from studyapp.study import settling

    desk = screen.desk
    if desk is None:
        return 0
    settled = 0
    for rewrite in await asyncio.to_thread(settling.rewrites_of, desk):
        this = f"{rewrite.card} {text_hash(rewrite.prompt, rewrite.answer)}"
        if this in screen.study.asked:
            continue
        screen.study.asked.add(this)
        from studyapp.tui.screens.browse_asks import Choose

        key = await screen.app.push_screen_wait(Choose("This card was rewritten", _texts(rewrite), CHOICES))
        if key is None:
            continue
        settle = settling.keep if key == "k" else settling.begin_anew
        await asyncio.to_thread(settle, desk, rewrite.card)
        settled += 1
    return settled


def _texts(rewrite: Rewrite) -> list[Content]:
    from studyapp.decks.md_plain import plain_line

    lines = []
    for name, prompt, style in (("was", rewrite.old_prompt, "$s-muted"), ("now", rewrite.prompt, "$s-bright")):
        text = clean_place(plain_line(prompt))
        text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        lines.append(Content.assemble((f"{name}  ", "$s-muted"), (text, style)))
    same = f"{percent(rewrite.likeness)} of the words are those you learned. Is it still the same question?"
    return [*lines, Content(""), Content.styled(same, "$s-muted")]
