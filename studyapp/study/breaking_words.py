"""What a search for a flip says: in words, from the runs it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.core.verdicts import Outcome
from studyapp.study.lab import value_words

if TYPE_CHECKING:
    from studyapp.study.breaking import Breaking

CLEAR = (Outcome.HOLDS, Outcome.DOES_NOT_HOLD)


def sentence_of(search: Breaking) -> str:
    """Return what a search found so far, in words."""
    count = len(search.tried)
    runs = f" ({count} run{'' if count == 1 else 's'})" if count else ""
    late = {"time": " The time was up.", "cancelled": " Stopped."}.get(search.ended, "")
    late = f" {search.note}" if search.ended == "failed" else late
    if search.ended == "cannot_test":
        return f"It cannot be tested here, so there is no verdict to flip{runs}."
    if search.base is None:
        words = "Nothing clear" if search.ended else "Nothing clear yet"
        if search.ended in ("unclear", "time"):
            words = "Too noisy or too little to say at every value tried"
        return f"{words}{runs}.{late}"
    if search.control.choices:
        return f"{_choice_words(search)}{runs}.{late}"
    if search.flip is not None:
        return f"{_flip_words(search)}{runs}.{late}"
    return f"{_no_flip_words(search)}{runs}.{late}"


def _flip_words(search: Breaking) -> str:
    assert search.flip is not None
    kept, flipped = search.flip
    name = search.control.name
    way = "down to" if float(flipped) < float(kept) else "up to"
    then = {True: ("Holds", "does not"), False: ("Does not hold", "it does")}[search.base is Outcome.HOLDS]
    low, high = sorted((float(kept), float(flipped)))
    between = any(low < float(value) < high for value in search.known)
    noisy = ", too noisy between" if between else ""
    return f"{then[0]} {way} {name} {value_words(kept)}, {then[1]} from {name} {value_words(flipped)}{noisy}"


def _no_flip_words(search: Breaking) -> str:
    clear = sorted((v for v, o in search.known.items() if o in CLEAR), key=float)
    word = "holds" if search.base is Outcome.HOLDS else "does not hold"
    name, low, high = search.control.name, value_words(clear[0]), value_words(clear[-1])
    noisy = sum(outcome is Outcome.TOO_NOISY for outcome in search.known.values())
    more = f", too noisy at {noisy} of {len(search.known)} values" if noisy else ""
    if len(clear) == 1:
        return f"It {word} at {name} {low}, and no other value was clear{more}"
    return f"Did not flip between {name} {low} and {high}: it {word}{more}"


def _choice_words(search: Breaking) -> str:
    told = {Outcome.HOLDS: "holds", Outcome.DOES_NOT_HOLD: "does not", Outcome.TOO_NOISY: "is too noisy"}
    parts = []
    for outcome, words in told.items():
        values = [value_words(v) for v, o in search.known.items() if o is outcome]
        if values:
            parts.append(f"{words} with {search.control.name} {' and '.join(values)}")
    text = ", ".join(parts)
    same = "" if search.choices_flip else "Did not flip: "
    return f"{same}it {text}" if same else text[:1].upper() + text[1:]
