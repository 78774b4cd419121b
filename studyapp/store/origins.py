"""What marks modules and log rows that came from an Anki package."""

from __future__ import annotations

import hashlib

ORIGIN = "anki:"
"""Begins the path of a module that no lesson file stands behind: it came from an Anki package."""
ANKI = hashlib.blake2b(b"anki", digest_size=16).digest()
"""The device of every review that Anki recorded. Its counter is the review's own time, so order is by time."""
ANKI_SQL = f"X'{ANKI.hex()}'"
"""The same as an SQL literal."""
