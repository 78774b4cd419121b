"""Colours for a plain terminal: how many it has, and which one means what. Meaning never rests on them alone."""

from __future__ import annotations

from collections.abc import Mapping

ROLES_16 = {
    "cpu": "33",
    "gpu": "36",
    "neutral": "34",
    "you": "35",
    "mark": "1",
    "bright": "1",
}
"""SGR parameters that sit on the terminal's own sixteen colours, so on its own background."""
ROLES_256 = {
    "dark": {
        "cpu": "215",
        "gpu": "79",
        "neutral": "117",
        "weak": "245",
        "you": "211",
        "axis": "240",
        "grid": "236",
    }
    | {"label": "245", "muted": "245"},
    "light": {
        "cpu": "130",
        "gpu": "29",
        "neutral": "25",
        "weak": "241",
        "you": "161",
        "axis": "247",
        "grid": "252",
    }
    | {"label": "241", "muted": "241"},
}
"""xterm-256 numbers; the same colours as the full screen's two themes."""
BOLD = {"mark": "1", "bright": "1"}


def depth(wanted: str, terminal: bool, environ: Mapping[str, str]) -> str:
    """Return "never", "16", "256" or "true".

    Args:
        wanted: The setting `color`; anything but "auto" wins over guessing.
        terminal: Whether the output is a terminal.
        environ: Looked at for NO_COLOR, TERM and COLORTERM.
    """
    if wanted != "auto":
        return wanted
    term = environ.get("TERM", "")
    if not terminal or environ.get("NO_COLOR") or term in ("", "dumb", "unknown"):
        return "never"
    if environ.get("COLORTERM", "") in ("truecolor", "24bit"):
        return "true"
    return "256" if "256" in term else "16"


def palette(colors: str, colorfgbg: str = "") -> Mapping[str, str]:
    """Return SGR parameters per chart style.

    Args:
        colors: What `depth` said.
        colorfgbg: The variable's value, e.g. "15;0": its last field is the background.
    """
    if colors == "never":
        return {}
    if colors == "16":
        return ROLES_16
    ground = "light" if colorfgbg.rsplit(";", 1)[-1] in ("7", "15") else "dark"
    shade = _true if colors == "true" else _indexed
    return {style: shade(int(number)) for style, number in ROLES_256[ground].items()} | BOLD


def _indexed(number: int) -> str:
    return f"38;5;{number}"


def _true(number: int) -> str:
    """Return the same colour as red, green and blue. Source: xterm's 6x6x6 cube and grey ramp."""
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return f"38;2;{grey};{grey};{grey}"
    steps = (0, 95, 135, 175, 215, 255)
    cube = number - 16
    return f"38;2;{steps[cube // 36]};{steps[cube // 6 % 6]};{steps[cube % 6]}"
