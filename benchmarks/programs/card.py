"""Flash cards in memory, in the fewest lines of Textual: no store, no schedule, no marks in the text.

Shows what the terminal library alone costs when a key is pressed. Usage: card.py [CARDS]
"""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Header, Static


class Cards(App[None]):
    """One question at a time; space shows the answer, 1 to 4 go on."""

    CSS = (
        "#question { border: round $primary; padding: 1 2; height: auto; } #answer { padding: 1 2; height: 1fr; }"
    )
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "reveal", "reveal"),
        *(Binding(str(n), f"grade({n})", name) for n, name in enumerate(("Again", "Hard", "Good", "Easy"), 1)),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, cards: int) -> None:
        super().__init__()
        self.cards = [
            (
                f"question-{n:04d} What does a row cost?",
                f"answer-{n:04d} Launches and bookkeeping: a fixed cost, whatever the number of rows.",
            )
            for n in range(cards)
        ]
        self.at = 0

    def compose(self) -> ComposeResult:
        """Lay out the card."""
        yield Header()
        yield Static(self.cards[0][0], id="question", markup=False)
        yield Static("", id="answer", markup=False)
        yield Footer()

    def action_reveal(self) -> None:
        """Show the answer."""
        self.query_one("#answer", Static).update(self.cards[self.at][1])

    def action_grade(self, rating: int) -> None:
        """Go on to the next card."""
        self.at = (self.at + 1) % len(self.cards)
        self.query_one("#answer", Static).update("")
        self.query_one("#question", Static).update(self.cards[self.at][0])


if __name__ == "__main__":
    Cards(int(sys.argv[1]) if len(sys.argv) > 1 else 250).run()
