"""Shares in words: one way everywhere, with a blank, as the axes of charts and the lessons have it."""

from __future__ import annotations


def percent(share: float, sign: str = "") -> str:
    """Return a share in whole percent.

    Args:
        share: 0 to 1, or a difference.
        sign: "+" to have a sign before what is not negative, too.

    >>> percent(0.891), percent(1), percent(0.04, "+")
    ('89 %', '100 %', '+4 %')
    """
    return f"{share:{sign}.0%}".replace("%", " %")
