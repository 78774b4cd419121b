"""Runs the migrations on the connection it is handed, inside the transaction that is already open there."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
