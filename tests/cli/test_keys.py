"""`studyapp keys`: what can be pressed, and a refusal of keys that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studyapp.cli.main import run


def test_keys_lists_every_command_with_the_key_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[keys]\n"review.bury" = "v"\n')
    monkeypatch.setenv("STUDYAPP_CONFIG", str(config))
    assert run(["keys", "--json"]) == 0
    data = {(c["id"], c["screen"]): c for c in json.loads(capsys.readouterr().out)["data"]}
    assert data["review.bury", "review"] | {"words": ""} == {
        "id": "review.bury", "screen": "review", "keys": ["v"], "words": "", "own": True,
    }  # fmt: skip
    assert data["back", "review"]["keys"] == ["q", "escape"]
    assert run(["keys"]) == 0
    assert "review.bury" in capsys.readouterr().out
    config.write_text('[keys]\n"review.bury" = "u"\n')
    assert run(["keys"]) == 2
    assert "review.undo" in capsys.readouterr().err
