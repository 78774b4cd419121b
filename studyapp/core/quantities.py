"""Numbers with units as people write them: "about 5.5 GB", "5,500 MB", "3 × 10^9 FLOP/s", "exactly 32 lanes".

The answer of a numeric card is prose; the first quantity in it is what is asked for. Pure.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from studyapp.core.attempts import Attempt, Fit
from studyapp.core.measures import simple, unit_of
from studyapp.core.percent import percent

TOLERANCE = 0.10
"""How far a number may be off where the author says nothing: a rule of thumb is seldom closer (our choice)."""
NEAR = 3.0
"""Off by up to so many times the tolerance is near, and by 10 % at least, so that "exactly" has a near too."""
_COUNTS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_COUNTS |= {"third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "tenth": 0.1, "tenths": 0.1}
_NAMES = "zero one two three four five six seven eight nine ten eleven twelve"
_NAMED = _NAMES.split()
_NEXT = (
    "a an the is are was were be of in on at to for by and or it its that this with as from than more less per "
    "about each if so but not only when because which while most then i e g"
)
_STOP = frozenset(_NEXT.split())
"""Words after a number that are no unit."""
_DIGITS = r"\d{1,3}(?:[,'\u202f\u00a0 ]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+"
_POWER = r"(?:\s*[×x*·]\s*10\s*(?:\^|\*\*)?\s*([-+−]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE]([-+]?\d+)|(?:\^|\*\*)(\d+))?"
_NUMBER = re.compile(rf"(?<![\w.])([-−+]?)({_DIGITS}){_POWER}(?:\s*/\s*(\d+)(?![\w/]))?")
_NAME = re.compile(rf"\b(half|a third|a quarter|{'|'.join(_NAMED)})\b", re.IGNORECASE)
_PARTS = {"half": 0.5, "a third": 1 / 3, "a quarter": 0.25}
_UNIT = re.compile(r"[ \t\u00a0\u202f-]?\s?(%|×|x\b|[A-Za-zµμ]+(?:\s*/\s*[A-Za-zµμ]+|\s+per\s+[A-Za-zµμ]+)?)")
_RANGE = re.compile(r"\s*(?:-|–|—|to|bis|\.\.\.?)\s*(?=\d)")
_WITHIN = re.compile(
    r"(?:±|\+/-|\+-|within|to within|give or take)\s*"
    rf"(?:(?P<percent>{_DIGITS})\s*%|(?:a )?factor (?:of )?(?P<factor>{_DIGITS})|(?P<plain>{_DIGITS}))",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\bexact(?:ly)?\b", re.IGNORECASE)
_MARKS = re.compile(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}|\\(?=[,. ])|\$")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the base unit of its kind (bytes, seconds, shares of one, ...)."""

    value: float
    kind: str = ""
    """"bytes", "seconds", "share", "times", "bytes per second", a counted thing ("lanes"), or "" for none."""
    unit: str = ""
    """The unit as it was written."""
    measure: bool = False
    """Whether the unit is one that is measured in: another kind of it is then wrong, not just another word."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a numeric card asks for: from `low` to `high`, which are the same unless a range is written."""

    low: Quantity
    high: Quantity
    tolerance: float = TOLERANCE
    """As a share of the number; 0 for "exactly"."""
    written: str = ""
    """As the author wrote it."""


def read_quantity(text: str) -> Quantity | None:
    """Return the first quantity in a text, or None.

    >>> read_quantity("5500 MB") == read_quantity("about 5.5e9 bytes, say") or read_quantity("5500 MB").value
    5500000000.0
    >>> read_quantity("1,5 ms").value, read_quantity("half").value, read_quantity("no idea")
    (0.0015, 0.5, None)
    """
    found = _first(_plain(text))
    return found[0] if found else None


