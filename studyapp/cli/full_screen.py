"""What opens the full screen, or lines where it cannot be shown. No word is parsed here: click is not needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from studyapp.cli.call import Call, dumb, locale_trouble
from studyapp.cli.output import note
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond


def home(call: Call) -> int:
    """Open the program without a command; in lines it tells what Home shows and how to go on."""
    call.prepare()
    if in_lines(call):
        from studyapp.cli.output import say
        from studyapp.cli.today import due_words
        from studyapp.plain.home import home_lines

        with call.desk() as desk:
            say(*home_lines(desk, due_words(desk)))
            call.refresh(desk, changed=False)
        return 0
    settings = call.settings
    new = not settings.db.exists() and not settings.config.exists()
    return open_screen(call, "first" if new else "home", None)


def review(call: Call, module: str | None = None, wish: Beyond | None = None) -> int:
    """Ask the cards that are due, of one module or of all, or those that are wished for beyond today's."""
    call.prepare()
    if not in_lines(call):
        return open_screen(call, "review", module, wish)
    from studyapp.plain.review import review as in_plain_lines
    from studyapp.plain.talk import Talk

    with call.desk() as desk:
        return in_plain_lines(desk, Talk(ascii=call.settings.ascii), call.settings, module, wish)


def open_screen(call: Call, start: str, target: str | None, wish: Beyond | None = None) -> int:
    """Open the full screen at a place.

    Raises:
        UsageError: If there is no such module.
    """
    if target is not None:
        from studyapp.study.reading import contents

        with call.desk() as desk:  # a wrong name is said here, not on an empty screen
            target = contents(desk, target).module
    from studyapp.tui.app import run_app

    return run_app(call.settings, start, target, wish)


def in_lines(call: Call) -> bool:
    """Whether lines take the place of the full screen: asked for, or all that this terminal can show.

    Raises:
        UsageError: If there is no terminal and lines were not asked for.
    """
    if call.settings.plain:
        return True
    # the screen is written to standard error, so looking at standard output alone would tell nothing
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError(
            "The full screen needs a terminal (try ssh -t).",
            "`studyapp review --plain` and `read --plain` work in pipes and without one.",
        )
    if dumb():
        note("This terminal (TERM) cannot draw a full screen, so here come plain lines.")
        return True
    if "ascii" not in call.settings.sources and (trouble := locale_trouble()):
        note(
            f"UTF-8 cannot be shown here ({trouble}), so here come plain lines; LC_ALL=C.UTF-8 brings the screen."
        )
        return True
    return False
