"""One answer in Markdown after the other, as plain text in a Static, by our rows, or by the Markdown widget.

Usage: answers.py static|rows|widget
"""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Markdown, Static

from studyapp.tui.theme import themes
from studyapp.tui.widgets.lines import Lines
from studyapp.tui.widgets.prose import prose

ANSWER = """\
Step {number} has **fixed costs**, whatever the number of its {number} rows:

- *launches*: each of {number} kernels takes about 5 µs to start
- {number} times the bookkeeping in `loss.backward()` and in the optimizer
- waiting for the slowest of {number} workers

| batch | CPU | GPU |
|---|---|---|
| {number} | 0.{number} ms | 0.5 ms |
| {number}096 | {number} ms | 1.1 ms |

```python
for rows in loader[{number}:]:
    loss{number} = net(rows).mean()
    loss{number}.backward()
```

So it was said in end-{number:04d}.
"""
"""Every line has the number: what stays the same need not be painted again."""


class Answers(App[None]):
    """Draws the next answer at each space."""

    CSS = "#answer { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "next", "next")]

    def __init__(self, way: str) -> None:
        super().__init__()
        self.number = 0
        for theme in themes():
            self.register_theme(theme)
        self.theme = "graphite"
        self.answer: Widget = Lines(id="answer")
        if way != "rows":
            self.answer = Static(id="answer", markup=False) if way == "static" else Markdown(id="answer")

    def compose(self) -> ComposeResult:
        """Lay out the answer."""
        yield self.answer

    async def action_next(self) -> None:
        """Draw the next answer; nothing of it was drawn or parsed before."""
        self.number += 1
        text = ANSWER.format(number=self.number)
        if isinstance(self.answer, Static):
            self.answer.update(text)
        elif isinstance(self.answer, Lines):
            self.answer.show(prose(text, self.answer.size.width))
        elif isinstance(self.answer, Markdown):
            await self.answer.update(text)


if __name__ == "__main__":
    Answers(sys.argv[1]).run()
