"""Cards about this very machine: a small lesson file in the learner's own folder, made of its passports.

The ids name the machine, so a record that is shared with another one keeps both apart. A passport taken anew
changes the numbers in the file, and the cards keep their progress as after any edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp import __version__
from studyapp.core.cards import Card, ExperimentLink, Module
from studyapp.core.days import instant_of
from studyapp.core.errors import DeckError, StoreError
from studyapp.core.roofline import ALL, BUS, CALL, DEVICE, LADDER, ONE, RATE, TRIP
from studyapp.decks import files
from studyapp.decks.rewrite import write_file
from studyapp.decks.write import markdown
from studyapp.experiments.judging import in_bytes, in_flops, in_seconds, times
from studyapp.study.arriving import plain_name
from studyapp.study.lessons import read_lesson
from studyapp.study.moving import OWN
from studyapp.study.passport import Passport, passports, preferred
from studyapp.study.passport_rows import Row

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

WRITTEN = "machine cards:"
"""How the keys begin under which the digest of a file is kept as it was written; its path follows."""


@dataclass(frozen=True)
class WrittenCards:
    """What was written."""

    path: Path
    cards: int
    changed: bool
    """Whether the file is other than before."""


def offered(desk: Desk) -> list[Card]:
    """Return the cards that this machine's passports give, with their ids and numbers."""
    module = _module(desk)
    return list(module.cards) if module is not None else []


def file_of(desk: Desk, data_dir: Path) -> Path | None:
    """Return where this machine's cards lie, or would; None while there is no passport."""
    module = _module(desk)
    return data_dir / OWN / f"{module.id}.md" if module is not None else None


def write_cards(desk: Desk, data_dir: Path) -> WrittenCards:
    """Write the cards into the learner's own lessons, or bring them up to date.

    Args:
        desk: The open desk.
        data_dir: The private folder.

    Raises:
        DeckError: If there is no passport, or the learner has edited the file; it is as it was.
        StoreError: If it cannot be written.
    """
    module = _module(desk)
    if module is None:
        raise DeckError("There is no passport of this machine yet.", "`studyapp passport` takes one in 20 s.")
    path = data_dir / OWN / f"{module.id}.md"
    text = markdown(module).text
    if path.exists():
        found = files.read(path)
        if desk.store.meta_get(f"{WRITTEN}{path}") != found.digest:
            raise DeckError(
                f"{path} was edited by hand, so it was left as it is.",
                "Move your own cards into another file and delete this one; then it is written anew.",
            )
        if found.text == text:
            return WrittenCards(path, len(module.cards), changed=False)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(path, text.encode())
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}.", "No card was changed.") from error
    _bring_in(desk, path)
    return WrittenCards(path, len(module.cards), changed=True)


def update_cards(desk: Desk, data_dir: Path) -> WrittenCards | None:
    """Bring the cards up to date where the learner has them; None where there are none, or they were edited.

    Raises:
        StoreError: If the file cannot be written.
    """
    path = file_of(desk, data_dir)
    if path is None or not path.exists():
        return None
    try:
        return write_cards(desk, data_dir)
    except DeckError:
        return None


def _bring_in(desk: Desk, path: Path) -> None:
    """Store the file as the next start would."""
    source = files.read(path)
    parsed = read_lesson(source.text, str(path))
    state = f"{source.digest}-{__version__}"
    desk.store.save_modules([(parsed.module, state)], now_ms=desk.clock().at_ms)
    desk.store.meta_set_all({f"lesson:{path}": f"{state} {parsed.module.id}", f"{WRITTEN}{path}": source.digest})


def _module(desk: Desk) -> Module | None:
    known = passports(desk)
    devices = dict.fromkeys(passport.device for passport in known)
    best = [preferred([p for p in known if p.device == device]) for device in devices]
    used = [passport for passport in best if passport is not None]
    if not used:
        return None
    first = used[0]
    host = first.fingerprint.get("machine", "here")
    name = f"machine-{plain_name(host)}"
    cards = [card for passport in used for card in _cards(desk, passport, host, name)]
    return Module(
        name, f"The machine {host}", f"What {host} reaches, measured by its passport.", cards=tuple(cards)
    )


