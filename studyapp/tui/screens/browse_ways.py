"""Where the card under the cursor leads from Browse: to all of it, its trial, its lesson, what it is now."""

from __future__ import annotations

from studyapp.tui.screens.browse_acts import BrowseActs


class BrowseWays(BrowseActs):
    """The actions that open another screen."""

    def action_open(self) -> None:
        """Show everything about the card."""
        from studyapp.tui.screens.browse_card import CardScreen

        if self.here is not None:
            self.app.push_screen(CardScreen(self.here.card.id))

    def action_trial(self) -> None:
        """Put the answer on trial."""
        if self.here is not None and self.here.card.experiments:
            from studyapp.tui.screens.experiment import ExperimentScreen

            self.app.push_screen(ExperimentScreen.of(list(self.here.card.experiments)))

    def action_place(self) -> None:
        """Open the lesson where the card stands."""
        if self.here is not None:
            from studyapp.tui.screens.read import ReadScreen

            card = self.here.card
            if card.hidden:
                self.say(self.with_keys("This card has left its lesson; {browse.attach} says which it is now."))
            else:
                self.app.push_screen(ReadScreen(card.module, card.section))

    def action_attach(self) -> None:
        """Say what card this one is now, that left its file."""
        if self.here is not None:
            from studyapp.tui.screens.orphans import OrphansScreen

            self.app.push_screen(OrphansScreen(self.here.card.id))
