"""A desk on a real store with a small lesson and a clock that tests set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, time, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from studyapp.core.days import Moment
from studyapp.core.scheduling import Policy
from studyapp.study.desk import Desk, Options, open_desk

LESSON = """---
id: demo
title: Demo
---

# Demo

## One <!-- id: one -->

Text.

{cards_one}

## Two <!-- id: two -->

More.

{cards_two}
"""


def prompt(name: str) -> str:
    return (
        f"> **Say it first:** What is {name}? <!-- id: {name} -->\n>\n> It is {name}.\n>\n"
        "> **Check:**\n>\n> - a\n> - b\n>\n> **Try:** [t](experiment:small-net)\n"
    )


def lesson(one: int = 4, two: int = 2) -> str:
    cards = ["\n".join(prompt(f"{part}{i}") for i in range(n)) for part, n in (("a", one), ("b", two))]
    return LESSON.format(cards_one=cards[0], cards_two=cards[1])


class Watch:
    """A clock: set it to an ISO instant in a zone."""

    def __init__(self, iso: str = "2026-03-02T10:00", zone: str = "UTC") -> None:
        self.zone = zone
        self.set(iso)

    def set(self, iso: str, zone: str | None = None) -> None:
        self.zone = zone or self.zone
        self.now = datetime.fromisoformat(iso).replace(tzinfo=ZoneInfo(self.zone)).astimezone(timezone.utc)

    def __call__(self) -> Moment:
        return Moment(now=self.now, zone=ZoneInfo(self.zone), zone_name=self.zone, rollover=time(4))


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def lesson_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "demo.md"
    path.write_text(lesson(), encoding="utf-8")
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: path)
    return path


@pytest.fixture
def desk_of(tmp_path: Path, watch: Watch, lesson_path: Path) -> Iterator[Callable[..., Desk]]:
    opened: list[Desk] = []

    def make(**options: object) -> Desk:
        chosen = Options(policy=Policy(fuzz=False), **options)  # type: ignore[arg-type]
        desk = open_desk(
            tmp_path / "data" / "study.db",
            clock=watch,
            options=chosen,
            status_path=tmp_path / "data" / "status.json",
        )
        opened.append(desk)
        return desk

    yield make
    for desk in opened:
        desk.close()
