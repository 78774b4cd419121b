"""Colours and strokes of the SVG charts: the app's palette as CSS variables, light and dark.

The values are the terminal's own (xterm-256), so that a report and a screen show the same amber and teal.
"""

from __future__ import annotations

LIGHT = {
    "bg": "#ffffff",
    "panel": "#f6f6f4",
    "track": "#dadada",
    "faint": "#9e9e9e",
    "muted": "#626262",
    "text": "#303030",
    "bright": "#000000",
    "cpu": "#af5f00",
    "gpu": "#00875f",
    "you": "#d7005f",
    "sky": "#005faf",
    "again": "#d70000",
    "hard": "#af5f00",
    "good": "#008700",
    "easy": "#005fd7",
}
DARK = {
    "bg": "#121212",
    "panel": "#1c1c1c",
    "track": "#303030",
    "faint": "#585858",
    "muted": "#9e9e9e",
    "text": "#d0d0d0",
    "bright": "#eeeeee",
    "cpu": "#ffaf5f",
    "gpu": "#5fd7af",
    "you": "#ff87af",
    "sky": "#87d7ff",
    "again": "#ff5f5f",
    "hard": "#ffaf5f",
    "good": "#87d787",
    "easy": "#5fafff",
}
FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
"""Fonts that are there already; none is fetched."""
NARROW_BELOW_PX = 600
"""Width of the window, or of the picture where it stands alone, below which the narrow drawing is shown."""

_CHART = f"""
svg.chart{{display:block;width:100%;height:auto;aspect-ratio:var(--wide);font:12px {FONTS};
font-variant-numeric:tabular-nums;background:var(--bg);overflow:hidden}}
svg.chart .narrow{{display:none}}
svg.chart text{{fill:var(--text)}}
svg.chart text.name,svg.chart text.tick
{{paint-order:stroke;stroke:var(--bg);stroke-width:3.5px;stroke-linejoin:round}}
svg.chart text.cpu{{fill:var(--cpu)}}svg.chart text.gpu{{fill:var(--gpu)}}svg.chart text.neutral{{fill:var(--sky)}}
svg.chart text.weak,svg.chart text.muted,svg.chart text.tick,svg.chart text.label,svg.chart text.threshold
{{fill:var(--muted)}}
svg.chart text.measured{{fill:var(--bright);font-weight:600}}
svg.chart text.prediction{{fill:var(--you);font-weight:600}}
svg.chart .grid{{stroke:var(--track);stroke-width:1}}
svg.chart .axis{{stroke:var(--faint);stroke-width:1}}
svg.chart .mark{{fill:none;stroke:var(--muted);stroke-width:1.2;stroke-dasharray:2 3}}
svg.chart line.measured{{stroke:var(--bright);stroke-dasharray:none;opacity:.55}}
svg.chart line.prediction{{stroke:var(--you);stroke-dasharray:5 3}}
svg.chart polyline{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}
svg.chart polyline.slope{{stroke-width:1.3}}
svg.chart .dashed{{stroke-dasharray:5 5}}
svg.chart .spread{{fill:none;stroke-width:1.3;opacity:.6}}
svg.chart .over{{stroke:var(--text);opacity:.8}}
svg.chart polyline.cpu,svg.chart path.cpu{{stroke:var(--cpu)}}
svg.chart polyline.gpu,svg.chart path.gpu{{stroke:var(--gpu)}}
svg.chart polyline.neutral,svg.chart path.neutral{{stroke:var(--sky)}}
svg.chart polyline.weak,svg.chart path.weak{{stroke:var(--muted)}}
svg.chart .dot,svg.chart .bar{{stroke-width:1.6;fill:var(--c);stroke:var(--c)}}
svg.chart .dot.hollow{{fill:var(--bg)}}
svg.chart .bar{{stroke-width:1.2;fill-opacity:.85}}
svg.chart .bar.hollow{{fill-opacity:.22}}
svg.chart .bar.assumed{{fill-opacity:.1;stroke-dasharray:4 3}}
svg.chart .dot.cpu,svg.chart .bar.cpu{{--c:var(--cpu)}}svg.chart .dot.gpu,svg.chart .bar.gpu{{--c:var(--gpu)}}
svg.chart .dot.neutral,svg.chart .bar.neutral{{--c:var(--sky)}}
svg.chart .dot.weak,svg.chart .bar.weak{{--c:var(--muted)}}
@media (max-width:{NARROW_BELOW_PX - 1}px){{svg.chart{{aspect-ratio:var(--narrow)}}
svg.chart .wide{{display:none}}svg.chart .narrow{{display:inline}}}}
"""


def palette_css(selector: str) -> str:
    """Return the palette as variables on a selector, dark where the reader's system is dark, light on paper."""
    light, dark = (";".join(f"--{name}:{value}" for name, value in side.items()) for side in (LIGHT, DARK))
    return (
        f"{selector}{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{{selector}{{{dark}}}}}\n"
    )


def chart_css() -> str:
    """Return how charts look, in terms of the palette."""
    return _CHART
