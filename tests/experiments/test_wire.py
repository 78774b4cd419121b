"""The wire: what is encoded is decoded again, what is noise is told from it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.points import Basis, Point
from studyapp.experiments.protocol import (
    VERSION,
    Cancel,
    Cancelled,
    Done,
    Failed,
    Message,
    Note,
    PointMessage,
    Prepare,
    Ready,
    Refused,
    Request,
    Started,
    Warm,
)
from studyapp.experiments.wire import LINE_LIMIT_BYTES, MARKER, Lines, decode, encode

POINT = Point("gpu", 512.0, 1.5e-4, 1e-4, 2e-4, 9, settled=False, basis=Basis.SIMULATED)
EXAMPLES: list[Message] = [
    Request("1", "small-net", {"hidden": 64, "way": "one"}, seconds=2.5, quiet={"compute": 1e-3}),
    Cancel("1"),
    Prepare(experiment="kept"),
    Ready(torch="2.13.0", cores=2, devices=[{"type": "cpu", "count": 1, "name": "x"}], notices=["y"]),
    Warm(what="torch", took_s=0.1),
    Started("1", experiment="small-net", device="cuda", device_name="H200"),
    PointMessage("1", point=POINT),
    Note("1", text="Starting cuda"),
    Done("1", facts={"device": "cpu", "more": {"torch": "2.13.0"}}, points=3, took_s=0.5),
    Cancelled("1", killed=True),
    Failed("1", failure="crashed", why="ValueError: x", stderr=["a", "b"]),
    Refused("1", why="no room"),
]


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.kind)
def test_what_is_encoded_is_decoded_to_the_same(message: Message) -> None:
    line = encode(message)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == message


def test_only_done_cancelled_failed_and_refused_are_final() -> None:
    assert {m.kind for m in EXAMPLES if m.final} == {"done", "cancelled", "failed", "refused"}


def test_e05_every_line_bears_the_marker_and_the_run() -> None:
    data = json.loads(encode(PointMessage("run-7", point=POINT)))

    assert (data[MARKER], data["run"]) == (VERSION, "run-7")


def test_e09_nan_and_infinity_become_null_at_any_depth() -> None:
    done = Done("1", facts={"a": math.nan, "more": {"b": [math.inf, 1.0]}}, took_s=-math.inf)

    data = json.loads(encode(done), parse_constant=lambda token: pytest.fail(token))

    assert data["facts"] == {"a": None, "more": {"b": [None, 1.0]}}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"a stray print",
        b"[1, 2]",
        b"{}",
        b'"studyapp"',
        b"\xff\xfe",
        b'{"kind":"point","run":"1","point":{"series":"a","x":1,"y":2}}',
        b'{"studyapp":1,"kind":"party"}',
        b'{"studyapp":1,"kind":"point","run":"1","point":{}}',
        b'{"studyapp":1,"kind":"point","run":"1","point":[]}',
        b'{"studyapp":1,"kind":"done","run":1}',
        b'{"studyapp":1,"kind":"done","facts":[]}',
        b'{"studyapp":1,"kind":["run"]}',
        b'{"studyapp":1,"kind":"poi',
        b"[" * 100_000,
        b'{"studyapp":1,"kind":"done","points":' + b"9" * 5000 + b"}",
    ],
)
def test_e05_noise_decodes_to_nothing(line: bytes) -> None:
    assert decode(line) is None


@given(st.binary() | st.text().map(str.encode))
def test_e05_no_line_whatever_raises(line: bytes) -> None:
    decode(line)
    decode(b'{"studyapp":1,"kind":"point","point":' + line + b"}")


def test_unknown_fields_of_a_newer_side_are_ignored() -> None:
    assert decode(b'{"studyapp":2,"kind":"cancel","run":"1","why":"new","more":[1]}') == Cancel("1")


def test_missing_fields_of_an_older_side_have_defaults() -> None:
    assert decode(b'{"studyapp":1,"kind":"ready"}') == Ready()


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b" ")), max_size=8), st.integers(1, 7))
def test_lines_come_out_as_they_went_in_however_they_are_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    splitter = Lines()

    found = [line for i in range(0, len(stream), size) for line in splitter.feed(stream[i : i + size])]

    assert found == lines


@given(st.integers(1, 40))
def test_e05_a_line_beyond_the_cap_is_dropped_and_counted_and_its_neighbours_stay(size: int) -> None:
    stream = b"first\n" + b"x" * 100 + b"\nlast\n" + b"y" * 11 + b"\n"
    splitter = Lines(limit=10)

    found = [line for i in range(0, len(stream), size) for line in splitter.feed(stream[i : i + size])]

    assert found == [b"first", b"last"]
    assert splitter.dropped == 2


def test_the_longest_real_message_stays_far_below_the_cap() -> None:
    stderr = ["x" * 4096] * 20
    longest = max(len(encode(replace(Failed("1"), stderr=stderr))), *(len(encode(m)) for m in EXAMPLES))

    assert longest < LINE_LIMIT_BYTES / 10
