"""`orphans` and `rewrites`: what only the learner can say of a card whose text has gone or changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import plural, print_data, say, spoken
from studyapp.core.percent import percent

if TYPE_CHECKING:
    from studyapp.study.settling import Orphan


@words("orphans", data=True)
@click.option("--attach", nargs=2, metavar="ORPHAN CARD", help="Let CARD go on with the history of ORPHAN.")
@click.pass_obj
def orphans_command(call: Call, attach: tuple[str, str] | None) -> int:
    """List the cards that left their files with a history.

    A card that comes back under the same id has it again by itself. For others a card with a similar text is
    named; --attach joins the two. Undo takes that back where CARD has an id in its file.
    """
    from studyapp.study import settling

    with call.desk() as desk:
        if attach:
            settling.attach(desk, *attach)
            call.refresh(desk, changed=True)
        found = settling.orphans_of(desk)
    if call.json:
        print_data([asdict(orphan) for orphan in found])
        return 0
    if attach:
        say(f"{attach[1]} goes on with the history of {attach[0]}.")
        return 0
    _tell_orphans(found, in_words=call.plain)
    return 0


def _tell_orphans(found: list[Orphan], *, in_words: bool) -> None:
    from studyapp.decks.clean import excerpt
    from studyapp.decks.md_plain import plain_line

    for orphan in found:
        answers, prompt = plural(orphan.answers, "answer"), plain_line(orphan.prompt)
        join = f"studyapp orphans --attach {orphan.card} {orphan.alike}"
        if in_words:
            say(*spoken([[f"{orphan.card}, {answers}", prompt]], as_is=True))
            say(*([f"A card {percent(orphan.likeness)} alike takes it with `{join}`."] if orphan.alike else []))
        else:
            say(f"{orphan.card}  {answers}  {excerpt(prompt, 70)}")
            say(*([f"  {percent(orphan.likeness)} alike: {join}"] if orphan.alike else []))
    say(f"{plural(len(found), 'card')} left with a history." if found else "No card with a history has left.")


@words("rewrites", data=True)
@click.option("--keep", metavar="CARD", help="The progress still fits this card.")
@click.option("--start-over", metavar="CARD", help="It is another question now: make the card new.")
@click.pass_obj
def rewrites_command(call: Call, keep: str | None, start_over: str | None) -> int:
    """List cards that were rewritten past recognition.

    Their progress is kept until you say otherwise. Less than half of the words of such a card are those that you
    learned.
    """
    from studyapp.study import settling

    if keep and start_over:
        raise click.UsageError("--keep and --start-over exclude each other.")
    with call.desk() as desk:
        if keep:
            settling.keep(desk, keep)
        if start_over:
            settling.begin_anew(desk, start_over)
            call.refresh(desk, changed=True)
        found = settling.rewrites_of(desk)
    if call.json:
        print_data([asdict(rewrite) for rewrite in found])
        return 0
    if keep or start_over:
        say(f"{keep} keeps its progress." if keep else f"{start_over} starts over.")
        return 0
    from studyapp.decks.clean import excerpt
    from studyapp.decks.md_plain import plain_line

    for rewrite in found:
        alike, was, now = (
            f"{percent(rewrite.likeness)} alike",
            plain_line(rewrite.old_prompt),
            plain_line(rewrite.prompt),
        )
        if call.plain:
            say(*spoken([[rewrite.card, alike], ["It was", was], ["It is now", now]], as_is=True))
        else:
            say(f"{rewrite.card}  {alike}", f"  was  {excerpt(was, 90)}", f"  now  {excerpt(now, 90)}")
    say(f"{plural(len(found), 'card')} rewritten; --keep CARD or --start-over CARD." if found else "None waits.")
    return 0
