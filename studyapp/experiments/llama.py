"""Language models of Llama's shape: their parameters by formula, one block of them to count on.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
Source: Touvron et al., "LLaMA", 2023, and "Llama 2", 2023 (70B shares keys and values among eight heads).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Llama:
    """The numbers that fix a model's parameters."""

    layers: int
    width: int
    inner: int
    heads: int
    shared: int = 1
    """Heads that share one key and one value."""
    vocabulary: int = 32_000

    @property
    def kv_width(self) -> int:
        """Width of keys and values."""
        return self.width // self.shared

    def block_shapes(self) -> Counter[Shape]:
        """Return the shapes of one block's parameters and how often each occurs."""
        wide, keys = (self.width, self.width), (self.kv_width, self.width)
        up, down = (self.inner, self.width), (self.width, self.inner)
        return Counter([wide, keys, keys, wide, up, up, down, (self.width,), (self.width,)])

    def shapes(self) -> Counter[Shape]:
        """Return the shapes of all parameters and how often each occurs."""
        every = Counter({shape: n * self.layers for shape, n in self.block_shapes().items()})
        every[self.vocabulary, self.width] += 2
        every[self.width,] += 1
        return every


MODELS = {
    "1B": Llama(22, 2048, 5632, 32, shared=8),
    "7B": Llama(32, 4096, 11_008, 32),
    "13B": Llama(40, 5120, 13_824, 40),
    "70B": Llama(80, 8192, 28_672, 64, shared=8),
}
"""TinyLlama, and the three sizes of Llama 2."""


def parameters(shapes: Counter[Shape]) -> int:
    """Return how many numbers these shapes hold.

    >>> parameters(MODELS["7B"].shapes())
    6738415616
    """
    return sum(n * prod(shape) for shape, n in shapes.items())


def block(torch: Any, model: Llama, *, rank: int = 0) -> Any:
    """Return one block in bfloat16, on torch's current default device.

    Args:
        torch: The torch module.
        model: The shape.
        rank: 0 = every weight is trained; else the weights are frozen and adapters of that rank are trained beside
            the query and value projections (LoRA).
    """
    nn, width, keys = torch.nn, model.width, model.kv_width

    def adapter(ins: int, outs: int) -> Any:
        return nn.Linear(ins, outs, bias=False, dtype=torch.bfloat16)

    def linear(ins: int, outs: int) -> Any:
        return adapter(ins, outs).requires_grad_(rank == 0)

    def norm() -> Any:
        return nn.RMSNorm(width, dtype=torch.bfloat16).requires_grad_(rank == 0)

    class Adapted(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, outs: int) -> None:
            super().__init__()
            self.frozen, self.small, self.large = linear(width, outs), adapter(width, rank), adapter(rank, outs)

        def forward(self, x: Any) -> Any:
            return self.frozen(x) + self.large(self.small(x))

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = norm(), norm()
            self.q = Adapted(width) if rank else linear(width, width)
            self.v = Adapted(keys) if rank else linear(width, keys)
            self.k, self.o = linear(width, keys), linear(width, width)
            self.gate, self.up = linear(width, model.inner), linear(width, model.inner)
            self.down = linear(model.inner, width)

        def forward(self, x: Any) -> Any:  # (rows, tokens, width)
            normed = self.first(x)
            heads = (self._heads(part(normed)) for part in (self.q, self.k, self.v))
            mixed = nn.functional.scaled_dot_product_attention(*heads, is_causal=True, enable_gqa=model.shared > 1)
            x = x + self.o(mixed.transpose(1, 2).reshape(x.shape))
            normed = self.second(x)
            return x + self.down(nn.functional.silu(self.gate(normed)) * self.up(normed))

        def _heads(self, x: Any) -> Any:
            return x.unflatten(-1, (-1, width // model.heads)).transpose(1, 2)

    return Block()
