"""Saved web pages as Markdown lines: what a reader reads, without scripts, navigation, forms and footers.

The parser is the standard library's: it is kept with Python, needs nothing installed, forgives broken pages and,
unlike faster ones, knows the line of every tag, which an import's report needs. Nothing is fetched; a picture
leaves its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from studyapp.decks.web_tags import BLOCKS, DROPPED, HEADINGS, KNOWN, MAIN, MARKS, QUESTIONS, ROLES, VOID

_COMMENT = re.compile(r"<!--.*?(?:-->|(?=<!--))", re.DOTALL)
"""Comments, and what opens one that never closes: for each of those the parser would search the whole page."""
_LOOSE = re.compile(r"<(?=[^<>]*(?:<|\Z))")
_ANCHOR = re.compile(r"(?<=\S)[ ]*(?:\[?[#¶§🔗]\]?(?:\([^()]*\))?)\Z")
"""The sign at the end of a heading that links to itself."""
_BROKEN = 1000
"""Tags without an end above which a page is mended first: for each the parser would search the rest of it."""
_MAX_DEPTH = 400
"""Deeper nesting than any page has; beyond it tags are not followed."""


@dataclass(slots=True)
class Page:
    """A page as Markdown."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    """Line of the page, from 1, for each Markdown line."""
    dropped: list[tuple[int, str]] = field(default_factory=list)
    """Line and name of what was not read."""


def is_page(text: str) -> bool:
    """Return whether a text is an HTML page rather than Markdown."""
    return bool(
        re.match(
            r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
            text[:4000],
            re.I | re.S,
        )
    )


def read_page(text: str) -> Page:
    """Return a page as Markdown lines, each with the line it came from."""
    reader = _Reader()
    reader.feed(_settled(text))
    reader.close()
    reader.end_block()
    return reader.page


def _settled(text: str) -> str:
    """Return a page without comments and, where it is very broken, with its loose `<` as text; lines stay."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return _LOOSE.sub("&lt;", text) if text.count("<") - text.count(">") > _BROKEN else text


def words_of(text: str) -> str:
    r"""Return a fragment of HTML, such as a cell or field, as Markdown.

    >>> words_of("Answer<br>two &amp; <b>three</b>")
    'Answer\ntwo & **three**'
    """
    if "<" not in text and "&" not in text:
        return text
    reader = _Reader(fragment=True)
    reader.feed(text)
    reader.close()
    reader.end_block()
    return "\n".join(reader.page.lines).strip("\n")


