"""To the learner's editor and back: the screen steps aside, the file is read again, the card is the same."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported
from textual.content import Content

from studyapp.core.errors import DeckError, StudyError, UsageError
from studyapp.study.opening import lesson_places
from studyapp.tui.screens.browse_asks import Choose, Line

if TYPE_CHECKING:
    from studyapp.core.cards import Card, Problem
    from studyapp.tui.app import StudyApp
    from studyapp.tui.screens.base import StudyScreen

MOST_FILES = 8
"""Files offered for a new card, by number."""


async def edit_card(screen: StudyScreen, card_id: str) -> str:
    """Open a card's file at its line in the editor and bring the changes in; call it from a worker.

    Returns:
        What came of it, in one sentence; "" for a learner who changed nothing and went back.
    """
    from studyapp.study import editing

    if screen.desk is None:
        return ""
    try:
        place = editing.place_of(screen.desk, card_id)
        command = editing.editor_command(screen.study.settings.editor)
        if place.is_shipped:
            if not await _may_copy(screen, place.path):
                return ""
            place = editing.copy_own(place, screen.study.settings.data_dir / "lessons")
        trouble = _in_editor(screen, command, place.path, place.line)
        problems = await _read_again(screen)
    except StudyError as error:
        return f"{error.message} {error.hint}"
    card = screen.desk.store.card(card_id)
    if not trouble and card is not None and card.hidden:
        return f"The card has left {place.path.name}; its history is kept."
    return trouble or _told(problems, place.path)


def _told(problems: list[Problem], path: Path) -> str:
    for problem in problems:
        if Path(problem.path) == path:
            return f"Line {problem.line}: {problem.message}"
    return f"{path.name} was read again."


async def _may_copy(screen: StudyScreen, path: Path) -> bool:
    text = [
        Content.styled(f"{path.name} came with the program and is not changed.", "$s-text"),
        Content.styled("A copy among your own lessons takes its place; ids and progress stay.", "$s-muted"),
    ]
    choices = [("c", "copy it and edit the copy", "$s-text")]
    return await screen.app.push_screen_wait(Choose("Edit a copy of this lesson?", text, choices)) == "c"


async def _read_again(screen: StudyScreen) -> list[Problem]:
    from studyapp.study.editing import reread

    assert screen.desk is not None
    return await asyncio.to_thread(reread, screen.desk, lesson_places(screen.study.settings))


def _in_editor(screen: StudyScreen, command: list[str], path: Path, line: int) -> str:
    """Run the editor on the terminal, which is no time to think; return what went wrong in words, or ""."""
    from studyapp.study.editing import EditorError, run_editor

    app = screen.study
    screen.went_away()
    try:
        with _deaf(app), app.suspend():
            run_editor(command, path, line)
    except SuspendNotSupported:
        return "An editor cannot be opened on this terminal."
    except EditorError as error:
        return f"{error.message} {error.hint}"
    finally:
        screen.came_back()
    return ""


@contextlib.contextmanager
def _deaf(app: StudyApp) -> Iterator[None]:
    """Let Ctrl-C be the editor's alone: the terminal sends it to us as well."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGQUIT)
    before = {}
    for number in numbers:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(number)
            before[number] = signal.signal(number, lambda *_: None)  # not ignored: the editor would inherit that
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        app.own_the_signals()


async def new_card(screen: StudyScreen, module: str = "") -> tuple[str, str | None]:
    """Ask for a file, let a card be written in the editor, append it with an id; call it from a worker.

    Args:
        screen: Where it is asked.
        module: The lesson looked at, whose file is offered first.

    Returns:
        What came of it in one sentence, and the new card's id or None.
    """
    from studyapp.study import adding, editing

    if screen.desk is None:
        return "", None
    folder = screen.study.settings.data_dir / "lessons"
    try:
        command = editing.editor_command(screen.study.settings.editor)
        target = await _which_file(screen, folder, module)
        if target is None:
            return "", None
        draft = adding.draft(screen.study.settings.data_dir)
        try:
            trouble, cards = await _written(screen, command, draft)
            if not cards:
                return trouble or "No card was written.", None
            added = adding.append(screen.desk, target, cards)
        finally:
            draft.unlink(missing_ok=True)
        await _read_again(screen)
        await asyncio.to_thread(adding.release, screen.desk, added)
    except StudyError as error:
        return f"{error.message} {error.hint}", None
    count = "The card is" if len(added.cards) == 1 else f"{len(added.cards)} cards are"
    return f"{count} in {target.name}.", added.cards[0]


async def _written(screen: StudyScreen, command: list[str], draft: Path) -> tuple[str, tuple[Card, ...]]:
    """Let cards be written until they can be read, or the learner gives them up; return trouble and cards."""
    from studyapp.study import adding

    while True:
        trouble = _in_editor(screen, command, draft, adding.FIRST_LINE)
        try:
            return trouble, adding.written_in(draft)
        except DeckError as error:
            text = [Content.styled(error.message, "$s-text"), Content.styled(error.hint, "$s-muted")]
            choices = [("e", "open the editor again, with what you wrote", "$s-text"), ("d", "drop it", "$s-text")]
            if await screen.app.push_screen_wait(Choose("This is no card yet", text, choices)) != "e":
                return "No card was written.", ()


async def _which_file(screen: StudyScreen, folder: Path, module: str) -> Path | None:
    """Ask which of the learner's files the card goes to, or the title of a new one."""
    from studyapp.study import adding, editing

    assert screen.desk is not None
    files = await asyncio.to_thread(editing.own_files, lesson_places(screen.study.settings))
    here = next((m.path for m in screen.desk.store.modules() if m.id == module), "")
    files.sort(key=lambda path: (str(path) != here, path.name))
    choices = [(str(n), path.name, "$s-text") for n, path in enumerate(files[:MOST_FILES], start=1)]
    choices.append(("n", "a new deck", "$s-text"))
    key = await screen.app.push_screen_wait(Choose("A new card: into which file?", [], choices))
    if key is None:
        return None
    if key != "n":
        return files[int(key) - 1]
    title = await screen.app.push_screen_wait(Line("A new deck", "its title", "My cards"))
    if not title or not title.strip():
        return None
    if len(title.split()) > 12:
        raise UsageError("A title has at most twelve words.", "Say it shorter.")
    return adding.new_file(folder, title)
