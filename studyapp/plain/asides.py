"""What else can be done with the card that is asked, in lines: put it away, say what is wrong with it."""

from __future__ import annotations

from studyapp.core.errors import StudyError
from studyapp.plain.talk import Talk
from studyapp.study.correcting import correct
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Showing, Sitting

PUT_AWAY = ("b", "z")
CORRECT = "!"
HELP = "h"
HELP_WORDS = (
    "b puts the card away until tomorrow, z for good; u takes either back. ! writes down what is wrong with it. "
    "q ends the sitting; all that was answered is stored."
)


def put_away(sitting: Sitting, showing: Showing, key: str, talk: Talk) -> None:
    """Put a card away until tomorrow (b) or for good (z), and say so."""
    if key == "b":
        sitting.bury(showing)
        talk.say("Put away until tomorrow. u takes it back.")
    else:
        sitting.suspend(showing)
        talk.say("Put away for good. u takes it back.")


def write_correction(desk: Desk, card: str, talk: Talk) -> None:
    """Ask what is wrong with a card and store it.

    Raises:
        Over: If the learner leaves, or the input has ended.
    """
    text = talk.ask_line("What is wrong, and what is right? One line; enter alone writes nothing, q quits.")
    if not text:
        talk.say("Nothing was written.")
        return
    try:
        correct(desk, card, text)
    except StudyError as error:
        talk.say(error.message, error.hint)
        return
    talk.say("Your correction is stored. `studyapp corrections` lists them.")
