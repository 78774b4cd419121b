"""Placeholder."""

from __future__ import annotations


def run(words: list[str]) -> int:
    """Run."""
    from studyapp.settings import load
    from studyapp.tui.app import run_app

    start = words[0] if words else "home"
    return run_app(load({}), start)
