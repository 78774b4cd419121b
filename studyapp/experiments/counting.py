"""Which tensor operations a piece of code runs: their arithmetic counted, their matrix products kept for replay.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PRODUCTS = {"aten.mm.default": 0, "aten.addmm.default": 1}
"""Matrix products, with the place of their left factor: all that a net of linear layers calls."""


@dataclass
class Counted:
    """What ran: arithmetic in FLOPs, and the matrix products themselves."""

    product_flop: int = 0
    """A multiply and an add per term of each sum."""
    other_flop: int = 0
    """One per output element of every operation that computes something: at most a factor of a few off."""
    products: list[tuple[Callable[..., Any], tuple[Any, ...]]] = field(default_factory=list)

    def replay(self) -> None:
        """Run the matrix products again, and nothing else."""
        for call, arguments in self.products:
            call(*arguments)

    @property
    def product_share(self) -> float:
        """Share of the matrix products in the arithmetic, 0 to 1."""
        return self.product_flop / (self.product_flop + self.other_flop)


def count(torch: Any, work: Callable[[], Any]) -> Counted:
    """Run a piece of work once and return what it computed."""
    found = Counted()

    class Counting(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, call: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            answer = call(*args, **(kwargs or {}))
            _note(torch, found, call, args, answer)
            return answer

    with Counting():
        work()
    return found


def _note(torch: Any, found: Counted, call: Any, args: tuple[Any, ...], answer: Any) -> None:
    name = str(call)
    if name in PRODUCTS:
        left = args[PRODUCTS[name]]
        found.product_flop += 2 * answer.numel() * left.shape[-1]
        # detached: replayed alone, a product must not build a graph for a backward pass
        kept = tuple(a.detach() if isinstance(a, torch.Tensor) else a for a in args)
        found.products.append((call, kept))
    elif not _is_view(call):
        # in-place operations on lists return nothing: their first argument is what they wrote
        found.other_flop += _elements(torch, args[0] if answer is None and args else answer)


def _is_view(call: Any) -> bool:
    """Return whether an operation only looks at memory in another way."""
    returned = call._schema.returns
    return bool(returned) and all(r.alias_info is not None and not r.alias_info.is_write for r in returned)


def _elements(torch: Any, answer: Any) -> int:
    if isinstance(answer, torch.Tensor):
        return int(answer.numel())
    return sum(_elements(torch, part) for part in answer) if isinstance(answer, (list, tuple)) else 0
