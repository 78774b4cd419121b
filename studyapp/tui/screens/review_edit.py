"""Mending a card in the middle of a review: the editor, and the word on cards that were rewritten."""

from __future__ import annotations

from textual import work

from studyapp.tui.screens.review_back import ReviewBack
from studyapp.tui.screens.review_ends import eyebrow
from studyapp.tui.widgets.bars import clean_place


class ReviewEdit(ReviewBack):
    """Comes back to the same card, as far as it was revealed."""

    @work(exclusive=True, group="edit")
    async def action_edit(self) -> None:
        """Open the card's file in the editor, and go on with the card as it is then."""
        from studyapp.tui.editing import edit_card
        from studyapp.tui.rewrites import ask_about_rewrites

        if self.showing is None or self.sitting is None:
            return
        said = await edit_card(self, self.showing.card.id)
        if not said:
            return
        await ask_about_rewrites(self)
        self.show_again(said)

    def action_more(self) -> None:
        """Open the lesson where the card on screen stands; its answer waits. At the end: more than the limits."""
        if self.showing is None:
            super().action_more()
            return
        from studyapp.tui.screens.read import ReadScreen

        self.app.push_screen(ReadScreen(self.showing.card.module, self.showing.card.section))

    def show_again(self, said: str) -> None:
        """Go on with the card on screen as its file has it now."""
        assert self.sitting is not None
        assert self.showing is not None
        self.sitting.look_again()
        showing = self.sitting.show(self.showing.card.id)
        if showing is None or showing.card.hidden:
            self.note = "the card has left its file"
            self._draw_next()
            return
        self.showing, self.question = showing, showing.card.prompt
        words = "CHECK YOURSELF" if self.revealed else self.first_word
        self.head = eyebrow(f"{words}   {clean_place(said)}", "$s-you")
        self.drawn()
        self.repaint()

    def file_changed(self) -> bool:
        """Return whether the card on screen, with nothing before it, has another text in its file now."""
        if self.showing is None or self.desk is None or self.paused or self.app.screen is not self:
            return False
        before, now = self.showing.card, self.desk.store.card(self.showing.card.id)
        return now is not None and (now.text_hash, now.key_points, now.hidden) != (
            before.text_hash,
            before.key_points,
            before.hidden,
        )

    @work(exclusive=True, group="ask")
    async def ask_rewrites(self) -> None:
        """Ask about cards that were rewritten past recognition, if there are any."""
        from studyapp.tui.rewrites import ask_about_rewrites

        if not await ask_about_rewrites(self) or self.sitting is None:
            return
        if self.revealed and self.showing is not None:
            self.show_again("")
        else:
            self.sitting.look_again()
            self._draw_next()
