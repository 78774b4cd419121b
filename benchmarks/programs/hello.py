"""The smallest Textual program: one line of text. What any Textual program pays before it shows anything."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """Says hello."""

    def compose(self) -> ComposeResult:
        """Lay out the one line."""
        yield Static("HELLO-THERE")


if __name__ == "__main__":
    Hello().run()
