from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from studyapp.store.database import Store
from studyapp.store.schema import metadata
from tests.store.build import DAY, ROOT, answer, in_review, with_cards

SOURCES = sorted((ROOT / "studyapp").rglob("*.py"))
NAIVE = {("datetime", "utcnow"), ("datetime", "utcfromtimestamp"), ("datetime", "today"), ("date", "today")}
NEEDS_ZONE = {"now": 1, "fromtimestamp": 2}


def _naive_calls(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
        given = len(node.args) + sum(keyword.arg == "tz" for keyword in node.keywords)
        if (name, node.func.attr) in NAIVE or (name == "datetime" and given < NEEDS_ZONE.get(node.func.attr, 0)):
            yield f"line {node.lineno}: {name}.{node.func.attr}"


def test_d07_no_source_makes_a_time_without_a_zone() -> None:
    found = [
        f"{source}, {call}" for source in SOURCES for call in _naive_calls(source.read_text(encoding="utf-8"))
    ]

    assert len(SOURCES) > 20
    assert found == []


@pytest.mark.parametrize(
    "line", ["datetime.utcnow()", "datetime.datetime.now()", "datetime.fromtimestamp(3)", "date.today()"]
)
def test_d07_the_check_finds_naive_times(line: str) -> None:
    assert len(list(_naive_calls(line))) == 1


def test_d07_no_column_holds_a_date_or_time_type() -> None:
    kinds = {type(column.type).__name__ for table in metadata.tables.values() for column in table.columns}

    assert kinds == {"Integer", "Text", "Float", "LargeBinary"}


def test_d07_an_instant_comes_back_as_the_same_instant_and_orders_by_it(store: Store) -> None:
    with_cards(store, "a", "b")
    pacific = datetime(2026, 3, 1, 23, 30, 0, 123_000, tzinfo=timezone(timedelta(hours=-8)))
    at_ms = round(pacific.timestamp() * 1000)
    answer(store, "a", at_ms=at_ms, offset_min=-480, zone="America/Los_Angeles", study_day=DAY)
    later = in_review(DAY + 1)
    answer(store, "b", at_ms=at_ms + 1, offset_min=540, zone="Asia/Tokyo", after=later)

    first, second = store.reviews()

    assert [first.card, second.card] == ["a", "b"]
    assert datetime.fromtimestamp(first.at_ms / 1000, tz=timezone.utc) == pacific
    assert (first.offset_min, first.zone, second.zone) == (-480, "America/Los_Angeles", "Asia/Tokyo")
