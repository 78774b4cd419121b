"""The answer's side of the review screen: text, key points that are ticked, tiles, the last measurement."""

from __future__ import annotations

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.tui.screens.review_ends import ReviewEnds
from studyapp.tui.screens.review_parts import checks, preselect, tiles
from studyapp.tui.widgets.bars import clean_place


class ReviewAnswer(ReviewEnds):
    """What stands below the question once it was revealed."""

    def __init__(self) -> None:
        super().__init__()
        self.revealed = False
        self.ticked: set[int] = set()
        self.cursor = 0
        """The key point that space ticks."""
        self.suggested = ""
        """The card whose trial was suggested in this sitting."""

    def _paint_answer(self) -> None:
        if self.showing is None:
            if self.is_mounted and self.sitting is not None and self.offer is None:
                self._paint_over()
            return
        if not self.revealed:
            return
        card, width = self.showing.card, max(20, self.query_one("#card").size.width or 74)
        room = width - 5  # the bar, its blanks and a scrollbar, so that nothing wraps twice
        lines = [Content.assemble(("▌  ", "$s-sky"), line) for line in self._answer_lines(room)]
        self.query_one("#text", Static).update(Content("\n").join(lines))
        suggestion = preselect(len(self.ticked), len(card.key_points))
        tile_width = max(20, self.query_one("#tiles").size.width or width)
        self.query_one("#tiles", Static).update(tiles(self.showing.outcomes, tile_width, suggestion))

    def _answer_lines(self, width: int) -> list[Content]:
        from studyapp.tui.widgets.prose import prose

        assert self.showing is not None
        card = self.showing.card
        lines = prose(card.answer, width)
        if card.key_points:
            lines += [Content(""), *checks(card.key_points, self.ticked, self.cursor, width)]
        if card.experiments:
            # recall is not interrupted: one suggestion a sitting, afterwards only the name beside its key
            self.suggested = self.suggested or card.id
            name = clean_place(card.experiments[0].experiment)
            here = self.suggested == card.id
            words = f"put it on trial: {name}" if here else name
            lines += [Content(""), Content.styled(f"x   {words}", "$s-sky" if here else "$s-muted")]
        return lines

    def _paint_last(self) -> None:
        """In a large window, show what this card's experiment last measured here."""
        self.query_one("#last", Vertical).display = False
        if not self.has_class("-roomy") or self.showing is None or not self.showing.card.experiments:
            return
        from studyapp.study.experimenting import last_figure
        from studyapp.tui.widgets.chart_view import ChartView

        assert self.desk is not None
        figure = last_figure(self.desk, self.showing.card.id)
        if figure is None:
            return
        place = self.query_one("#last", Vertical)
        if not place.query(ChartView):
            place.mount(ChartView(ascii_only=self.study.settings.ascii))
        title = Content.styled(f"{clean_place(figure.title)}   {clean_place(figure.sentence)}", "$s-muted")
        self.query_one("#lasttitle", Static).update(title)
        place.query_one(ChartView).show(figure)
        place.display = True

    def _tick_point(self) -> None:
        assert self.showing is not None
        points = self.showing.card.key_points
        if not points:
            return
        self.ticked ^= {self.cursor}
        if self.cursor in self.ticked:
            self.cursor = min(len(points) - 1, self.cursor + 1)
        self._paint_answer()

    def action_move(self, step: int) -> None:
        """Move the cursor over the key points, or scroll an answer that has none."""
        if self.showing is None:
            return
        if self.showing.card.key_points:
            self.cursor = max(0, min(len(self.showing.card.key_points) - 1, self.cursor + step))
            self._paint_answer()
        scroll = self.query_one("#answer", VerticalScroll)
        (scroll.scroll_down if step > 0 else scroll.scroll_up)(animate=False)
