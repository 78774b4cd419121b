"""The few blobs of protobuf that a collection has."""

from __future__ import annotations

import pytest

from studyapp.decks.anki.protobuf import fields, number_of, text_of


def test_fields_are_found_by_number_whatever_their_wire_type() -> None:
    blob = b"\x08\xac\x02\x12\x02hi\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08"

    found = fields(blob)

    assert found == {1: 300, 2: b"hi", 3: b"\x01\x02\x03\x04", 4: b"\x01\x02\x03\x04\x05\x06\x07\x08"}
    assert (number_of(found, 1), text_of(found, 2)) == (300, "hi")


def test_a_missing_field_or_one_of_another_type_is_empty() -> None:
    found = fields(b"\x08\x01\x12\x02hi")

    assert (number_of(found, 2), number_of(found, 9), text_of(found, 1), text_of(found, 9)) == (0, 0, "", "")


@pytest.mark.parametrize("blob", [b"\x12\x09hi", b"\x0b", b"\x08\x80", b"\xff" * 40, b""])
def test_a_blob_that_breaks_off_gives_what_came_before(blob: bytes) -> None:
    assert fields(b"\x18\x05" + blob)[3] == 5
