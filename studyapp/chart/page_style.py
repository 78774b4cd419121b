"""How a report looks: calm type, the app's colours, light and dark, a telephone and paper."""

from __future__ import annotations

from studyapp.chart.svg_style import FONTS, chart_css, palette_css

CHIPS = {
    "holds": ("good", "#006400", "#e3f1e3", "#1c2b1c"),
    "does_not_hold": ("again", "#b00000", "#fbe4e4", "#331a1a"),
    "too_noisy": ("hard", "#874800", "#f8ecdc", "#33261a"),
    "cannot_test": ("muted", "#555555", "#eeeeec", "#262626"),
    "no_result": ("you", "#ad004c", "#fae3ec", "#331f28"),
}
"""By kind of result: the palette's colour, which is a chip's ink in the dark; its ink in the light, deeper for
contrast; its ground in the light and in the dark."""

_MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'
_PAGE = f"""
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth}}
body{{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 {FONTS};overflow-wrap:break-word}}
main{{max-width:48rem;margin:0 auto;padding:3.5rem 1.5rem 5rem}}
h1{{font-size:2.3rem;line-height:1.15;letter-spacing:-.02em;color:var(--bright);margin:.2rem 0 .9rem;
font-weight:650}}
h2{{font-size:1.3rem;line-height:1.35;letter-spacing:-.01em;color:var(--bright);margin:.55rem 0 .3rem;
font-weight:600}}
h3{{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--muted);margin:3rem 0 .8rem;
font-weight:600}}
p{{margin:.4rem 0}}
a{{color:var(--sky);text-underline-offset:.15em}}
code{{font:.875em {_MONO};background:var(--panel);padding:.1em .35em;border-radius:4px}}
.kicker{{font-size:.85rem;letter-spacing:.06em;color:var(--muted);margin:0}}
.kicker b{{color:var(--cpu);font-weight:650}}
.lead{{font-size:1.2rem;line-height:1.5;color:var(--text);margin:0 0 1.6rem}}
.bar{{display:flex;height:.7rem;gap:3px;margin:0 0 .9rem}}
.bar span{{border-radius:3px;min-width:.5rem}}
.legend{{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem .5rem;margin:0 0 1rem;padding:0}}
.chip{{display:inline-block;font-size:.85rem;line-height:1.4;font-weight:600;padding:.18rem .7rem;
border-radius:99px;white-space:nowrap}}
.glance{{list-style:none;margin:0;padding:0;border-top:1px solid var(--track)}}
.glance a{{display:grid;grid-template-columns:1.4rem 1fr auto;gap:0 .6rem;padding:.5rem .2rem;
border-bottom:1px solid var(--track);text-decoration:none;color:var(--text);line-height:1.4}}
.glance a:hover{{background:var(--panel)}}
.glance b{{font-weight:700;text-align:center}}
.glance .figure{{color:var(--muted);font-variant-numeric:tabular-nums;white-space:nowrap;text-align:right}}
article{{border-top:1px solid var(--track);padding:2.2rem 0 1.6rem;break-inside:auto}}
.id{{font:.85rem {_MONO};color:var(--muted);margin-left:.7rem}}
.question{{color:var(--muted);margin:0 0 1rem}}
.number{{font-size:2.1rem;line-height:1.2;font-weight:650;letter-spacing:-.02em;color:var(--bright);
font-variant-numeric:tabular-nums;margin:.2rem .6rem 0 0;display:inline-block}}
.number.unsure{{color:var(--muted);font-weight:450}}
.told{{color:var(--muted);font-size:.9rem}}
.because{{font-size:1.05rem;margin:.3rem 0 1rem}}
figure{{margin:1.3rem 0 .6rem}}
figcaption{{color:var(--muted);font-size:.9rem;margin:0 0 .6rem}}
.facts{{color:var(--muted);font-size:.875rem;margin:.8rem 0 0;display:grid;
grid-template-columns:max-content 1fr;gap:.1rem .9rem}}
.facts dt{{color:var(--muted)}}.facts dd{{margin:0;color:var(--text)}}
.remark{{font-size:.9rem;color:var(--muted);border-left:3px solid var(--track);padding:.05rem 0 .05rem .8rem;
margin:.6rem 0}}
.remark.busy{{border-color:var(--hard)}}
details{{margin:.8rem 0 0;font-size:.9rem}}
summary{{cursor:pointer;color:var(--sky);width:max-content;padding:.15rem 0}}
.scroll{{overflow-x:auto;margin:.5rem 0}}
table{{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;line-height:1.45}}
th,td{{text-align:right;padding:.28rem .9rem .28rem 0;border-bottom:1px solid var(--track);vertical-align:top}}
th{{color:var(--muted);font-weight:600}}
th:first-child,td:first-child{{text-align:left}}
table.machine th{{text-align:left;width:9.5rem;font-weight:400}}table.machine td{{text-align:left}}
table.machine{{width:100%}}
footer{{border-top:1px solid var(--track);margin-top:2rem;padding-top:1.4rem;color:var(--muted);
font-size:.9rem}}
:focus-visible{{outline:2px solid var(--sky);outline-offset:3px;border-radius:3px}}
@media (max-width:599px){{main{{padding:2rem 1rem 3rem}}h1{{font-size:1.8rem}}.lead{{font-size:1.1rem}}
.id{{display:block;margin:.4rem 0 0}}
.glance a{{grid-template-columns:1.3rem 1fr}}.glance .figure{{grid-column:2;text-align:left;font-size:.9rem}}
.facts{{grid-template-columns:1fr;gap:0}}.facts dt{{margin-top:.35rem}}
table.machine th{{width:6.8rem}}}}
@media (prefers-reduced-motion:reduce){{html{{scroll-behavior:auto}}}}
@media print{{@page{{margin:18mm 16mm}}body{{font-size:10.5pt}}main{{max-width:none;padding:0}}
a{{color:inherit;text-decoration:none}}
figure,.glance a,tr,h2,.because{{break-inside:avoid}}h2,h3{{break-after:avoid}}
*{{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
article{{padding:1.2rem 0 .6rem}}summary{{display:none}}}}
"""


def page_css() -> str:
    """Return the whole style of a report."""
    light = "".join(
        f".{kind}{{color:var(--{name})}}.bar .{kind}{{background:var(--{name})}}"
        f".chip.{kind}{{background:{ground};color:{ink}}}\n"
        for kind, (name, ink, ground, _) in CHIPS.items()
    )
    dark = "".join(
        f".chip.{kind}{{background:{ground};color:var(--{name})}}" for kind, (name, _, _, ground) in CHIPS.items()
    )
    dark = f"@media screen and (prefers-color-scheme:dark){{{dark}}}\n"
    return palette_css(":root") + chart_css() + _PAGE + light + dark