class _Reader(HTMLParser):
    """Collects blocks; lists, code, tables and questions keep their shape."""

    def __init__(self, *, fragment: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.fragment = fragment
        self._text: list[str] = []
        self._open: list[tuple[str, int]] = []
        """Marks and links that are open, each with its place in the text: what closes it, where it began."""
        self._line = 0
        self._skip: list[str] = []
        self._prefix = ""
        self._lists: list[list[int]] = []
        self._quoted = self._pre = self._main = 0
        self._title = self._apart = False
        self._row: list[str] | None = None
        self._rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a block, a mark or something that is skipped."""
        if self._skip:
            if tag not in VOID and tag == self._skip[0] and len(self._skip) < _MAX_DEPTH:
                self._skip.append(tag)
            return
        if self.fragment and tag not in KNOWN:
            self._text.append(self.get_starttag_text() or "")  # "#include <stdio.h>" is no tag
            return
        role = dict(attrs).get("role") or ""
        if self._is_furniture(tag, role) or "hidden" in dict(attrs):
            if tag not in VOID:
                self._skip.append(tag)
                self.page.dropped.append((self.getpos()[0], tag))
            return
        self._main += tag in MAIN
        if tag == "title":
            self._title = True
        elif tag == "br":
            self._text.append("\n")
        elif tag == "hr":
            self.end_block()
        elif tag == "img":
            self._text.append(f"[picture: {dict(attrs).get('alt')}]" if dict(attrs).get("alt") else "")
        elif tag in HEADINGS or tag in QUESTIONS:
            self.end_block()
            self._prefix = "#" * (HEADINGS.get(tag) or 3) + " "
        elif tag == "button":
            self.end_block()
            self._prefix = self._prefix or "### "
        elif tag == "a" and re.match(r"https?://\S+\Z", dict(attrs).get("href") or ""):
            self._open.append((f"]({dict(attrs)['href']})", len(self._text)))
            self._text.append("[")
        elif tag == "pre":
            self.end_block()
            self._pre += 1
        elif tag in ("ul", "ol"):
            self.end_block()
            self._lists.append([0 if tag == "ul" else 1])
        elif tag == "li":
            self.end_block()
            self._prefix = self._bullet()
        elif tag == "blockquote":
            self.end_block()
            self._quoted += 1
        elif tag == "tr":
            self.end_block()
            self._row = []
        elif tag in ("td", "th"):
            self._take_text()
        elif tag in BLOCKS or tag == "dd":
            self.end_block()
        elif tag in MARKS and not self._pre:
            self._open.append((MARKS[tag], len(self._text)))
            self._text.append(MARKS[tag])

    def _is_furniture(self, tag: str, role: str) -> bool:
        """Return whether a tag is part of the site; the head of the article itself, with its title, is not."""
        if tag == "header" and self._main:
            return False
        return tag in DROPPED or role in ROLES

    def handle_endtag(self, tag: str) -> None:
        """Close what is open."""
        if self._skip:
            if tag == self._skip[-1]:
                self._skip.pop()
            return
        self._main -= tag in MAIN
        if tag == "title":
            self._title = False
        elif tag in ("td", "th") and self._row is not None:
            self._row.append(" ".join(self._take_text().split()).replace("|", "\\|"))
        elif tag == "tr":
            self._end_row()
        elif tag == "table":
            self.end_block()
            self._rows = 0
        elif tag == "pre":
            self.end_block()
            self._pre = max(0, self._pre - 1)
        elif tag in ("ul", "ol"):
            self.end_block()
            self._lists = self._lists[:-1]
            self._apart = not self._lists
        elif tag == "blockquote":
            self.end_block()
            self._quoted = max(0, self._quoted - 1)
        elif tag in MARKS and not self._pre:
            self._close_mark(MARKS[tag])
        elif tag == "a":
            self._close_link()
        elif tag == "button":
            self._end_button()
        elif tag in BLOCKS or tag in HEADINGS or tag in QUESTIONS or tag in ("li", "dd"):
            self.end_block()

    def handle_data(self, data: str) -> None:
        """Take text; outside code, white space folds."""
        if self._skip:
            return
        if self._title:
            self.page.title += data
            return
        if not self._line and data.strip():
            self._line = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
        self._text.append(data if self._pre or self.fragment else re.sub(r"\s+", " ", data))

    def _bullet(self) -> str:
        if not self._lists:
            return "- "
        mark = f"{self._lists[-1][0]}. " if self._lists[-1][0] else "- "
        self._lists[-1][0] += 1 if self._lists[-1][0] else 0
        return "  " * (len(self._lists) - 1) + mark

    def _close_mark(self, mark: str) -> None:
        """Put the closing mark behind the last word: blanks inside `** x **` would undo the emphasis."""
        while self._open:
            opened, at = self._open.pop()
            if opened != mark:
                continue
            inner = "".join(self._text[at + 1 :])
            words = inner.strip()
            lead, tail = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
            self._text[at:] = [lead, mark, words, mark, tail] if words else [inner]
            return

    def _close_link(self) -> None:
        if not self._open or not self._open[-1][0].startswith("]("):
            return
        address, at = self._open.pop()
        words = " ".join("".join(self._text[at + 1 :]).split())
        plain = not words or re.search(r"[\[\]]", words)
        self._text[at:] = [words if plain else f"[{words}{address}"]

    def _end_button(self) -> None:
        """Keep a button that asks: pages fold the answers of their FAQ below one. Others are furniture."""
        if "".join(self._text).rstrip().endswith("?"):
            self.end_block()
        else:
            self._take_text()
            self._prefix = ""

    def _take_text(self) -> str:
        text = "".join(self._text)
        self._text.clear()
        self._open.clear()
        return text

    def _end_row(self) -> None:
        if self._row and any(self._row):
            self._put([f"| {' | '.join(self._row)} |"], tight=self._rows > 0)
            if not self._rows:
                self._put([f"|{'---|' * len(self._row)}"], tight=True)
            self._rows += 1
        self._row = None
        self._take_text()

    def end_block(self) -> None:
        """Write the block at hand, if it has any text."""
        if self._row is not None:
            self._text.append(" ")
            return
        text = self._take_text()
        prefix, self._prefix = self._prefix, ""
        if not text.strip():
            self._prefix = prefix if text == "" and prefix else ""
            return
        if self._pre:
            ticks = "`" * max(3, max((len(run) + 1 for run in re.findall(r"`{3,}", text)), default=3))
            self._put([ticks, *text.strip("\n").split("\n"), ticks], tight=False)
        else:
            rows = [" ".join(row.split()) for row in text.strip().split("\n")]
            rows = [row for row in rows if row] if prefix.startswith("#") else rows
            if prefix.startswith("#"):
                rows = [_ANCHOR.sub("", " ".join(rows))]
            indent = " " * len(prefix) if prefix and not prefix.startswith("#") else ""
            item = (
                not self._apart
                and bool(indent)
                and self.page.lines[-1:] != []
                and bool(re.match(r"[ >]*(?:-|\d+\.) ", self.page.lines[-1]))
            )
            self._apart = False
            self._put([prefix + rows[0], *(indent + row for row in rows[1:])], tight=item)

    def _put(self, rows: Iterable[str], *, tight: bool) -> None:
        line = self._line or self.getpos()[0]
        self._line = 0
        if self.page.lines and not tight:
            self.page.lines.append("")
            self.page.origin.append(line)
        for row in rows:
            self.page.lines.append(f"{'> ' * min(self._quoted, 3)}{row}".rstrip())
            self.page.origin.append(line)
