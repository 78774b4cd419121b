"""Whether this machine can pin memory: promise not to move it, so that a device may read it by itself.

Standard library only, Python 3.10+.
"""

from __future__ import annotations

from typing import Any


def can_pin(tensor: Any) -> bool:
    """Return whether torch pins this tensor here; without an accelerator, and on some, it refuses."""
    try:
        tensor[:1].pin_memory()
    except (RuntimeError, NotImplementedError):
        return False
    return True
