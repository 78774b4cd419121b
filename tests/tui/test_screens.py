"""Every screen at many sizes: what it says, that it stays inside, and that its keys stay in sight."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from rich.cells import cell_len

from pictures.scenes import SCENES
from tests.tui.gallery import KEPT, LOOKS, OTHERS, Shot, file_of, gallery, kept, others

NAMES = [scene.name for scene in SCENES]


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Shot]]:
    """Return every screen by name: one walk for all tests."""
    found: dict[str, list[Shot]] = {name: [] for name in NAMES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "COLORTERM", "COLORFGBG", "TERM_PROGRAM", "SSH_CONNECTION"):
            patch.delenv(name, raising=False)
        for shot in gallery(tmp_path_factory.mktemp("screens")):
            found[shot.scene].append(shot)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_screen_says_what_it_said(shots: dict[str, list[Shot]], name: str) -> None:
    for shot in shots[name]:
        if shot.size in KEPT and shot.look == LOOKS[0]:
            path = file_of(name, shot.size)
            before, now = path.read_text(encoding="utf-8").split("\n"), kept(shot).split("\n")
            found = "\n".join(difflib.unified_diff(before, now, path.name, "now", lineterm=""))
            assert not found, f"{found}\nIf this is as it should be: python -m tests.tui.snapshots"


@pytest.mark.parametrize("name", NAMES)
def test_c10_a_screen_stays_inside_every_window_and_its_keys_in_sight(
    shots: dict[str, list[Shot]], name: str
) -> None:
    scene = next(scene for scene in SCENES if scene.name == name)
    assert {shot.size for shot in shots[name]} == {*KEPT, *(size for size, _ in others(scene))}
    for shot in shots[name]:
        rows, (width, height) = shot.text.split("\n"), shot.size
        assert len(rows) == height
        assert max(map(cell_len, rows)) <= width, shot
        if shot.keys and width >= 40 and height >= 10:
            assert rows[-1].split()[:2] == shot.keys.split()[:2], shot


def test_every_size_meets_every_theme(shots: dict[str, list[Shot]]) -> None:
    seen = {(shot.size, shot.look) for found in shots.values() for shot in found}

    assert {size for size, _ in seen} == {*KEPT, *OTHERS}
    assert {(size, look) for size in OTHERS for look in LOOKS} <= seen


def test_no_kept_screen_is_of_a_scene_that_is_gone() -> None:
    names = {path.name for path in file_of("x", (1, 1)).parent.glob("*.txt")}

    assert names == {file_of(name, size).name for name in NAMES for size in KEPT}


def test_every_place_has_a_picture() -> None:
    walks = Path(__file__).parents[2].joinpath("pictures", "scenes.py").read_text(encoding="utf-8")
    from studyapp.tui.places import PLACES

    for name in PLACES:
        assert f'guide.open("{name}"' in walks, f"no picture of {name}"
