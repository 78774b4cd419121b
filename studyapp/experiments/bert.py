"""BERT-base, built from `lab.torch` alone.

Meets torch only as an argument; standard library otherwise, Python 3.10+.
Source: Devlin, Chang, Lee and Toutanova, "BERT", 2018, with the uncased vocabulary: 109,482,240 parameters, pooler
included, and 2 x 769 more for the two classes.
"""

from __future__ import annotations

from typing import Any

VOCABULARY, POSITIONS, SEGMENTS = 30_522, 512, 2
WIDTH, LAYERS, HEADS, INNER, CLASSES = 768, 12, 12, 3072, 2
TOKENS = 128
"""Tokens of a sentence or pair: the usual length for fine-tuning on GLUE."""


def bert_base(torch: Any) -> Any:
    """Return the network with a classifier of two classes, in training mode, on torch's current default device."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.mix, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.inner = nn.Sequential(nn.Linear(WIDTH, INNER), nn.GELU(), nn.Linear(INNER, WIDTH))
            self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

        def forward(self, x: Any) -> Any:  # (rows, tokens, width)
            rows, tokens, _ = x.shape
            heads = self.mix(x).view(rows, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(x.shape)
            x = self.first(x + self.out(mixed))
            return self.second(x + self.inner(x))

    class Bert(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(VOCABULARY, WIDTH)
            self.places = nn.Embedding(POSITIONS, WIDTH)
            self.segments = nn.Embedding(SEGMENTS, WIDTH)
            self.norm = nn.LayerNorm(WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.pool = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())
            self.answer = nn.Linear(WIDTH, CLASSES)

        def forward(self, words: Any) -> Any:  # (rows, tokens), whole numbers
            x = self.words(words) + self.places.weight[: words.shape[1]] + self.segments.weight[0]
            return self.answer(self.pool(self.blocks(self.norm(x))[:, 0]))

    return Bert()
