"""The panel of cards: the hardest ones, leeches, and the days studied."""

from __future__ import annotations

from textual.content import Content

from studyapp.core.percent import percent
from studyapp.study.statistics import Statistics
from studyapp.tui.screens.stats_parts import ends, row, time_words
from studyapp.tui.widgets.bars import clean_place


def cards(found: Statistics, width: int, heat: Content) -> Content:
    """Return the hardest cards, leeches, and the days studied."""
    from studyapp.decks.md_plain import plain_line  # brings the Markdown parser

    head = "lapses   recall"
    room = max(10, width - len(head))
    lines = [ends("hardest cards", head, width)]
    for card in found.hardest[:5]:
        prompt = Content(clean_place(plain_line(card.prompt))).truncate(room - 2, ellipsis=True).pad_right(2)
        prompt = prompt.pad_right(max(0, room - prompt.cell_length))
        lapses = (f"{card.lapses:>6}", "bold $s-again" if card.leech else "bold $s-bright")
        lines.append(
            Content.assemble(prompt.stylize("$s-text"), lapses, (f"{percent(card.recall):>9}", "$s-text"))
        )
    if not found.hardest:
        lines.append(Content.styled("none was forgotten so far", "$s-text"))
    if found.leeches:
        words = f"{found.leeches} leech{'' if found.leeches == 1 else 'es'}: mend the card, not the learner"
        lines.append(Content.styled(words, "$s-hard"))
    spent = f"{time_words(found.seconds(365))} over {found.answers(365):,} answers in a year"
    return Content("\n").join([*lines, Content(""), row("time", (spent, "$s-text")), Content(""), heat])
