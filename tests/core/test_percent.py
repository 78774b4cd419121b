"""A share is written one way: "90 %", as the axes of charts and the lessons have it; nowhere "90%"."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from studyapp.core.percent import percent
from tests.conftest import ROOT

CLOSE = re.compile(r"\d%(?![;\dA-Za-z])")
SEARCH = re.compile(r"prop:r[<>=]+\d+%")
"""What one types into a search stays together."""
STYLE = re.compile(r"[\w-]+:[^;{}]*%|\d%; ?margin|\bwidth\b")


def words_of(path: Path) -> list[str]:
    """Return the words that a file may show: its strings, with a digit in place of every figure in them."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values]
            found.append("".join(parts))
            assert not any(spec.endswith("%") for spec in specs(node)), f"{path}: use core.percent"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


def specs(node: ast.JoinedStr) -> list[str]:
    """Return how the values in a string are formatted."""
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    return [ast.unparse(value.format_spec).strip("f'\"") for value in values if value.format_spec is not None]


def test_a_share_is_written_with_a_blank() -> None:
    assert [percent(share) for share in (0, 0.005, 0.891, 1, 1.5)] == ["0 %", "0 %", "89 %", "100 %", "150 %"]
    assert (percent(0.04, "+"), percent(-0.04, "+")) == ("+4 %", "-4 %")


def test_no_string_of_the_program_writes_it_otherwise() -> None:
    for path in sorted((ROOT / "studyapp").rglob("*.py")):
        if path.name in ("percent.py", "page_style.py") or "store" in path.parts:
            continue
        for words in words_of(path):
            for line in SEARCH.sub("", words).splitlines():
                assert STYLE.search(line) or not CLOSE.search(line), f"{path}: {line}"


def test_no_screen_and_no_page_shows_it_otherwise() -> None:
    shown = [*(ROOT / "tests" / "tui" / "snapshots").glob("*.txt"), *(ROOT / "docs").glob("*.md")]
    for path in [*shown, ROOT / "README.md", *(ROOT / "data" / "modules").rglob("*.md")]:
        for line in SEARCH.sub("", path.read_text(encoding="utf-8")).splitlines():
            assert not CLOSE.search(line), f"{path}: {line}"
