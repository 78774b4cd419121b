"""Markdown as lines of Content: paragraphs, lists, tables, code; nothing in it is ever markup.

One Static for a whole answer: Textual's Markdown widget mounts a widget per block, which costs 10 ms a list item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_DRAWN = 40_000
"""Characters drawn as Markdown; longer text is shown as it is, with a note."""

INLINE = {"strong": "bold $s-bright", "em": "italic", "s": "strike"}


def prose(markdown: str, width: int) -> list[Content]:
    """Return Markdown wrapped to `width` cells, one Content per line."""
    return list(_prose(markdown, width))


@lru_cache(maxsize=256)
def _prose(markdown: str, width: int) -> tuple[Content, ...]:
    """Return the lines; kept, since the same card is drawn at every key."""
    return tuple(_lines(markdown, width))


def _lines(markdown: str, width: int) -> list[Content]:
    from studyapp.decks.clean import clean

    text = clean(markdown)
    width = max(4, width)
    if len(text) > LONGEST_DRAWN:
        note = Content.styled("(a very long text, shown as it is)", "$s-muted")
        lines = [note]
        for line in text[:LONGEST_DRAWN].splitlines():
            lines += Content(line).wrap(width) if line else [Content("")]
        return [*lines, Content.styled(f"({len(text) - LONGEST_DRAWN} more characters)", "$s-muted")]
    if _PLAIN.fullmatch(text):
        return list(_wrapped(Content(text.rstrip()), [], width)) if text else []
    lines = list(_blocks(_parser().parse(text), width))
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return lines


_PLAIN = re.compile(r"(?:[^\W\d_][^\n\r\\`*_\[<&~]*)?")
"""One line that begins with a letter and holds nothing that Markdown reads: most questions. They are drawn without
importing the parser, which costs 14 ms before the first card."""
_PARSER: MarkdownIt | None = None


def _parser() -> MarkdownIt:
    global _PARSER
    if _PARSER is None:
        from markdown_it import MarkdownIt

        _PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return _PARSER


def _blocks(tokens: list[Token], width: int) -> Iterator[Content]:
    """Yield lines block by block; `prefixes` holds what stands before each line of the open lists and quotes."""
    prefixes: list[tuple[str, str]] = []  # (first line, later lines)
    numbers: list[int | None] = []
    tight = False
    index = 0
    while index < len(tokens):
        token = tokens[index]
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            numbers.append(int(token.attrs.get("start", 1)) if kind == "ordered_list_open" else None)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            numbers.pop()
            if not numbers:
                yield Content("")
        elif kind == "list_item_open":
            number = numbers[-1]
            first = "• " if number is None else f"{number}. "
            if number is not None:
                numbers[-1] = number + 1
            prefixes.append((first, " " * len(first)))
            if tokens[index + 1].type == "list_item_close":  # "16." alone is an answer
                sign = token.info + token.markup if number is not None else token.markup
                yield from _wrapped(Content(sign), prefixes[:-1], width)
        elif kind == "list_item_close":
            prefixes.pop()
        elif kind == "blockquote_open":
            prefixes.append(("┃ ", "┃ "))
        elif kind == "blockquote_close":
            prefixes.pop()
        elif kind == "paragraph_open":
            tight = token.hidden
        elif kind == "inline":
            style = "bold $s-bright" if tokens[index - 1].type == "heading_open" else ""
            yield from _wrapped(_inline(token).stylize(style) if style else _inline(token), prefixes, width)
            if not (tight or numbers):
                yield Content("")
        elif kind in ("fence", "code_block"):
            yield from _code(token.content, prefixes, width)
        elif kind == "hr":
            yield Content.styled("─" * min(width, 40), "$s-track")
            yield Content("")
        elif kind == "html_block":
            yield from _wrapped(Content.styled(token.content.strip(), "$s-muted"), prefixes, width)
        elif kind == "table_open":
            end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
            yield from _table(tokens[index:end], width)
            index = end
        index += 1


def _wrapped(content: Content, prefixes: list[tuple[str, str]], width: int) -> Iterator[Content]:
    first = "".join(p[0] if i == len(prefixes) - 1 else p[1] for i, p in enumerate(prefixes))
    later = "".join(p[1] for p in prefixes)
    for number, line in enumerate(content.wrap(max(4, width - len(later)))):
        yield Content.assemble((first if number == 0 else later, "$s-muted"), line.rstrip())
    if prefixes:  # the bullet belongs to the first paragraph only
        prefixes[-1] = (prefixes[-1][1], prefixes[-1][1])


def _inline(token: Token) -> Content:
    from studyapp.decks.clean import clean  # again: a character reference (&#27;) is decoded only here

    parts: list[tuple[str, str]] = []
    styles: list[str] = []
    for child in token.children or []:
        name = child.tag
        if child.nesting == 1:
            styles.append("underline $s-sky" if name == "a" else INLINE.get(name, ""))
        elif child.nesting == -1:
            styles.pop()
        elif child.type == "code_inline":
            parts.append((clean(child.content), "$s-sky"))
        elif child.type == "softbreak":
            parts.append((" ", " ".join(styles)))
        elif child.type == "hardbreak":
            parts.append(("\n", ""))
        elif child.type == "image":
            parts.append((f"[picture: {clean(child.content)}]", "$s-muted"))
        elif child.content:
            parts.append((clean(child.content), " ".join(s for s in styles if s)))
    return Content.assemble(*parts)


def _code(text: str, prefixes: list[tuple[str, str]], width: int) -> Iterator[Content]:
    later = "".join(p[1] for p in prefixes)
    room = max(4, width - len(later))
    for line in text.rstrip("\n").split("\n"):
        for piece in Content(line).fold(room - 2) if len(line) > room - 2 else [Content(line)]:
            padded = Content.assemble(" ", piece).pad_right(max(0, room - 1 - piece.cell_length))
            yield Content.assemble(later, padded.stylize("$s-text on $s-panel"))
    yield Content("")


def _table(tokens: list[Token], width: int) -> Iterator[Content]:
    rows: list[list[Content]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token))
    columns = max(len(row) for row in rows)
    gap, widths = 3, _columns(rows, columns, width - 3 * (columns - 1))
    if _broken(rows, widths):  # a narrower gap may spare a word
        gap, widths = 2, _columns(rows, columns, width - 2 * (columns - 1))
    for number, row in enumerate(rows):
        cells = [(row[c] if c < len(row) else Content("")).wrap(max(1, widths[c])) for c in range(columns)]
        for line in range(max(len(cell) for cell in cells)):
            parts: list[Content | str] = []
            for column, cell in enumerate(cells):
                piece = cell[line].rstrip() if line < len(cell) else Content("")
                piece = piece.stylize("bold $s-bright") if number == 0 else piece
                parts += [piece.pad_right(max(0, widths[column] - piece.cell_length)), " " * gap]
            yield Content.assemble(*parts).rstrip()
        if number == 0:
            yield Content.styled("─" * min(width, sum(widths) + gap * (columns - 1)), "$s-track")
    yield Content("")


def _columns(rows: list[list[Content]], columns: int, room: int) -> list[int]:
    """Return the widths of a table's columns: the widest give way first, down to their longest words."""
    cells = [[row[c] for row in rows if c < len(row)] for c in range(columns)]
    widths = [max((cell.cell_length for cell in column), default=1) for column in cells]
    least = [_longest_word(column) for column in cells]
    while sum(widths) > max(room, 4 * columns):
        # a word is broken only where no column has another to spare
        spare = [c for c in range(columns) if widths[c] > least[c]] or list(range(columns))
        widths[max(spare, key=lambda c: widths[c])] -= 1
    return widths


