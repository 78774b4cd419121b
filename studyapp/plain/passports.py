"""A passport in lines, and what has expired: what a pipe, a screen reader and `passport` print."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from studyapp.chart import quantity
from studyapp.core.days import instant_of
from studyapp.study.expiring import Expired
from studyapp.study.passport import Passport
from studyapp.study.passport_rows import Row

LABEL_WIDTH = 27


def title_of(passport: Passport, zone: tzinfo) -> str:
    """Return whose passport it is: machine, device, when, with which torch."""
    day = instant_of(passport.taken_at_ms).astimezone(zone)
    print_ = passport.fingerprint
    torch = print_.get("torch", "").partition("+")[0]
    machine = print_.get("machine", "this machine")
    words = [f"{machine}, {passport.device}", print_.get("device_name", ""), f"{day.day} {day:%b %Y, %H:%M}"]
    return ", ".join([word for word in words if word] + ([f"torch {torch}"] if torch else []))


def figure_of(row: Row, *, ascii: bool = False) -> str:  # noqa: A002
    """Return a row's number with its unit, three digits at most, and what it belongs to."""
    if row.value is None:
        return row.note
    number = quantity(row.value, row.unit, ascii=ascii)
    notes = [row.note] if row.note else []
    notes += [] if row.settled else ["not settled"]
    return f"{number}  ({', '.join(notes)})" if notes else number


def lines_of(
    passport: Passport,
    zone: tzinfo,
    *,
    ascii: bool = False,  # noqa: A002
    in_words: bool = False,
) -> list[str]:
    """Return the whole passport as lines: lined up, or to be listened to."""
    lines = [f"Passport of {title_of(passport, zone)}{'.' if in_words else ''}", *passport.remarks()]
    group = ""
    for row in passport.rows():
        if row.group != group:
            group = row.group
            lines += ["", f"{group[:1].upper()}{group[1:]}:" if in_words else group]
        figure = figure_of(row, ascii=ascii)
        if in_words:
            told = figure.replace("  (", ", ").removesuffix(")")
            lines.append(f"{row.label}: {told}." if told else f"{row.label}.")
        else:
            lines.append(f"  {row.label.ljust(LABEL_WIDTH)} {figure}".rstrip())
    return lines


def expired_lines(expired: Sequence[Expired], *, in_words: bool = False) -> list[str]:
    """Return which runs were made with what is no longer there, and how they are made again; nothing for none."""
    if not expired:
        return []
    if in_words:
        told = [f"{one.run.experiment}: {one.note.rstrip('.')}." for one in expired]
        return ["", "Expired:", *told, "`studyapp run --stale` makes them again."]
    lines = [f"  {one.run.experiment.ljust(LABEL_WIDTH)} {one.note}" for one in expired]
    return ["", "expired", *lines, "  `studyapp run --stale` makes them again."]
