"""`passport`: what this machine reaches, in twenty seconds, and which runs have expired since they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import note, plural, print_data, print_envelope, say
from studyapp.core.errors import DeckError

if TYPE_CHECKING:
    from studyapp.study.desk import Desk
    from studyapp.study.passport import Passport, Taking

EXIT_CODES = {"done": 0, "cut": 0, "cancelled": 130, "failed": 4, "refused": 1}


@words("passport", data=True)
@click.option("--device", metavar="D", help="auto, cpu, cuda, mps or xpu.")
@click.option("--fresh", is_flag=True, help="Measure anew, even where there is a passport that still holds.")
@click.option("--cards", is_flag=True, help="Write cards about this machine into your own lessons.")
@click.option("--yes", is_flag=True, help="With --cards: do not ask first.")
@click.pass_obj
def passport_command(call: Call, device: str | None, fresh: bool, cards: bool, yes: bool) -> int:
    """Say what this machine reaches.

    Peak rates, memory ladder, the cost of a call, the bus, cores and quotas; measured in about ten seconds where
    there is no passport yet that still holds. Ctrl-C keeps the part that was measured.
    """
    from studyapp.study.expiring import passport_note
    from studyapp.study.passport import latest_passport

    with call.desk() as desk:
        wanted = None if device in (None, "auto") else device
        found = latest_passport(desk, wanted)
        if found is not None and not fresh and found.complete and not passport_note(desk, found):
            _show(call, desk, found)
            code = 0
        else:
            code = _take(call, desk, device or call.settings.device)
        if cards and code == 0:
            code = _write(call, desk, yes=yes)
    return code


def _take(call: Call, desk: Desk, device: str) -> int:
    from studyapp.cli.progress import Progress
    from studyapp.cli.trials import ask
    from studyapp.plain.bench import Bench
    from studyapp.study.machine_cards import update_cards
    from studyapp.study.passport import Taking

    taking = Taking(desk, device)
    progress = Progress(moving=not call.plain)
    with Bench(call.settings.worker_command) as bench:
        bench.choose_device(taking, call.settings.gpu, ask, note)
        if call.plain and not call.json:
            note("Measuring this machine, about ten seconds.")
        try:
            bench.conduct(taking, progress.hear)
        finally:
            progress.clear()
    code = EXIT_CODES.get(taking.state, 4)
    if code == 0:
        written = update_cards(desk, call.settings.data_dir)
        if written is not None and written.changed:
            note(f"Your cards about this machine have the new numbers: {written.path}")
    _report(call, desk, taking, code)
    return code


def _report(call: Call, desk: Desk, taking: Taking, code: int) -> None:
    passport = taking.passport
    if call.json and code:
        kind = {1: "refused", 130: "cancelled"}.get(code, "experiment")
        error = {"kind": kind, "message": taking.note, "hint": taking.hint}
        data = passport.as_json() if passport is not None else None
        print_envelope({"ok": False, "error": error, "data": data})
        return
    if passport is not None:
        _show(call, desk, passport)
    if code:
        note(taking.note, *([taking.hint] if taking.hint else []))


def _show(call: Call, desk: Desk, passport: Passport) -> None:
    from studyapp.plain.passports import expired_lines, lines_of
    from studyapp.study.expiring import expired_runs

    expired = expired_runs(desk)
    if call.json:
        print_data(passport.as_json() | {"expired": [one.as_json() for one in expired]})
        return
    lines = lines_of(passport, desk.clock().zone, ascii=call.settings.ascii, in_words=call.plain)
    say(*lines, *expired_lines(expired, in_words=call.plain))


def _write(call: Call, desk: Desk, *, yes: bool) -> int:
    """Write the cards, after asking; where nobody can answer, say how."""
    from studyapp.cli.trials import ask
    from studyapp.study.machine_cards import file_of, offered, write_cards

    cards, path = offered(desk), file_of(desk, call.settings.data_dir)
    if not call.json:
        note(*(f"  {card.prompt}" for card in cards))
    answer = True if yes else ask(f"Write {plural(len(cards), 'card')} into {path}?")
    if answer is None:
        raise DeckError("Nobody could be asked whether to write them.", "Say --cards --yes.")
    if answer:
        written = write_cards(desk, call.settings.data_dir)
        note(f"{plural(written.cards, 'card')}: {written.path}" if written.changed else "They are up to date.")
        call.refresh(desk, changed=True)
    return 0