def _cards(desk: Desk, passport: Passport, host: str, module: str) -> Iterator[Card]:
    rows = {row.id: row for row in passport.rows() if row.value is not None}
    prefix = "" if passport.device == "cpu" else f"{plain_name(passport.device)}-"
    measured = _measured(desk, passport)
    for slug, question, answer, experiment in _asked(rows, host, passport):
        links = (ExperimentLink(experiment, {}, "measure it again"),) if experiment else ()
        yield Card(
            id=f"{module}/{prefix}{slug}",
            kind="basic",
            prompt=question,
            answer=f"{answer}\n\n{measured}",
            experiments=links,
            explicit_id=True,
        )


def _measured(desk: Desk, passport: Passport) -> str:
    day = instant_of(passport.taken_at_ms).astimezone(desk.clock().zone)
    device = passport.fingerprint.get("device_name", passport.device)
    torch = passport.fingerprint.get("torch", "").partition("+")[0]
    words = f"Measured on {day.day} {day:%b %Y} on {device}{f' with torch {torch}' if torch else ''}."
    return " ".join([words, *passport.remarks()])


Asked = tuple[str, str, str, str]
"""Local id, question, answer, experiment."""
PLACES = {ONE: "one core of {}", ALL: "all cores of {}", DEVICE: "the accelerator of {}"}


def _asked(rows: dict[str, Row], host: str, passport: Passport) -> Iterator[Asked]:
    for where, words in PLACES.items():
        yield from _peaks(rows, where, words.format(host))
        far, near = rows.get(f"{LADDER}{where} far"), rows.get(f"{LADDER}{where} near")
        if far and near and far.value and near.value:
            yield (
                f"bandwidth-{where}",
                f"How many bytes a second are read and written beyond the last cache on {words.format(host)}?",
                f"{in_bytes(far.value)}/s, copying {far.note}; {times(near.value / far.value)} that much within "
                f"a cache ({near.note}).",
                "memory-ladder",
            )
    for key, slug, question, experiment in CALLS:
        row = rows.get(key)
        if row and row.value:
            yield slug, question.format(host), f"{in_seconds(row.value)}.", experiment
    pinned = rows.get(f"{BUS}pinned") or rows.get(f"{BUS}pageable")
    if pinned and pinned.value:
        yield (
            "bus",
            f"How many bytes a second pass the bus of {host} to its accelerator?",
            f"{in_bytes(pinned.value)}/s, in blocks of {pinned.note}.",
            "bus",
        )


def _peaks(rows: dict[str, Row], where: str, words: str) -> Iterator[Asked]:
    plain = rows.get(f"{RATE}float32 {where}")
    if not plain or not plain.value:
        return
    yield (
        f"peak-float32-{where}",
        f"How many GFLOP/s do float32 matrix products reach on {words}?",
        f"{in_flops(plain.value)}, with matrices of {plain.note}.",
        "busy-not-full" if where != ALL else "",
    )
    half = rows.get(f"{RATE}bfloat16 {where}")
    if half and half.value:
        yield (
            f"peak-bfloat16-{where}",
            f"How many times their float32 rate do matrix products reach in bfloat16 on {words}?",
            f"{times(half.value / plain.value)}: {in_flops(half.value)} against {in_flops(plain.value)}.",
            "half-speed",
        )


CALLS = (
    (f"{CALL}{ONE}", "call", "What does one small call of torch cost on one core of {}?", "width"),
    (
        f"{CALL}{ALL}",
        "hand-over",
        "What does it cost on {} to hand a small piece of work to all cores?",
        "core-race",
    ),
    (f"{CALL}{DEVICE}", "launch", "What does one launch cost on the accelerator of {}, queued?", "layer-batch"),
    (TRIP, "trip", "How long is a number on its way to the accelerator of {} and back?", "worth-moving"),
)
"""Row, local id, question, experiment."""
