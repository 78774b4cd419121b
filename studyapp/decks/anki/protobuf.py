"""Just enough of the protobuf wire format to read Anki's small blobs: which fields there are, and their bytes."""

from __future__ import annotations

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
"""Bytes of a 64-bit number. Source: protobuf encoding specification."""


def fields(blob: bytes) -> dict[int, int | bytes]:
    r"""Return the last value of every field by its number; a blob that breaks off gives what came before.

    >>> fields(b"\x08\x03\x12\x02hi")
    {1: 3, 2: b'hi'}
    """
    found: dict[int, int | bytes] = {}
    at = 0
    while at < len(blob):
        key, at = _varint(blob, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            found[number], at = _varint(blob, at)
        elif wire in (_BYTES, _FIXED32, _FIXED64):
            size = {_FIXED32: 4, _FIXED64: 8}.get(wire)
            if size is None:
                size, at = _varint(blob, at)
            if at + size > len(blob):
                break
            found[number] = blob[at : at + size]
            at += size
        else:
            break
    return found


def text_of(values: dict[int, int | bytes], number: int) -> str:
    """Return a field as text, "" where it is missing."""
    value = values.get(number, b"")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def number_of(values: dict[int, int | bytes], number: int) -> int:
    """Return a field as a number, 0 where it is missing (protobuf leaves zeros out)."""
    value = values.get(number, 0)
    return value if isinstance(value, int) else 0


def _varint(blob: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends; one that breaks off ends with the blob."""
    value = 0
    for index, byte in enumerate(blob[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    return value, len(blob)