def read_target(answer: str) -> Target | None:
    """Return what the first quantity of an answer asks for, or None where its first paragraph has none.

    >>> read_target("Exactly **32** lanes, which share an instruction.").tolerance
    0.0
    >>> target = read_target("5 to 6 GB (± 20 %)")
    >>> target.low.value, target.high.value, target.tolerance
    (5000000000.0, 6000000000.0, 0.2)
    """
    text = _plain(answer.strip().partition("\n\n")[0])
    found = _first(text)
    if found is None:
        return None
    low, start, end = found
    high, stop = low, end
    if gap := _RANGE.match(text, end):
        second = _first(text[gap.end() :])
        if second is not None and second[1] == 0:
            high, stop = second[0], gap.end() + second[2]
            if not low.kind and high.kind:  # "5 to 6 GB": the unit stands once
                low = Quantity(low.value * _scale(high.unit), high.kind, high.unit, high.measure)
    if low.value > high.value:
        low, high = high, low
    sentence = re.split(r"(?<=[a-z)%])[.;](?:\s|\Z)", text)[0]
    return Target(low, high, _tolerance(sentence, low.value, high), text[start:stop].strip())


def judge_number(answer: str, said: str) -> Attempt:
    """Return how a number that was typed compares with the answer of a numeric card.

    >>> judge_number("About 5.5 GB.", "5500 MB").fit.value, judge_number("About 5.5 GB.", "5.5").words
    ('right', 'No unit; taken as 5.5 GB.')
    >>> judge_number("About 5.5 GB.", "5.5 s").words
    'Another kind of unit: seconds, where bytes are asked for.'
    """
    target, own = read_target(answer), read_quantity(said)
    if target is None:
        return Attempt(said)
    if own is None:
        return Attempt(
            said, Fit.OFF if said.strip() else None, "There is no number in it." if said.strip() else ""
        )
    if not own.kind and target.high.kind:
        best = min(_readings(own, target), key=lambda value: _distance(value, target))
        remark = f"No unit; taken as {best / _scale(target.high.unit):.6g} {target.high.unit}."
        return _attempt(said, best, target, remark)
    if own.measure and target.high.measure and own.kind != target.high.kind:
        words = f"Another kind of unit: {own.kind}, where {_are(target.high.kind)} asked for."
        return Attempt(said, Fit.OFF, words)
    odd = own.kind and target.high.kind and _stem(own.kind) != _stem(target.high.kind)
    remark = f"The answer counts {target.high.unit}." if odd and not own.measure else ""
    return _attempt(said, own.value, target, remark)


def _attempt(said: str, value: float, target: Target, remark: str) -> Attempt:
    away = _distance(value, target)
    fit = Fit.RIGHT if away <= target.tolerance + 1e-9 else Fit.OFF
    if fit is Fit.OFF and away <= max(NEAR * target.tolerance, TOLERANCE) + 1e-9:
        fit = Fit.NEAR
    words = remark
    if fit is Fit.OFF and (prefix := _prefix(value, target)):
        words = f"{remark} The digits fit, the size does not: off by {prefix}.".strip()
    elif fit is not Fit.RIGHT and value and target.low.value:
        edge = target.low.value if value < target.low.value else target.high.value
        words = f"{remark} {_off(value / edge)}".strip()
    return Attempt(said, fit, words)


def _distance(value: float, target: Target) -> float:
    """Return how far a value is outside the target, as a share of its nearer end."""
    low, high = target.low.value, target.high.value
    if low <= value <= high:
        return 0.0
    edge = low if value < low else high
    return abs(value - edge) / abs(edge) if edge else math.inf


def _off(ratio: float) -> str:
    if ratio <= 0:
        return "The sign differs."
    if 0.5 <= ratio <= 2:
        return f"{percent(abs(ratio - 1))} too {'high' if ratio > 1 else 'low'}."
    return f"Too {'high' if ratio > 1 else 'low'} by a factor of {max(ratio, 1 / ratio):.3g}."


