"""The card on screen: question, then answer, key points that are ticked, tiles, the last measurement."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content

from studyapp.core.errors import StoreError
from studyapp.core.grades import Rating
from studyapp.tui.screens.review_attempt import ReviewAttempt
from studyapp.tui.screens.review_ends import eyebrow
from studyapp.tui.screens.review_parts import checks, face, preselect, tiles, wrapped
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines
from studyapp.tui.widgets.prose import prose

if TYPE_CHECKING:
    from studyapp.core.figures import Figure
    from studyapp.tui.screens.last_picture import LastPicture

CHECK = eyebrow("CHECK YOURSELF", "$s-you")


PICTURE_ROWS = 16
"""Rows that the last picture has at the least, with its words and the grades below it."""


def question_lines(question: str, width: int) -> list[Content]:
    """Return a question as it stands on the card."""
    return [line.stylize_before("bold $s-bright") for line in prose(question, width - 2)]


class ReviewAnswer(ReviewAttempt):
    """What stands on the card, composed as rows: nothing is laid out when a card turns."""

    def __init__(self) -> None:
        super().__init__()
        self.card = Lines(id="card")
        self.tiles = Lines(id="tiles")
        self.ticked: set[int] = set()
        self.cursor = 0
        """The key point that space ticks."""
        self.scroll_at = 0
        self.suggested = ""
        """The card whose trial was suggested in this sitting."""
        self._last: LastPicture | None = None
        self._asked: tuple[str, int, list[Content]] = ("", 0, [])

    def repaint(self) -> None:
        """Draw the rows of this moment; only those that changed are painted."""
        width, height = self.card.size
        if not width:
            return  # not laid out yet: the resize that follows paints
        if self.revealed and self.showing is not None:
            self.body = self._answer(width)
        rows, most = face(
            height,
            wrapped([self.head], width),
            self._question(width),
            wrapped(self.body, width),
            centred=not self.revealed,
            scroll=self.scroll_at,
            low=self.has_class("-low"),
        )
        self.scroll_at = min(self.scroll_at, most)
        self.card.show(rows)
        self.tiles.show(self._tiles(width))

    def _question(self, width: int) -> list[Content]:
        if self._asked[:2] != (self.question, width):
            self._asked = (self.question, width, question_lines(self.question, width))
        return self._asked[2]

    def _tiles(self, width: int) -> list[Content]:
        if not self.revealed or self.showing is None:
            return [Content(""), Content("")]
        return self._grade_tiles(width)

    def _grade_tiles(self, width: int) -> list[Content]:
        assert self.showing is not None
        outcomes = {rating: self.showing.outcomes[rating] for rating in self.grades}
        return tiles(outcomes, width, self.suggestion())

    @property
    def grades(self) -> Sequence[Rating]:
        """The grades to choose from: all four, or Again and Good."""
        return (Rating.AGAIN, Rating.GOOD) if self.study.settings.buttons == 2 else tuple(Rating)

    def suggestion(self) -> Rating | None:
        """Return the grade that the ticked key points suggest, else what was typed or chosen, if any."""
        from studyapp.core.attempts import suggested

        points = self.showing.card.key_points if self.showing is not None else ()
        return preselect(len(self.ticked), len(points), self.grades) or suggested(self.attempt, self.grades)

    def prepare_answer(self) -> None:
        """Draw the answer and its tiles while the learner thinks, so that revealing it only paints."""
        width = self.card.size.width
        if self.showing is not None and not self.revealed and width:
            self.card.prepare([CHECK, *wrapped(self._answer(width)[: self.card.size.height], width)])
            self.tiles.prepare(self._grade_tiles(width))

    def prepare_next(self) -> None:
        """Draw the question that may well come next while the learner checks the answer."""
        width = self.card.size.width
        if self.showing is None or not self.revealed or self.sitting is None or not width:
            return
        with contextlib.suppress(StoreError):  # what is wrong is said when the card is to be shown
            card = self.sitting.coming(self.showing)
            if card is not None:
                self.card.prepare(question_lines(card.prompt, width))

    def _answer(self, width: int) -> list[Content]:
        return [Content.assemble(("▌  ", "$s-sky"), line) for line in self._answer_lines(width - 5)]

    def _answer_lines(self, width: int) -> list[Content]:
        assert self.showing is not None
        card = self.showing.card
        choice = self.choice
        text = prose(card.answer if choice is None else choice.rest, width)
        told = self.told_lines(width)
        lines = [*told, *([Content("")] if told and text else []), *text]
        if card.key_points:
            lines += [Content(""), *checks(card.key_points, self.ticked, self.cursor, width)]
        if card.experiments and self._to_try(card.id):
            # recall is not interrupted: one suggestion a sitting, afterwards only the name beside its key
            self.suggested = self.suggested or card.id
            name = clean_place(card.experiments[0].experiment)
            here = self.suggested == card.id
            words = f"put it on trial: {name}" if here else name
            lines += [Content(""), Content.styled(f"x   {words}", "$s-sky" if here else "$s-muted")]
        return lines

    def _to_try(self, card_id: str) -> bool:
        """Return whether a card's trial is named at all: by its coin, where the learner lets one decide."""
        if not self.study.settings.coin:
            return True
        from studyapp.core.coin import PREDICT, arm

        return arm(card_id) == PREDICT

    def first_words(self) -> list[Content]:
        """Return what stands under a question whose coin says: predict before you reveal. Once a sitting."""
        card = self.showing.card if self.showing is not None else None
        if card is None or not card.experiments or not self.study.settings.coin or not self._to_try(card.id):
            return []
        self.suggested = self.suggested or card.id
        if self.suggested != card.id:
            return []
        name = clean_place(card.experiments[0].experiment)
        return [Content.styled(f"x   predict it first: {name}", "$s-sky"), Content("")]

    def paint_last(self) -> None:
        """In a large window, show what this card's experiment last measured here."""
        figure = self._last_figure()
        if figure is None:
            if self._last is not None and self._last.display:
                self._last.display = False
                self.card.styles.min_height = None
            return
        from studyapp.tui.screens.last_picture import LastPicture

        if self._last is None:
            self._last = LastPicture(ascii_only=self.study.settings.ascii)
            self.query_one("#frame").mount(self._last, before=self.tiles)
        words = f"{clean_place(figure.title)}   {clean_place(figure.sentence)}"
        self._last.show(figure, Content.styled(words, "$s-muted"))
        self._last.display = True
        width, frame = self.card.size.width, self.query_one("#frame")
        if width and self.showing is not None:  # the answer comes first: the picture has what it leaves
            rows = 4 + len(self._question(width)) + len(self._answer_lines(width - 5))
            self.card.styles.min_height = max(1, min(rows, frame.size.height - PICTURE_ROWS))

    def _last_figure(self) -> Figure | None:
        card = self.showing.card if self.showing is not None and self.revealed else None
        if card is None or not card.experiments or not self.has_class("-roomy"):
            return None
        from studyapp.study.run_pictures import last_figure

        assert self.desk is not None
        return last_figure(self.desk, card.id)

    def tick_point(self) -> None:
        """Tick or untick the key point at the cursor, and go on to the next."""
        assert self.showing is not None
        points = self.showing.card.key_points
        if not points:
            return
        self.ticked ^= {self.cursor}
        if self.cursor in self.ticked:
            self.cursor = min(len(points) - 1, self.cursor + 1)
        self.repaint()

    def action_move(self, step: int) -> None:
        """Move the cursor over the key points; an answer longer than its room scrolls with it."""
        if self.showing is None:
            return
        points = len(self.showing.card.key_points)
        moved = max(0, min(points - 1, self.cursor + step)) if points else 0
        if moved == self.cursor or not points:
            self.scroll_at = max(0, self.scroll_at + step)
        self.cursor = moved
        self.repaint()

    def action_scroll(self, step: int) -> None:
        """Scroll a long answer."""
        self.scroll_at = max(0, self.scroll_at + step)
        self.repaint()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll with the wheel."""
        self.action_scroll(2)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll with the wheel."""
        self.action_scroll(-2)
