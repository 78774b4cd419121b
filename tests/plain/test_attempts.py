from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Studyapp
from tests.plain.conftest import Speak

LESSON = """---
id: kinds
title: Kinds
---

> **Number:** How large is it? <!-- id: large -->
>
> About 5.5 GB.

> **Type it:** Which flag? <!-- id: flag -->
>
> `pin_memory`

> **Choose:** What grows? <!-- id: grow -->
>
> - [x] activations
> - [ ] weights
>
> One set each.
"""


@pytest.fixture(autouse=True)
def _kinds(studyapp: Studyapp, tmp_path: Path, speak: Speak) -> None:
    (tmp_path / "kinds.md").write_text(LESSON, encoding="utf-8")
    assert studyapp("import", str(tmp_path / "kinds.md")).code == 0


def test_cards_are_answered_in_lines_and_enter_takes_the_grade_suggested(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["5500 MB", "", "pin_memry", "", "9", "", "4", "q"], "review", "kinds")

    assert "You said 5500 MB: right." in result.out
    assert "Enter takes good." in result.out
    assert "You said pin_memry: near." in result.out
    assert "Missing: o." in result.out
    assert "Give numbers from 1 to 2, or press enter." in result.out
    rated = [studyapp("show", f"kinds/{name}", "--json").data["reviews"][0]["rating"] for name in NAMES]
    assert rated == [3, 2, 4]


NAMES = ("large", "flag", "grow")


def test_enter_alone_takes_no_grade_where_nothing_was_judged(speak: Speak) -> None:
    result = speak(["", "", "1", "q"], "review", "kinds")

    assert "Type 1, 2, 3 or 4." in result.out
    assert "Enter takes" not in result.out
