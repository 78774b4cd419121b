"""`corrections`: what the learner found wrong, listed, exported for the author, taken back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import note, plural, print_data, say, spoken
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.store.corrections import StoredCorrection


@words("corrections", data=True)
@click.option("--add", "card", metavar="CARD", help="Write one for a card; its text follows with --text.")
@click.option("--text", metavar="TEXT", help="What is wrong and what is right.")
@click.option("--withdraw", metavar="ID", help="Take one back.")
@click.option("--export", "path", type=click.Path(path_type=Path), metavar="FILE", help="Write all as Markdown.")
@click.pass_obj
def corrections_command(
    call: Call, card: str | None, text: str | None, withdraw: str | None, path: Path | None
) -> int:
    """List or export the corrections you wrote.

    In the program `!` writes one on any card, with the run that contradicts it attached.
    """
    from studyapp.study import correcting

    if (card is None) != (text is None):
        raise UsageError("A correction needs its card and its text.", "Write --add CARD --text TEXT.")
    with call.desk() as desk:
        if card is not None and text is not None:
            correcting.correct(desk, card, text)
        if withdraw is not None:
            note(f"Taken back: {correcting.withdraw(desk, withdraw).text}")
        found = desk.store.corrections()
        if path is not None:
            _write(path, correcting.as_markdown(desk))
            note(f"{plural(len(found), 'correction')} written to {path}.")
    if call.json:
        print_data([fields(correction) for correction in found])
    elif path is None:
        told = _told if call.plain else _lines
        say(*(line for correction in found for line in told(correction)))
        if not found:
            say("No corrections yet. `!` on a card writes one, and so does `studyapp corrections --add CARD`.")
    return 0


def fields(correction: StoredCorrection) -> dict[str, Any]:
    """Return a correction as `--json` prints it."""
    from studyapp.core.days import instant_of

    return {
        "id": correction.uid,
        "card": correction.card,
        "text": correction.text,
        "run": correction.run,
        "prompt": correction.prompt,
        "answer": correction.answer,
        "written_at": instant_of(correction.written_at_ms).isoformat(),
    }


def _lines(correction: StoredCorrection) -> list[str]:
    evidence = f"   run {correction.run[:8]}" if correction.run else ""
    return [f"{correction.uid[:8]}  {correction.card}{evidence}", *(f"  {line}" for line in _text(correction))]


def _told(correction: StoredCorrection) -> list[str]:
    evidence = f", with run {correction.run[:8]}" if correction.run else ""
    return spoken(
        [[f"{correction.uid[:8]}, of {correction.card}{evidence}", " ".join(correction.text.split())]], as_is=True
    )


def _text(correction: StoredCorrection) -> list[str]:
    from studyapp.decks.clean import clean

    return clean(correction.text).split("\n")


def _write(path: Path, text: str) -> None:
    if path.exists():
        raise UsageError(f"{path} exists already; it was left as it is.", "Name a new file.")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Name another place.") from error
