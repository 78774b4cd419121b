"""Units as people write them: "GB", "mb", "GiB", "µs", "TFLOP/s", "%", "times", "tokens per second". Pure."""

from __future__ import annotations

import re
from functools import cache

_SI = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_SMALL = {"m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "p": 1e-12}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_WHOLE = ["B", "bit", "b", "FLOP", "FLOPs", "FLOPS", "flop", "Hz", "W", "J", "V", "A", "Op", "op", "tokens"]
"""Units that take the large prefixes."""
_SPLIT = ["W", "J", "V", "A", "Hz"]
"""Units that take the small ones too, besides seconds and metres."""
_KINDS = {
    "B": ("bytes", 1.0),
    "bit": ("bytes", 0.125),
    "b": ("bytes", 0.125),
    "FLOP": ("FLOP", 1.0),
    "FLOPs": ("FLOP", 1.0),
    "flop": ("FLOP", 1.0),
    "FLOPS": ("FLOP per second", 1.0),
    "Op": ("operations", 1.0),
    "op": ("operations", 1.0),
    "Hz": ("hertz", 1.0),
    "W": ("watts", 1.0),
    "J": ("joules", 1.0),
    "V": ("volts", 1.0),
    "A": ("amperes", 1.0),
    "tokens": ("tokens", 1.0),
}
_TIMES = {
    "seconds": (1.0, "s sec secs second seconds"),
    "minutes": (60.0, "min mins minute minutes"),
    "hours": (3600.0, "h hr hrs hour hours"),
    "days": (86400.0, "d day days"),
    "weeks": (604800.0, "week weeks"),
    "years": (31557600.0, "year years"),
}
_LONG = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "milli": "m", "micro": "u", "nano": "n"}


@cache
def unit_of(words: str) -> tuple[str, float, bool]:
    """Return kind, size in the base unit of that kind, and whether it is a unit that is measured in."""
    parts = re.split(r"\s*/\s*|\s+per\s+", words)
    kind, scale, measure = simple(parts[0])
    if len(parts) == 1:
        return kind, scale, measure
    below, divisor, _ = simple(parts[1])
    below = below.removesuffix("s") if below == "seconds" else below
    return f"{kind} per {below}", scale / divisor, measure


def simple(word: str) -> tuple[str, float, bool]:
    """Return the same for a unit without "per"; any other word is a kind of its own, a thing that is counted.

    >>> simple("ms"), simple("mb"), simple("Lanes")
    (('seconds', 0.001, True), ('bytes', 1000000.0, True), ('lanes', 1.0, False))
    """
    if word == "%" or word.lower() in ("percent", "pct"):
        return "share", 0.01, True
    if word in ("x", "×", "X") or word.lower() in ("times", "fold"):
        return "times", 1.0, True
    table = _table()
    for key in (word, word.lower() if len(word) > 2 else ""):
        if key in table:
            return (*table[key], True)
    folded = _folded()
    if word.lower() in folded:
        return (*table[folded[word.lower()]], True)
    return word.lower(), _SI.get(word, 1.0) if word in ("k", "K", "M", "G", "T") else 1.0, False


@cache
def _table() -> dict[str, tuple[str, float]]:
    table: dict[str, tuple[str, float]] = {}
    for seconds, names in _TIMES.values():
        table |= dict.fromkeys(names.split(), ("seconds", seconds))
    for prefix, size in _SMALL.items():
        table |= {f"{prefix}s": ("seconds", size), f"{prefix}sec": ("seconds", size)}
        table |= {f"{prefix}{unit}": (_KINDS[unit][0], size) for unit in _SPLIT}
    for unit in _WHOLE:
        kind, one = _KINDS[unit]
        table |= {f"{prefix}{unit}": (kind, one * size) for prefix, size in _SI.items()}
        if kind == "bytes":
            table |= {f"{prefix}{unit}": (kind, one * size) for prefix, size in _BINARY.items()}
    for long, short in _LONG.items():
        size = {**_SI, **_SMALL}[short]
        table |= {f"{long}bytes": ("bytes", size), f"{long}byte": ("bytes", size)}
        table |= {f"{long}seconds": ("seconds", size), f"{long}second": ("seconds", size)}
    table |= {"byte": ("bytes", 1.0), "bytes": ("bytes", 1.0), "bits": ("bytes", 0.125), "watts": ("watts", 1.0)}
    return table


@cache
def _folded() -> dict[str, str]:
    """Return units by their name in lower case; "mb" is a megabyte, "b" a byte."""
    found: dict[str, str] = {}
    for name in sorted(_table(), key=lambda name: (name[-1:] != "B", name)):
        if len(name) > 1 or name == "B":
            found.setdefault(name.lower(), name)
    return found
