"""Type an answer before revealing it: one line, shown beside the answer; it suggests a grade at most."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import TopBar
from studyapp.tui.widgets.prose import Prose


class TypedAnswer(StudyScreen):
    """Returns the typed line, or None when the learner went back."""

    PLACE = "review"
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    /* the question stands where it stood on the card: below it are the tiles */
    TypedAnswer #middle { height: 1fr; margin: 1 0 4 0; align: center middle; }
    TypedAnswer.-low #middle { margin: 0 0 0 0; }
    TypedAnswer Prose { margin: 0 2 0 0; }
    TypedAnswer #asked { width: 100%; max-width: 88; height: auto; max-height: 100%; margin: 0 2 0 3; }
    TypedAnswer #line { height: 3; margin: 1 0 0 0; }
    TypedAnswer #mark { width: 2; }
    TypedAnswer Input, TypedAnswer Input:focus {
        width: 1fr; border: none; height: 1; padding: 0; background: $s-panel; color: $s-text;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "reveal", "reveal", id="typed.reveal", tooltip="Show the answer beside it"),
        Binding("escape", "give_up", "say it instead", id="typed.back", tooltip="Back to saying it"),
    ]

    def __init__(self, prompt: str, kind: str = "", top: TopBar | None = None) -> None:
        """Ask for a line.

        Args:
            prompt: The question.
            kind: The card's kind: a number is asked for with its unit.
            top: The first row of the review, which stays as it is.
        """
        super().__init__()
        self.before = top
        self.prompt = prompt
        self.kind = kind

    def compose(self) -> ComposeResult:
        """Lay out the question and the line."""
        yield self.top
        with Vertical(id="middle"), Vertical(id="asked"):
            number = self.kind == "numeric"
            head = "NUMBER FIRST" if number else "TYPE IT FIRST"
            hint = "a number, with its unit" if number else "your answer"
            yield Static(Content.styled(head + "\n", "bold $s-you"), markup=False)
            yield Prose(self.prompt, style="bold $s-bright")
            with Horizontal(id="line"):
                yield Static(Content.styled("› ", "bold $s-you"), id="mark", markup=False)
                yield Input(placeholder=hint, max_length=500)
        yield self.keys

    def begin(self) -> None:
        """Say where one is: in the review."""
        if self.before is not None:
            self.top.show(self.before.place)

    def on_resize(self, event: events.Resize) -> None:
        """Give up the rows for the tiles in a low window."""
        self.set_class(event.size.height < 16, "-low")

    def offers(self, binding: Binding) -> bool:
        """Return whether a binding does something now; `?` is a letter of the answer here."""
        return binding.id != "help" and super().offers(binding)

    def action_reveal(self) -> None:
        """Take the line; the line itself does so where it has the focus."""
        self.dismiss(self.query_one(Input).value)

    @on(Input.Submitted)
    def _done(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_give_up(self) -> None:
        """Go back without typing."""
        self.dismiss(None)
