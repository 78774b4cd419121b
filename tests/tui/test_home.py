"""Home's notice keeps clear of the keys; the first row says the same on every screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.home_parts import modules
from tests.tui.drive import open_desk, reveal, start, text_of, until

Maker = Callable[..., StudyApp]
NOTICE = "The last backup is 12 days old; the folder it goes to could not be reached. Name another one."


NOTHING = [{"review": 0, "new": 0, "relearning": 0, "streak": 0, "day": 739312, "starts_ms": 0}]


def status(modules: int) -> dict[str, object]:
    """Return what Home is painted from: a year behind, a week ahead, some modules."""
    day = {"review": 3, "new": 2, "relearning": 0, "streak": 4, "day": 739312, "starts_ms": 0}
    one = {"title": "Demo", "share": 0.5, "due": 3, "unread": 0, "experiments": 2}
    days = [{**day, "day": 739312 + k, "starts_ms": k * 86_400_000} for k in range(8)]
    return {
        "days": days,
        "heat": {"739300": 4},
        "modules": [{**one, "title": f"Demo {k}"} for k in range(modules)],
        "notices": [NOTICE],
        "streak": {"length": 4},
    }


@pytest.mark.parametrize("size", [(80, 24), (80, 27), (60, 20), (120, 40), (60, 16)])
@pytest.mark.parametrize("modules", [1, 2])
async def test_a_notice_keeps_a_blank_row_before_the_keys(
    app_of: Maker, size: tuple[int, int], modules: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.tui.screens.home.day_now", lambda found, at_ms: found["days"][0])
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        app.status = status(modules)
        app.screen.paint()  # type: ignore[attr-defined]
        await pilot.pause()
        rows = text_of(app).splitlines()
    at = next(k for k, row in enumerate(rows) if "The last backup" in row)
    assert rows[-1].strip().startswith("enter")
    assert rows[-2] == ""
    assert rows[at - 1] == ""
    words = " ".join(" ".join(rows[at:-1]).split())
    assert words == NOTICE or words.endswith(" …")


async def test_the_first_row_counts_the_day_on_every_screen(app_of: Maker) -> None:
    def first_row() -> str:
        return text_of(app).split("\n", maxsplit=1)[0]

    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: "1/4" in first_row())
        for keys in (["question_mark", "q"], ["q", "s", "q"], ["l", "q"], ["b", "q"], ["enter"]):
            for key in keys:
                await pilot.press(key)
                await until(pilot, lambda: "1/4" in first_row())


@pytest.mark.parametrize("size", [(60, 20), (80, 20), (70, 21), (46, 20), (80, 24), (40, 12)])
@pytest.mark.parametrize("begun", [True, False])
async def test_home_shows_whole_rows_and_keeps_clear_of_the_keys(
    app_of: Maker, size: tuple[int, int], begun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.tui.screens.home.day_now", lambda found, at_ms: found["days"][0])
    daily = {"day": 739312, "done": False, "question": "How many cards?"}
    found: dict[str, Any] = {**status(1), "notices": [], "daily": daily}
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        app.status = (
            found
            if begun
            else {**found, "heat": {}, "days": [{**day, "review": 0, "new": 0} for day in found["days"]]}
        )
        app.screen.paint()  # type: ignore[attr-defined]
        await pilot.pause()
        rows = text_of(app).splitlines()

    assert rows[-2] == ""
    assert not any(
        row.rstrip().endswith("…") for row in rows[1:-1] if "today's trial" not in row and "Demo" not in row
    )
    assert ("next 7 days" in "".join(rows)) == begun


@pytest.mark.parametrize(
    ("width", "beside"), [(40, ""), (60, "tomorrow 4"), (80, "tomorrow 4"), (120, "tomorrow 4   2 experiments")]
)
def test_a_module_that_is_done_says_what_comes_tomorrow(width: int, beside: str) -> None:
    done = {"title": "Data loading", "share": 1.0, "due": 0, "unread": 0, "experiments": 2, "tomorrow": 4}
    found = {"days": [{"day": 9}], "modules": [done, {**done, "due": 3}, {**done, "unread": 1}]}

    first, *others = modules(found, width, 9).plain.split("\n")
    assert first.endswith(f"100 %      done  {beside}")
    assert not any("tomorrow" in line for line in others)
    assert "tomorrow" not in modules(found, width, 10).plain
    assert all(len(line.rstrip()) <= width - 4 for line in (first, *others))