def _longest_word(cells: list[Content]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.plain.split()), default=1)


def _broken(rows: list[list[Content]], widths: list[int]) -> bool:
    return any(_longest_word([cell]) > widths[c] for row in rows for c, cell in enumerate(row))


class Prose(Static):
    """A block of Markdown that wraps itself to its width, with an optional bar on the left."""

    def __init__(self, markdown: str = "", *, bar: str = "", style: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__("", markup=False, id=id)
        self.markdown = markdown
        self.bar = bar
        """Style of the left bar, "" for none."""
        self.line_style = style
        """Style beneath every line, "" for the plain text colour."""
        self._drawn: tuple[str, int, Content] | None = None

    def show(self, markdown: str) -> None:
        """Replace the text."""
        self.markdown = markdown
        self.refresh(layout=True)

    def get_content_height(self, container, viewport, width: int) -> int:  # type: ignore[no-untyped-def]
        """Return the number of lines at this width."""
        return len(self._lines(width).plain.split("\n"))

    def render(self) -> Content:
        """Return the wrapped text."""
        return self._lines(self.size.width or 76)

    def _lines(self, width: int) -> Content:
        if self._drawn and self._drawn[:2] == (self.markdown, width):
            return self._drawn[2]
        inner = width - 3 if self.bar else width
        lines = prose(self.markdown, inner) or [Content("")]
        if self.line_style:
            lines = [line.stylize_before(self.line_style) for line in lines]
        if self.bar:
            lines = [Content.assemble(("▌  ", self.bar), line) for line in lines]
        drawn = Content("\n").join(lines)
        self._drawn = (self.markdown, width, drawn)
        return drawn
