"""Colours by meaning, on exact xterm-256 values so that 256-colour terminals and SSH change nothing.

Amber is the CPU, teal the GPU, pink your prediction, sky progress and links; red, amber, green and blue mark the
four grades. Everything is also told apart by glyph, label or place.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

GRAPHITE = {
    "s-bg": "#121212",
    "s-panel": "#1c1c1c",
    "s-track": "#303030",
    "s-faint": "#585858",
    "s-muted": "#8a8a8a",
    "s-text": "#d0d0d0",
    "s-bright": "#eeeeee",
    "s-cpu": "#ffaf5f",
    "s-gpu": "#5fd7af",
    "s-gpu-dim": "#5f8787",
    "s-you": "#ff87af",
    "s-sky": "#87d7ff",
    "s-again": "#ff5f5f",
    "s-hard": "#ffaf5f",
    "s-good": "#87d787",
    "s-easy": "#5fafff",
    "s-heat-1": "#005f5f",
    "s-heat-2": "#00875f",
    "s-heat-3": "#00af87",
    "s-heat-4": "#5fd7af",
}
PAPER = {
    "s-bg": "#ffffff",
    "s-panel": "#eeeeee",
    "s-track": "#d0d0d0",
    "s-faint": "#9e9e9e",
    "s-muted": "#626262",
    "s-text": "#303030",
    "s-bright": "#000000",
    "s-cpu": "#af5f00",
    "s-gpu": "#00875f",
    "s-gpu-dim": "#5f8787",
    "s-you": "#d7005f",
    "s-sky": "#005faf",
    "s-again": "#d70000",
    "s-hard": "#af5f00",
    "s-good": "#008700",
    "s-easy": "#005fd7",
    "s-heat-1": "#afd7d7",
    "s-heat-2": "#5fafaf",
    "s-heat-3": "#008787",
    "s-heat-4": "#005f5f",
}
SIXTEEN = {
    "s-bg": "ansi_default",
    "s-panel": "ansi_default",
    "s-track": "ansi_bright_black",
    "s-faint": "ansi_bright_black",
    "s-muted": "ansi_default",
    "s-text": "ansi_default",
    "s-bright": "ansi_default",
    "s-cpu": "ansi_yellow",
    "s-gpu": "ansi_green",
    "s-gpu-dim": "ansi_bright_black",
    "s-you": "ansi_magenta",
    "s-sky": "ansi_cyan",
    "s-again": "ansi_red",
    "s-hard": "ansi_yellow",
    "s-good": "ansi_green",
    "s-easy": "ansi_bright_blue",
    "s-heat-1": "ansi_green",
    "s-heat-2": "ansi_green",
    "s-heat-3": "ansi_green",
    "s-heat-4": "ansi_green",
}
"""The terminal's own sixteen colours on its own background: whoever chose them can read them."""
PALETTES = {"graphite": GRAPHITE, "paper": PAPER, "sixteen": SIXTEEN}

CHART_STYLES = {
    "cpu": "$s-cpu",
    "gpu": "$s-gpu",
    "neutral": "$s-sky",
    "weak": "$s-muted",
    "you": "$s-you",
    "mark": "$s-bright bold",
    "axis": "$s-faint",
    "grid": "$s-track",
    "label": "$s-muted",
    "muted": "$s-muted",
    "bright": "$s-bright bold",
}
"""The chart's semantic styles in this front end's colours."""


def themes() -> list[Theme]:
    """Return the app's own themes for Textual to register."""
    return [_theme(name, palette) for name, palette in PALETTES.items()]


def _theme(name: str, palette: dict[str, str]) -> Theme:
    ansi = palette["s-bg"].startswith("ansi_")
    return Theme(
        name=name,
        ansi=ansi,
        primary=palette["s-sky"],
        secondary=palette["s-gpu"],
        accent=palette["s-you"],
        warning=palette["s-cpu"],
        error=palette["s-again"],
        success=palette["s-good"],
        foreground=palette["s-text"],
        background=palette["s-bg"],
        surface=palette["s-bg"],
        panel=palette["s-panel"],
        dark=name != "paper",
        variables=(dict(BUILTIN_THEMES["ansi-dark"].variables) if ansi else {})  # Textual's own styles need them
        | palette
        | {
            "input-cursor-background": palette["s-panel"],
            "input-cursor-foreground": palette["s-bright"],
            "input-cursor-text-style": "reverse",  # the one way that is seen without colours, too
            "scrollbar": palette["s-track"],
            "scrollbar-hover": palette["s-faint"],
            "scrollbar-active": palette["s-sky"],
            "scrollbar-background": palette["s-bg"],
            "scrollbar-background-hover": palette["s-bg"],
            "scrollbar-background-active": palette["s-bg"],
            "scrollbar-corner-color": palette["s-bg"],
        },
    )


def depth(wanted: str, environ: Mapping[str, str]) -> str:
    """Return how many colours the terminal has: "never", "16", "256" or "true".

    Args:
        wanted: The setting `color`; anything but "auto" wins over guessing.
        environ: Looked at for NO_COLOR, TERM, COLORTERM and TERM_PROGRAM.
    """
    if wanted != "auto":
        return wanted
    term = environ.get("TERM", "")
    if environ.get("NO_COLOR"):
        return "never"
    if environ.get("TERM_PROGRAM") == "Apple_Terminal":  # may claim true colour and not have it
        return "256"
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "true"
    return "256" if not term or "256" in term or "kitty" in term else "16"


def choose(wanted: str, colorfgbg: str, colors: str = "256") -> str:
    """Return the theme to use: the chosen one, else by the number of colours and COLORFGBG, else graphite.

    Args:
        wanted: The setting; "auto" looks at the terminal's hint.
        colorfgbg: The variable's value, e.g. "15;0"; the last field is the background's colour number.
        colors: What `depth` said; with sixteen colours or none only the terminal's own can be used.
    """
    if colors in ("never", "16"):
        return "sixteen"
    if wanted in PALETTES:
        return wanted
    background = colorfgbg.rsplit(";", 1)[-1]
    return "paper" if background in ("7", "15") else "graphite"


def rich_color(value: str) -> str:
    """Return a palette's colour as Rich names it: "ansi_bright_black" is "bright_black"."""
    return value.removeprefix("ansi_")
