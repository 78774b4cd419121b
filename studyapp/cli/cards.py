"""Looking at cards: `list` and `show`; other commands find a card here too."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import Queries, words
from studyapp.cli.output import columns, plural, print_data, say, spoken
from studyapp.core.days import day_to_iso, instant_of
from studyapp.core.errors import UsageError

if TYPE_CHECKING:
    from studyapp.core.reviews import Memory, ReviewRow
    from studyapp.store.card_marks import Marked
    from studyapp.store.records import StoredCard, StoredRun
    from studyapp.study.desk import Desk

RATINGS = ("again", "hard", "good", "easy")


def find_card(desk: Desk, card_id: str) -> StoredCard:
    """Return a card by its id.

    Raises:
        UsageError: If there is none; the hint names the nearest ids.
    """
    card = desk.store.card(card_id)
    if card is not None:
        return card
    known = [card.id for card in desk.store.cards()]
    near = [i for i in known if card_id in i][:3] or difflib.get_close_matches(card_id, known, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`studyapp list` shows the cards."
    raise UsageError(f"There is no card {card_id!r}.", hint)


def due_of(memory: Memory) -> str | None:
    """Return an ISO date, an ISO instant for a step, or None for a card that was never answered."""
    if memory.due_day is not None:
        return day_to_iso(memory.due_day)
    return None if memory.due_at_ms is None else instant_of(memory.due_at_ms).isoformat()


@words("list", data=True, cls=Queries)
@click.argument("query", nargs=-1)
@click.pass_obj
def list_command(call: Call, query: tuple[str, ...]) -> int:
    """List cards.

    Those that QUERY finds: words of their text, and terms such as is:due, tag:gpu, module:gpu, prop:s<5, rated:7,
    experiment:kept, flag:red, "batch size". A minus before a term means not, OR one of two. Without QUERY, all.
    """
    from studyapp.study.browsing import find_cards, marks_of_cards

    with call.desk() as desk:
        cards = find_cards(desk, " ".join(query)) if query else desk.store.cards()
        marked = marks_of_cards(desk, [card.id for card in cards])
    if call.json:
        print_data([_fields(card) | marked_fields(marked.get(card.id)) for card in cards])
        return 0
    from studyapp.decks.md_plain import plain_line

    if call.plain:
        say(*spoken([[f"{card.id}, {_told(card)}", plain_line(card.prompt)] for card in cards], as_is=True))
    else:
        say(*columns([[card.id, _when(card), plain_line(card.prompt)] for card in cards]))
    if not cards:
        say("No card fits this query." if query else "There are no cards yet.")
    return 0


def marked_fields(marked: Marked | None) -> dict[str, Any]:
    """Return the learner's own marks of a card as `--json` prints them."""
    return {"own_tags": marked.tags if marked else (), "flag": marked.flag if marked else ""}


def _when(card: StoredCard) -> str:
    if card.suspended:
        return "suspended"
    due = due_of(card.memory)
    return due[:16] if due else "new"


def _told(card: StoredCard) -> str:
    when = _when(card)
    return f"due {when.replace('T', ' at ')}" if when[:1].isdigit() else when


def _fields(card: StoredCard) -> dict[str, Any]:
    return {
        "id": card.id,
        "kind": card.kind,
        "module": card.module,
        "section": card.section,
        "prompt": card.prompt,
        "state": card.memory.state.name.lower(),
        "due": due_of(card.memory),
        "suspended": card.suspended,
        "leech": card.leech,
        "tags": card.tags,
        "experiments": [{"experiment": k.experiment, "controls": dict(k.controls)} for k in card.experiments],
    }


@words("show", data=True)
@click.argument("card")
@click.pass_obj
def show_command(call: Call, card: str) -> int:
    """Show one card.

    CARD is its id. Shows answer, key points, memory, last answers and trials.
    """
    from studyapp.study.browsing import log_of, marks_of_cards

    with call.desk() as desk:
        found = find_card(desk, card)
        rows = log_of(desk, found.id)
        marked = marks_of_cards(desk, [found.id]).get(found.id)
        runs = [run for link in found.experiments if (run := desk.store.last_run(link.experiment))]
    if call.json:
        print_data(_whole(found, rows, runs) | marked_fields(marked))
    else:
        say(*_lines(found, rows, runs, in_words=call.plain))
        own = marked_fields(marked)
        say(*([f"Your tags: {' '.join(own['own_tags'])}."] if own["own_tags"] else []))
        say(*([f"Your flag: {own['flag']}."] if own["flag"] else []))
    return 0


def _whole(card: StoredCard, rows: list[ReviewRow], runs: list[StoredRun]) -> dict[str, Any]:
    memory = card.memory
    return _fields(card) | {
        "answer": card.answer,
        "key_points": card.key_points,
        "path": card.path,
        "line": card.line,
        "hidden": card.hidden,
        "stability": memory.stability,
        "difficulty": memory.difficulty,
        "interval_days": memory.interval_days,
        "reps": memory.reps,
        "lapses": memory.lapses,
        "reviews": [
            {
                "at": instant_of(row.at_ms).isoformat(),
                "study_day": day_to_iso(row.study_day),
                "rating": row.rating,
                "kind": row.kind,
                "run": row.run,
            }
            for row in rows
        ],
        "runs": [
            {
                "experiment": run.experiment,
                "device": run.device,
                "started_at": instant_of(run.started_at_ms).isoformat(),
                "verdict": run.verdict.as_json() if run.verdict else None,
            }
            for run in runs
        ],
    }


def _lines(card: StoredCard, rows: list[ReviewRow], runs: list[StoredRun], *, in_words: bool = False) -> list[str]:
    from studyapp.core.verdicts import OUTCOME_WORDS
    from studyapp.decks.md_plain import plain_lines

    head = (
        f"{card.id}, of {card.module}, {_told(card)}."
        if in_words
        else f"{card.id}  ({card.module}, {_when(card)})"
    )
    lines = [head, "", *plain_lines(card.prompt, spoken=in_words), "", *(["Answer:"] if in_words else [])]
    lines += plain_lines(card.answer, spoken=in_words)
    if card.key_points:
        lines += ["", *(["Key points:"] if in_words else [])]
        lines += [f"- {line}" for point in card.key_points for line in plain_lines(point, spoken=in_words)]
    memory = card.memory
    if memory.stability is not None and memory.difficulty is not None:
        lines += ["", f"Stability {memory.stability:.1f} days, difficulty {memory.difficulty:.1f} of 10."]
        lines += [f"{plural(memory.reps, 'answer')}, {plural(memory.lapses, 'lapse')}."]
    answers = [row for row in rows if row.rating]
    for row in answers[-5:]:
        cram = " (cram)" if row.kind.value == "cram" else ""
        told = f"{RATINGS[row.rating - 1]}{cram}"
        lines.append(f"{day_to_iso(row.study_day)}{f': {told}.' if in_words else f'  {told}'}")
    for link in card.experiments:
        trial = f"studyapp run {' '.join([link.experiment, *_sets(link.controls)])}"
        lines += ["", f"On trial: `{trial}`." if in_words else f"On trial: {trial}"]
    for run in runs:
        outcome = OUTCOME_WORDS[run.verdict.outcome] if run.verdict else "no verdict"
        lines.append(f"Last run of {run.experiment} on {run.device}: {outcome}.")
    return lines


def _sets(controls: Any) -> list[str]:
    return [f"--set {name}={value}" for name, value in controls.items()]