def _prefix(value: float, target: Target) -> str:
    """Return "a factor of 1000" where a wrong prefix, or bits for bytes, is all that is wrong."""
    for factor in (1e3, 1e6, 1e9, 1e12, *((8.0,) if target.high.kind.startswith("bytes") else ())):
        for scaled in (value * factor, value / factor):
            if _distance(scaled, target) <= max(target.tolerance, 0.01):
                return f"a factor of {factor:,.0f}"
    return ""


def _readings(own: Quantity, target: Target) -> list[float]:
    """Return what a bare number may mean: in the unit of the answer, or in its base unit."""
    return [own.value * _scale(target.high.unit), own.value]


def _scale(unit: str) -> float:
    return unit_of(unit)[1]


def _are(kind: str) -> str:
    return f"{kind} is" if kind in ("share", "FLOP") or " per " in kind else f"{kind} are"


def _stem(word: str) -> str:
    return word.lower().removesuffix("s")


def _plain(text: str) -> str:
    return _MARKS.sub("", text)


def _first(text: str) -> tuple[Quantity, int, int] | None:
    """Return the first quantity of a text with where it begins and ends."""
    number, name = _NUMBER.search(text), _NAME.search(text)
    if name and (number is None or name.start() < number.start()) and _counts(text, name):
        word = name[1].lower()
        value = _PARTS[word] if word in _PARTS else float(_NAMED.index(word))
        start, end = name.span()
    elif number:
        value, start, end = _value(number), number.start(), number.end()
    else:
        return None
    if not math.isfinite(value):
        return None
    unit = _UNIT.match(text, end)
    if unit and (scale := _COUNTS.get(unit[1].lower().split()[0])):
        value, end = value * scale, unit.start(1) + len(unit[1].split()[0])
        unit = _UNIT.match(text, end)
    words = _likely(unit[1]) if unit else ""
    if not words or unit is None:
        return Quantity(value), start, end
    kind, scale, measure = unit_of(words)
    return Quantity(value * scale, kind, words, measure), start, unit.start(1) + len(words)


def _counts(text: str, name: re.Match[str]) -> bool:
    """Return whether a number word is meant as one: "one" and "a half" seldom are where digits follow."""
    return name[1].lower() != "one" or not _NUMBER.search(text)


def _value(found: re.Match[str]) -> float:
    sign, digits, power, short, own_power, below = found.groups()
    if re.fullmatch(r"\d{1,3}(?:[,'\u202f\u00a0 ]\d{3})+(?:\.\d+)?", digits):
        digits = re.sub(r"[,'\u202f\u00a0 ]", "", digits)
    value = float(digits.replace(",", "."))
    if own_power:
        value = value ** int(own_power) if len(own_power) < 3 else math.inf
    exponent = (power or short or "0").translate(_SUPER).replace("−", "-")
    try:
        value *= 10.0 ** int(exponent) if abs(int(exponent)) < 300 else math.inf
        value /= int(below) if below else 1
    except ZeroDivisionError:
        return math.inf
    return -value if sign in ("-", "−") else value


def _likely(words: str) -> str:
    """Return a unit without what is only the next word of the sentence."""
    head = re.split(r"\s|/", words)[0]
    if head.lower() in _STOP:
        return ""
    below = re.split(r"\s*/\s*|\s+per\s+", words)
    # "bytes per second" is a unit of its own; "bytes per parameter" are bytes
    return words if len(below) == 2 and simple(below[1])[0] == "seconds" else head


def _tolerance(sentence: str, low: float, high: Quantity) -> float:
    found = _WITHIN.search(sentence)
    if found and found["percent"]:
        return float(found["percent"].replace(",", ".")) / 100
    if found and found["factor"]:
        return max(0.0, float(found["factor"].replace(",", ".")) - 1)
    if found and found["plain"] and low:
        return abs(float(found["plain"].replace(",", ".")) * _scale(high.unit) / low)
    return 0.0 if _EXACT.search(sentence) else TOLERANCE
