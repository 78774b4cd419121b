"""Write a correction of a card: what is wrong, with the run that contradicts it named below."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static, TextArea

from studyapp.core.errors import StudyError
from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.prose import Prose

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard, StoredRun


class CorrectionScreen(StudyScreen):
    """A few lines of text, kept with the card and the evidence."""

    PLACE = "correction"
    AUTO_FOCUS = "TextArea"
    HELP = (
        "Say what is wrong on the card and what is right. The run that contradicts it goes along. "
        "`studyapp corrections --export FILE` writes all of them as Markdown, ready for the lesson's author."
    )
    DEFAULT_CSS = """
    CorrectionScreen #about { margin: 1 2 0 3; height: auto; max-height: 40%; }
    CorrectionScreen Prose { margin: 0 2 0 3; height: auto; max-height: 30%; }
    CorrectionScreen TextArea, CorrectionScreen TextArea:focus {
        margin: 1 2 0 3; border: none; padding: 0 1; height: 1fr; min-height: 3;
        background: $s-panel; color: $s-text;
    }
    CorrectionScreen #evidence { margin: 1 2 1 3; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+s,f2",
            "keep",
            "keep it",
            key_display="ctrl+s",
            priority=True,
            id="correction.keep",
            tooltip="Keep it",
        ),
        Binding(
            "escape", "back", "back", id="correction.back", key_display="esc", tooltip="Back without keeping it"
        ),
    ]

    def __init__(self, card: str, run: str | None = None) -> None:
        super().__init__()
        self._wanted_run = run
        self.card_id = card
        self.card: StoredCard | None = None
        self.run: StoredRun | None = None
        self.text = TextArea("", compact=True, soft_wrap=True)
        self.evidence = Static("", id="evidence", markup=False)

    def compose(self) -> ComposeResult:
        """Lay out the card, the text and the evidence."""
        from studyapp.study.correcting import contradicting_run

        self.card = self.desk.store.card(self.card_id) if self.desk is not None else None
        if self.card is not None and self.desk is not None:
            wanted = self._wanted_run
            self.run = self.desk.store.run_of(wanted) if wanted else contradicting_run(self.desk, self.card)
        yield self.top
        yield Static(Content.styled("WHAT IS WRONG HERE?", "bold $s-you"), id="about", markup=False)
        yield Prose(self.card.prompt if self.card is not None else "", style="bold $s-bright")
        yield self.text
        yield self.evidence
        yield self.keys

    def begin(self) -> None:
        """Say which run goes along."""
        self.evidence.update(Content.styled(self._evidence(), "$s-muted"))

    def _evidence(self) -> str:
        run = self.run
        if run is None or run.verdict is None:
            return "No run goes along: put the card on trial first (x) if it can be measured."
        words = OUTCOME_WORDS[run.verdict.outcome]
        return clean_place(f"goes along: {run.experiment} on {run.device}, {words}. {run.verdict.because}")

    async def action_keep(self) -> None:
        """Store it and go back."""
        from studyapp.study.correcting import correct

        if self.desk is None:
            return
        run = self.run.uid if self.run is not None else None
        try:
            await asyncio.to_thread(correct, self.desk, self.card_id, self.text.text, run)
        except StudyError as error:
            self.evidence.update(Content.styled(clean_place(f"{error.message} {error.hint}"), "$s-again"))
            return
        self.dismiss(True)
