"""`!` on a card: write what is wrong, keep it, and be back on the same card."""

from __future__ import annotations

from collections.abc import Callable

from studyapp.study.reading import finish
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.correction import CorrectionScreen
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.drive import open_desk, reveal, text_of, until

Maker = Callable[..., StudyApp]


async def test_a_correction_written_in_review_is_kept_and_the_card_is_still_there(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        finish(app.desk, app.desk.store.modules()[0].id, None)
        screen = ReviewScreen(None)
        app.push_screen(screen)
        await until(pilot, lambda: screen.showing)
        assert screen.showing is not None
        card = screen.showing.card.id
        await reveal(app, pilot)
        await pilot.press("exclamation_mark")
        await until(pilot, lambda: isinstance(app.screen, CorrectionScreen))
        await until(pilot, lambda: "WHAT IS WRONG" in text_of(app))

        await pilot.press("ctrl+s")  # nothing written yet: said, not stored
        await until(pilot, lambda: "Nothing was written" in text_of(app))
        await pilot.press("q", "1", "space", "x", "ctrl+s")  # letters are text here, not commands
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))

        assert [(kept.card, kept.text) for kept in app.desk.store.corrections()] == [(card, "q1 x")]
        assert screen.showing.card.id == card
        assert screen.revealed
