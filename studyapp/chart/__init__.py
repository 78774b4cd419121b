"""Figure to cells, text and table. The only importer of plotext."""

from studyapp.chart.grid import STYLES, Grid, Span, to_ansi
from studyapp.chart.render import render
from studyapp.chart.units import quantity, tick_values
from studyapp.chart.words import format_table, render_text, table, table_words

__all__ = [
    "STYLES",
    "Grid",
    "Span",
    "format_table",
    "quantity",
    "render",
    "render_text",
    "table",
    "table_words",
    "tick_values",
    "to_ansi",
]
