"""What the program draws, as a small SVG: text on a grid, no font from anywhere, readable as text."""

from __future__ import annotations

from html import escape
from typing import Any

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import MONOKAI, TerminalTheme

from studyapp.tui.app import StudyApp
from tests.tui.drive import strips_of

CELL_W, CELL_H, PAD = 8.4, 18, 12
"""Pixels of a cell at a font size of 14, and around the screen."""
FONT = "'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace"
NO_BREAK = "\N{NO-BREAK SPACE}"
"""Blanks that a browser does not join."""
CONSOLE: TerminalTheme = MONOKAI
"""How a console of sixteen colours looks here; there they are the learner's own."""


def svg(app: StudyApp, title: str) -> str:
    """Return the screen in front as an SVG document."""
    strips = strips_of(app)
    width, height = app.size
    ground = _hex(app, app.screen.rich_style.bgcolor, ground=True)
    w, h = width * CELL_W + 2 * PAD, height * CELL_H + 2 * PAD
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:g} {h:g}" width="{w:g}" height="{h:g}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{w:g}" height="{h:g}" rx="8" fill="{ground}"/>',
        f'<g font-family="{FONT}" font-size="14">',
    ]
    for number, strip in enumerate(strips):
        out += _row(app, list(strip), number, ground)
    return "\n".join([*out, "</g>", "</svg>", ""])


def _row(app: StudyApp, segments: list[Segment], number: int, ground: str) -> list[str]:
    boxes, texts, x = [], [], 0
    for segment in _joined(segments):
        style, text = segment.style or Style.null(), segment.text
        cells = cell_len(text)
        colors = [_hex(app, style.color), _hex(app, style.bgcolor, ground=True)]
        ink, paper = reversed(colors) if style.reverse else colors
        left = PAD + x * CELL_W
        if paper != ground:
            boxes.append(
                f'<rect x="{left:g}" y="{PAD + number * CELL_H}" width="{cells * CELL_W:g}" '
                f'height="{CELL_H}" fill="{paper}"/>'
            )
        bare = text.strip()
        if bare:
            shown = escape(bare).replace(" ", NO_BREAK)
            start = left + cell_len(text[: len(text) - len(text.lstrip())]) * CELL_W
            texts.append(
                f'<text x="{start:g}" y="{PAD + number * CELL_H + 14}" fill="{ink}"{_weight(style)} '
                f'textLength="{cell_len(bare) * CELL_W:g}" lengthAdjust="spacingAndGlyphs">{shown}</text>'
            )
        x += cells
    return boxes + texts


def _joined(segments: list[Segment]) -> list[Segment]:
    """Join neighbours of one look, and blanks with what stands before them."""
    out: list[Segment] = []
    for text, style, _ in segments:
        if out and (out[-1].style == style):
            out[-1] = Segment(out[-1].text + text, style)
        else:
            out.append(Segment(text, style))
    return out


def _weight(style: Style) -> str:
    marks = ' font-weight="bold"' if style.bold else ""
    marks += ' font-style="italic"' if style.italic else ""
    return marks + (' text-decoration="underline"' if style.underline else "")


def _hex(app: StudyApp, color: Color | None, *, ground: bool = False) -> str:
    native: Any = CONSOLE
    if color is None or color.is_default:
        if app.color_depth in ("16", "never"):
            return str((native.background_color if ground else native.foreground_color).hex)
        return "#121212" if ground else "#d0d0d0"
    return str(color.get_truecolor(native, foreground=not ground).hex)
