"""Small panels of Browse and its neighbours: choose by a key, or write one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

Choice = tuple[str, str, str]
"""A key, what it does in words, and the style of the words."""

_CSS = """
{0} {{ background: $s-bg 60%; align: center middle; }}
{0} Vertical {{
    width: 100%; max-width: 76; height: auto; max-height: 100%; padding: 1 2 1 3;
    background: $s-panel; color: $s-text;
}}
"""


class Choose(ModalScreen[str | None]):
    """Asks a question and returns the key that was pressed, None for going back."""

    CSS = _CSS.format("Choose")  # the app's own would hide the screen below
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "give_up", "back", id="choose.back", tooltip="Change nothing")
    ]

    def __init__(self, title: str, text: Sequence[Content], choices: Sequence[Choice]) -> None:
        super().__init__()
        self.question = title
        self.text = text
        self.choices = choices

    def compose(self) -> ComposeResult:
        """Lay out the question, what it is about, and the keys."""
        with Vertical():
            yield Static(Content.styled(self.question, "bold $s-bright"), markup=False)
            if self.text:
                yield Static(Content("\n").join([Content(""), *self.text]), markup=False)
            lines = [
                Content.assemble((f"{key:>5}  ", "bold $s-bright"), (words, style))
                for key, words, style in (*self.choices, ("esc", "change nothing", "$s-muted"))
            ]
            yield Static(Content("\n").join([Content(""), *lines]), markup=False)

    def on_key(self, event: events.Key) -> None:
        """Take a key that was offered."""
        if any(event.character == key for key, _, _ in self.choices):
            event.stop()
            self.dismiss(event.character)

    def action_give_up(self) -> None:
        """Go back and change nothing."""
        self.dismiss(None)


class Line(ModalScreen[str | None]):
    """Asks for one line, None for going back."""

    AUTO_FOCUS = "Input"
    CSS = (
        _CSS.format("Line")
        + """
    Line Input, Line Input:focus {
        margin: 1 0 1 0; border: none; height: 1; padding: 0 1; background: $s-track; color: $s-bright;
    }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "back", id="line.back", tooltip="Change nothing")
    ]

    def __init__(self, title: str, hint: str, value: str = "") -> None:
        super().__init__()
        self.question = title
        self.advice = hint
        self.value = value

    def compose(self) -> ComposeResult:
        """Lay out the question and the line."""
        with Vertical():
            yield Static(Content.styled(self.question, "bold $s-bright"), markup=False)
            line = Input(self.value, max_length=200)
            line.cursor_blink = False
            yield line
            yield Static(Content.styled(self.advice, "$s-muted"), markup=False)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_give_up(self) -> None:
        """Go back and change nothing."""
        self.dismiss(None)
