"""Names at line ends: each as near to its line as nothing is hidden, and never two in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from studyapp.chart.frame import Frame
from studyapp.chart.grid import CURVE, LINE, MARKER, cut


@dataclass(frozen=True)
class Label:
    """Words that want to stand at (col, row), moved up or down where that is taken."""

    lines: tuple[tuple[str, str], ...]
    """(text, style) from top to bottom."""
    col: int
    row: int

    @property
    def width(self) -> int:
        """Cells of the widest line."""
        return max(cell_len(text) for text, _ in self.lines)


def place_labels(frame: Frame, labels: Sequence[Label]) -> None:
    """Write each label at its line's end or as near as nothing is hidden, in the order of the lines."""
    placed: list[tuple[int, int, int, int]] = []
    for label in sorted(labels, key=lambda item: item.row):
        col = min(label.col, max(frame.left, frame.canvas.width - label.width))
        room = frame.canvas.width - col
        height = len(label.lines)
        rows = [r for r in range(frame.bottom - height + 1) if not _meets(placed, col, r, label.width, height)]
        if not rows:
            continue
        row = min(rows, key=lambda r: (_cost(frame, label, col, r, placed), -r))
        for k, (text, style) in enumerate(label.lines):
            frame.canvas.clear(col - 1, row + k)
            frame.canvas.clear(col + cell_len(text), row + k)
            frame.canvas.write(col, row + k, cut(text, room, ascii=frame.glyphs.ascii), style)
        placed.append((col, row, label.width, height))


def _meets(placed: Sequence[tuple[int, int, int, int]], col: int, row: int, width: int, height: int) -> bool:
    return any(
        col < c + w + 1 and c < col + width + 1 and row < r + h and r < row + height for c, r, w, h in placed
    )


def _cost(frame: Frame, label: Label, col: int, row: int, placed: Sequence[tuple[int, int, int, int]]) -> float:
    """Return how bad a row is: what it hides, how far it moved, whether it stands above its elders."""
    hidden = sum(
        {LINE: 1.0, CURVE: 3.0, MARKER: 6.0}.get(frame.canvas.level(c, row + k), 0.0)
        + (9.0 if frame.canvas.level(c, row + k) > MARKER else 0.0)
        for k, (text, _) in enumerate(label.lines)
        for c in range(col, min(col + cell_len(text), frame.canvas.width))
    )
    return hidden + abs(row - label.row) + 3 * sum(row < r for _, r, _, _ in placed)
