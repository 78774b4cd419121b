"""How a cell is drawn: its attributes and colours as terminals take them, and the shortest way to the next."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.style import Style

CODES = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
"""What turns each of Rich's attributes on, in the order of its bits."""
OFF = {
    "1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28", "9": "29", "21": "24",
    "51": "54", "52": "54", "53": "55",
}  # fmt: skip
SEEN_ON_BLANKS = frozenset(("4", "7", "9", "21", "51", "52", "53"))
"""Lines and reversed colours show where there is no letter, too."""


class Pen(NamedTuple):
    """Attributes and colours of a cell; "" is the terminal's own colour. Equal pens are one object (`pen_of`)."""

    codes: tuple[str, ...] = ()
    ink: str = ""
    ground: str = ""
    link: str = ""


PLAIN = Pen()
_PENS: dict[Pen, Pen] = {PLAIN: PLAIN}
MANY_PENS = 4096


def _one(pen: Pen) -> Pen:
    if len(_PENS) > MANY_PENS:  # colours mixed anew for every frame; what a forgotten pen drew is only sent again
        _PENS.clear()
        _PENS[PLAIN] = PLAIN
    return _PENS.setdefault(pen, pen)


@lru_cache(MANY_PENS)
def pen_of(style: Style | None, colours: ColorSystem) -> Pen:
    """Return the pen that draws in a style, with as many colours as the terminal has."""
    if style is None:
        return PLAIN
    bits = style._attributes & style._set_attributes
    return _one(
        Pen(
            tuple(code for bit, code in enumerate(CODES) if bits >> bit & 1),
            _colour(style, colours, ink=True),
            _colour(style, colours, ink=False),
            f"id={style._link_id};{style.link}" if style.link else "",
        )
    )


def _colour(style: Style, colours: ColorSystem, *, ink: bool) -> str:
    colour = style.color if ink else style.bgcolor
    codes = ";".join(colour.downgrade(colours).get_ansi_codes(ink)) if colour is not None else ""
    return "" if codes in ("39", "49") else codes


@lru_cache(MANY_PENS)
def blank(pen: Pen) -> Pen:
    """Return the pen that a blank drawn with this one looks like."""
    return pen if pen.link or SEEN_ON_BLANKS.intersection(pen.codes) else _one(Pen(ground=pen.ground))


@lru_cache(MANY_PENS)
def change(before: Pen, after: Pen) -> str:
    r"""Return what makes a terminal that draws with one pen draw with another: the shorter of two ways.

    >>> change(Pen(("1",), "31", "40"), Pen((), "32", "40"))
    '\x1b[22;32m'
    >>> change(Pen(("1",), "31", "40"), Pen())
    '\x1b[m'
    """
    link = "" if before.link == after.link else f"\x1b]8;{after.link or ';'}\x1b\\"
    if before[:3] == after[:3]:
        return link
    gone = [OFF[code] for code in before.codes if code not in after.codes]
    # one code turns off both bold and dim, so what stays of a pair is said again
    steps = [*dict.fromkeys(gone), *(c for c in after.codes if c not in before.codes or OFF[c] in gone)]
    if after.ink != before.ink:
        steps.append(after.ink or "39")
    if after.ground != before.ground:
        steps.append(after.ground or "49")
    anew = [*after.codes, *filter(None, (after.ink, after.ground))]
    fresh = ";".join(["0", *anew]) if anew else ""
    return f"{link}\x1b[{min(';'.join(steps), fresh, key=len)}m"
