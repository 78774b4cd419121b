"""Alembic's folder: `env.py` and one file per schema revision, read from the installed package."""
