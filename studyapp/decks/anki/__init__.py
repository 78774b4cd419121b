"""Anki packages: read without unpacking them, turned into cards with their history, and written."""
