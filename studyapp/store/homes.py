"""Where the store's methods live: a file is imported by the first call of one of its functions."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


class Home:
    """Stands for a file; each attribute is a function that calls the one of that name in it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a function that may become a method."""
        found: Callable[..., Any] | None = None

        def call(*words: Any, **named: Any) -> Any:
            nonlocal found
            if found is None:
                found = getattr(import_module(self._module), name)
            return found(*words, **named)

        call.__name__ = name
        return call
