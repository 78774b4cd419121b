from __future__ import annotations

import io
import json
import math
import os
from enum import Enum
from pathlib import Path

import pytest

from studyapp.cli.call import locale_trouble
from studyapp.cli.output import ERRORS, columns, print_data, shows_utf8, strict


class Colour(Enum):
    RED = "red"


def test_what_json_cannot_hold_becomes_something_it_can() -> None:
    odd = {1: math.nan, "inf": [math.inf, -math.inf], "set": frozenset({3}), "enum": Colour.RED, "text": "a\x1bb"}

    found = strict(odd)

    assert found == {"1": None, "inf": [None, None], "set": [3], "enum": "red", "text": "a␛b"}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_file_name_that_is_no_text_is_still_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_data({"path": Path(os.fsdecode(b"/tmp/gr\xf6\xdfe"))})

    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["data"]["path"] == "/tmp/gr\ufffd\ufffde"


def test_characters_a_stream_lacks_are_replaced_by_what_comes_near() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1", errors=ERRORS)

    stream.write("5 µs → “größer” 日本 …")
    stream.flush()

    assert raw.getvalue().decode("latin-1") == '5 µs -> "größer" ?? ...'


def test_columns_line_up() -> None:
    assert columns([["a", "1"], ["long", "2"]]) == ["a     1", "long  2"]
    assert columns([]) == []


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False)]
)
def test_utf8_is_known_by_any_of_its_names(encoding: str, shown: bool) -> None:
    with io.TextIOWrapper(io.BytesIO(), encoding=encoding) as stream:
        assert shows_utf8(stream) == shown


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({}, ""),
        ({"LANG": "C"}, ""),
        ({"LANG": "de_DE.UTF-8"}, ""),
        ({"LANG": "de_DE.utf8@euro"}, ""),
        ({"LANG": "en_US.ISO-8859-1"}, "LANG"),
        ({"LC_ALL": "C.UTF-8", "LANG": "en_US.ISO-8859-1"}, ""),
        ({"LC_CTYPE": "de_DE.ISO-8859-15", "LANG": "C.UTF-8"}, "LC_CTYPE"),
        ({"LC_ALL": "POSIX"}, "LC_ALL"),
    ],
)
def test_c09_the_variable_that_decides_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], named: str
) -> None:
    monkeypatch.delenv("LANG")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    assert locale_trouble().partition(" ")[0] == named
