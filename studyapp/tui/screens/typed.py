"""Type an answer before revealing it: one line, shown beside the answer; it suggests a grade at most."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from studyapp.tui.widgets.prose import Prose


class TypedAnswer(ModalScreen[str | None]):
    """Returns the typed line, or None when the learner went back."""

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    TypedAnswer { background: $s-bg; align: center middle; }
    TypedAnswer Vertical { width: 100%; max-width: 88; height: auto; margin: 0 2 0 3; }
    TypedAnswer Input, TypedAnswer Input:focus {
        margin: 1 0 1 0; border: none; height: 1; padding: 0 1; background: $s-panel; color: $s-text;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "give_up", "back", id="typed.back", tooltip="Back to saying it")
    ]

    def __init__(self, prompt: str, kind: str = "") -> None:
        """Ask for a line.

        Args:
            prompt: The question.
            kind: The card's kind: a number is asked for with its unit.
        """
        super().__init__()
        self.prompt = prompt
        self.kind = kind

    def compose(self) -> ComposeResult:
        """Lay out the question and the line."""
        with Vertical():
            number = self.kind == "numeric"
            head = "NUMBER FIRST" if number else "TYPE IT FIRST"
            yield Static(Content.styled(head, "bold $s-you"), markup=False)
            yield Prose(self.prompt, style="bold $s-bright")
            yield Input(placeholder="a number, with its unit" if number else "your answer", max_length=500)
            yield Static(Content.styled("enter reveals   esc goes back to saying it", "$s-muted"), markup=False)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_give_up(self) -> None:
        """Go back without typing."""
        self.dismiss(None)
