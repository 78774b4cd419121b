"""`import`, `export`, `ids`, `new-module`: decks in and out, and the files they become."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.lessons import card_fields, left_out_fields, problem_fields
from studyapp.cli.output import note, plural, print_data, say
from studyapp.core.errors import UsageError
from studyapp.core.percent import percent

if TYPE_CHECKING:
    from studyapp.study.gathering import Brought


@words("import", data=True)
@click.argument("path")
@click.option("--dry-run", is_flag=True, help="Only show what would be taken, and why the rest would be left.")
@click.option("--title", metavar="WORDS", help="What to call the lesson, where its text does not say.")
@click.option("--older", is_flag=True, help="Take an Anki package's texts even where yours are newer.")
@click.pass_obj
def import_command(call: Call, path: str, dry_run: bool, older: bool, title: str | None) -> int:
    """Bring in lessons, decks, pages and tables.

    PATH is a lesson or deck (.md, .txt), a saved page (.html), a table (.csv, .tsv, .yaml), a folder of them, an
    export (.json) or an Anki package (.apkg). What is text becomes a lesson file of your own in the data folder. A
    second import adds nothing.
    """
    from studyapp.decks.clean import clean_line
    from studyapp.study import moving, moving_anki, taking_in

    named = clean_line(title or "")
    if named and Path(path).suffix.lower() in (*moving_anki.SUFFIXES, ".json"):
        raise UsageError(
            "--title names a lesson made of one text, page or table.", f"{path} has names of its own."
        )
    if Path(path).suffix.lower() in moving_anki.SUFFIXES:
        return _import_anki(call, Path(path).expanduser(), dry_run=dry_run, older=older)
    settings = call.settings
    folder, source = settings.data_dir / moving.OWN, Path(path).expanduser()
    bring = taking_in.take_in if source.suffix.lower() == ".json" else partial(moving.bring, title=named)
    if dry_run and not settings.db.exists():
        brought = bring(None, source, folder, dry_run=True)
    else:
        with call.desk() as desk:
            brought = bring(desk, source, folder, dry_run=dry_run)
            if not dry_run:
                call.refresh(desk, changed=bool(brought.new + brought.changed + brought.reviews))
    packages = _packages(call, brought, dry_run=dry_run, older=older)
    if call.json:
        print_data(_fields(brought, folder, dry_run) | {"packages": packages})
    else:
        _tell(brought, folder, dry_run, in_words=call.plain)
    nothing = not (brought.arrivals or packages or source.suffix.lower() == ".json")  # a record is never nothing
    return int(bool(brought.problems) or nothing)


def _packages(call: Call, brought: Brought, *, dry_run: bool, older: bool) -> list[dict[str, Any]]:
    """Import the packages of Anki that a folder holds, each by itself; return what came of each."""
    from studyapp.core.cards import Problem
    from studyapp.core.errors import DeckError
    from studyapp.study.moving_anki import import_apkg

    found: list[dict[str, Any]] = []
    if not brought.packages:
        return found
    with call.desk() as desk:
        for path in brought.packages:
            try:
                report = import_apkg(desk, path, dry_run, older=older)
            except DeckError as error:
                brought.problems.append(Problem(str(path), 0, str(error)))
                continue
            if not call.json:
                note(*report.remarks)
                say(f"{path}: {report.count_line}")
            counts = {"new": report.new, "changed": report.changed, "unchanged": report.unchanged}
            found.append({"path": path, **counts, "reviews": report.reviews})
        if not dry_run:
            call.refresh(desk, changed=any(one["new"] + one["changed"] + one["reviews"] for one in found))
    return found


def _import_anki(call: Call, path: Path, *, dry_run: bool, older: bool) -> int:
    from studyapp.study.moving_anki import import_apkg

    with call.desk() as desk:
        report = import_apkg(desk, path, dry_run, older=older)
        if not dry_run:
            call.refresh(desk, changed=bool(report.new + report.changed + report.reviews))
    if call.json:
        left = [{"line": 0, "reason": reason, "path": path, "cards": n} for reason, n in report.skipped.items()]
        print_data(
            {
                "cards": [card_fields(card, str(path)) for card in report.taken],
                "problems": [{"path": path, "line": 0, "message": remark} for remark in report.remarks],
                "left_out": left,
                "new": report.new,
                "changed": report.changed,
                "unchanged": report.unchanged,
                "reviews": report.reviews,
                "dry_run": dry_run,
            }
        )
    else:
        note(*report.remarks)
        say(("Nothing was stored. " if dry_run else "") + report.count_line)
    return report.exit_code


def _fields(brought: Brought, folder: Path, dry_run: bool) -> dict[str, Any]:
    cards = [
        card_fields(card, str(arrival.source))
        | {"module": arrival.parsed.module.id, "line": arrival.lines.get(card.id, card.line)}
        for arrival in brought.arrivals
        for card in arrival.parsed.module.cards
    ]
    return {
        "cards": cards,
        "problems": [problem_fields(problem) for problem in brought.problems],
        "left_out": [left_out_fields(left, path) for path, left in brought.left_out],
        "new": brought.new,
        "changed": brought.changed,
        "unchanged": brought.unchanged,
        "gone": brought.gone,
        "reviews": brought.reviews,
        "alike": [{"gone": old, "new": new, "ratio": alike} for old, new, alike in brought.alike],
        "files": [folder / arrival.name for arrival in brought.arrivals],
        "dry_run": dry_run,
    }


def _tell(brought: Brought, folder: Path, dry_run: bool, *, in_words: bool) -> None:
    from studyapp.decks.clean import clean_line
    from studyapp.decks.md_plain import plain_line

    for arrival in brought.arrivals:
        cards = arrival.parsed.module.cards
        arrow = "becomes" if in_words else "->"
        source = clean_line(str(arrival.source))  # the name of a file may hold anything
        say(f"{source} {arrow} {folder / arrival.name}: {plural(len(cards), 'card')}")
        if dry_run:
            for line, card in sorted(((arrival.lines.get(c.id, c.line), c) for c in cards), key=itemgetter(0)):
                place = f"Line {line}, {card.kind}: " if in_words else f"  line {line:<4} {card.kind:7} "
                say(place + plain_line(card.prompt))
    say(*(left.told(path) for path, left in brought.left_out))
    for old, new, alike in brought.alike:
        say(f"{old} went and {new} came, {percent(alike)} alike. One card? Write id: /{old} at the new one.")
    note(*map(str, brought.problems))
    say(("Nothing was stored. " if dry_run else "") + brought.count_line)


@words("ids", data=True)
@click.argument("path")
@click.option("--write", is_flag=True, help="Write the missing ids into the files.")
@click.pass_obj
def ids_command(call: Call, path: str, write: bool) -> int:
    """Show which cards have no id in their file.

    PATH is a lesson, a deck or a folder. With --write the ids are written; nothing else in the files changes. A
    card that was studied without an id keeps its progress.
    """
    from studyapp.study import naming

    with call.desk() as desk:
        found = naming.name_cards(desk, Path(path).expanduser(), write=write)
    if call.json:
        print_data(
            {
                "cards": [
                    {"path": n.path, "line": n.line, "id": n.id, "prompt": n.prompt, "written": n.written}
                    for n in found.named
                ],
                "problems": [problem_fields(problem) for problem in found.problems],
            }
        )
    else:
        gap = ", " if call.plain else "  "
        say(*(f"{n.path}:{n.line}: {n.id}{gap}{n.prompt}" for n in found.named))
        note(*map(str, found.problems))
        done = sum(n.written for n in found.named)
        say(f"{plural(done, 'id')} written." if write else f"{plural(len(found.named), 'card')} without an id.")
    return int(bool(found.problems))


@words("new-module", data=True)
@click.argument("path")
@click.pass_obj
def new_module_command(call: Call, path: str) -> int:
    """Write the beginning of a lesson of your own.

    PATH is a new file, such as transformers.md.
    """
    from studyapp.study.naming import new_module

    target = new_module(Path(path).expanduser())
    if call.json:
        print_data({"path": target})
    else:
        say(f"{target} is yours to edit.", f"`studyapp check {target}` finds what to mend; then import it.")
    return 0


@words("export", data=True)
@click.argument("path")
@click.option("--module", metavar="MODULE", help="Only this module.")
@click.pass_obj
def export_command(call: Call, path: str, module: str | None) -> int:
    """Take everything with you.

    PATH ending in .json gets everything with its history, .apkg a package for Anki, .csv or .tsv the cards as a
    table; any other name is a new folder for the lessons as Markdown.
    """
    from studyapp.study import exporting, moving_anki

    target = Path(path).expanduser()
    with call.desk() as desk:
        if target.suffix.lower() == ".apkg":
            report = moving_anki.export_apkg(desk, target, module)
            done = exporting.Exported(target, report.cards, report.reviews, [target])
        else:
            done = exporting.export(desk, target, module)
    if call.json:
        print_data({"path": done.path, "cards": done.cards, "reviews": done.reviews, "files": done.files})
    else:
        say(f"{plural(done.cards, 'card')} and {plural(done.reviews, 'review')} in {done.path}.")
    return 0
