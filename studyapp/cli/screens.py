"""The commands that open the full screen, or lines with `--plain`; only where there is a screen at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.full_screen import in_lines, open_screen, review
from studyapp.cli.group import Queries, words
from studyapp.cli.output import note
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond

MOST_AHEAD_DAYS = 365
"""Further ahead hardly a card is remembered worse than now."""


def _minutes(context: click.Context, parameter: click.Parameter, value: float | None) -> None:
    if value is not None:
        context.ensure_object(Call).flags["timebox_minutes"] = f"{value:g}"


@words("review")
@click.argument("module", required=False)
@click.option(
    "--ahead",
    metavar="DAYS",
    type=click.IntRange(1, MOST_AHEAD_DAYS),
    help="Cards due within so many days: an early answer is a true review.",
)
@click.option("--cram", is_flag=True, help="Any card you were taught, until it was Good once; moves nothing.")
@click.option(
    "--reschedule/--no-reschedule",
    default=None,
    help="Let a cram's answers count as reviews, or those ahead move nothing.",
)
@click.option(
    "--minutes",
    metavar="N",
    type=click.FloatRange(0, 240),
    callback=_minutes,
    expose_value=False,
    help="Offer to end after so many minutes at the cards.",
)
@click.pass_obj
def review_command(call: Call, module: str | None, ahead: int | None, cram: bool, reschedule: bool | None) -> int:
    """Answer the cards that are due.

    Those of one MODULE, or of all.
    """
    return review(call, module, _wish(ahead, cram, reschedule))


def _wish(ahead: int | None, cram: bool, reschedule: bool | None) -> Beyond | None:
    """Return what the options ask for beyond today's cards.

    Raises:
        UsageError: If they ask for two things at once, or for none that could move.
    """
    if cram and ahead is not None:
        raise UsageError("--ahead and --cram ask for different cards.", "Give one of them.")
    if not cram and ahead is None:
        if reschedule is not None:
            raise UsageError("--reschedule goes with --cram, --no-reschedule with --ahead.", "Add one of them.")
        return None
    from studyapp.core.cram import Beyond  # brings the queue: 5 ms that a first paint would wait for

    return Beyond(ahead, moves=ahead is not None if reschedule is None else reschedule)


@words("read")
@click.argument("module", required=False)
@click.pass_obj
def read_command(call: Call, module: str | None) -> int:
    """Read a lesson section by section.

    MODULE is the lesson; without one, the first that has something unread. A section that was read releases its
    cards.
    """
    if not in_lines(call):
        return open_screen(call, "read", module)
    from studyapp.plain.read import read
    from studyapp.plain.talk import Talk

    with call.desk() as desk:
        return read(desk, Talk(ascii=call.settings.ascii), call.settings, module)


@words("browse", cls=Queries)
@click.argument("query", nargs=-1)
@click.pass_obj
def browse_command(call: Call, query: tuple[str, ...]) -> int:
    """Look through all cards.

    QUERY finds some of them, as in list. Cards can be put away, tagged, flagged, edited and put on trial.
    """
    from studyapp.core.queries import parse

    wanted = " ".join(query)
    parse(wanted)  # a wrong word is said here, not on a screen
    if not in_lines(call):
        from studyapp.tui.app import run_app

        return run_app(call.settings, "browse", wanted or None)
    from studyapp.plain.browse import browse
    from studyapp.plain.talk import Talk

    with call.desk() as desk:
        return browse(desk, Talk(ascii=call.settings.ascii), wanted)


@words("race")
@click.pass_obj
def race_command(call: Call) -> int:
    """Race the CPU against a GPU, batch by batch.

    In lines: one race at the lesson's width, as sentences and a table; without a GPU one on paper, then one core
    against all.
    """
    if not in_lines(call):
        return open_screen(call, "race", None)
    from studyapp.cli.output import say
    from studyapp.plain.race import race

    with call.desk() as desk:
        found = race(desk, call.settings, note)
    for trial in found:
        say(*trial.lines)
    return 0 if all(trial.judged for trial in found) else 4


@words("lab")
@click.pass_obj
def lab_command(call: Call) -> int:
    """Open all experiments with their verdicts here.

    They stand under the sections of the lesson. In lines it prints the list.
    """
    if not in_lines(call):
        return open_screen(call, "lab", None)
    from studyapp.cli.output import say
    from studyapp.plain.lab import lab_lines
    from studyapp.study.lab import gather

    with call.desk() as desk:
        say(*lab_lines(desk, gather(desk), ascii=call.settings.ascii))
    say("", "`studyapp run NAME --plain --predict N` runs one, after your number.")
    return 0
