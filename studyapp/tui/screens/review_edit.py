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

    @work(exclusive=True, group="ask")
    async def ask_rewrites(self) -> None:
        """Ask about cards that were rewritten past recognition, if there are any."""
        from studyapp.tui.rewrites import ask_about_rewrites

        if await ask_about_rewrites(self) and self.sitting is not None and not self.revealed:
            self.sitting.look_again()
            self._draw_next()
