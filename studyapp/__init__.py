"""Spaced repetition in the terminal, with answers you can put on trial."""

__version__ = "0.1.0"
