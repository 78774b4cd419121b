"""A field's HTML as Markdown, and Markdown as the small HTML that Anki shows.

Outside text never becomes markup: what is no tag is escaped. Scripts, styles and comments go; pictures and sound
become honest placeholders; formulas keep the delimiters that Anki knows.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from studyapp.decks.clean import clean, settle

_DROPPED = frozenset({"script", "style", "head", "title", "template", "noscript", "iframe", "object", "svg"})
_VOID = frozenset({"br", "img", "hr", "input", "wbr", "source", "embed", "meta", "link", "col", "area", "base"})
_BLOCKS = frozenset(
    {
        *("p", "div", "section", "article", "table", "tbody", "thead", "tr", "ul", "ol", "dl", "dd", "dt"),
        *("blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "center", "figure", "figcaption", "hr"),
    }
)
_STRONG, _EMPHASIS = frozenset({"b", "strong"}), frozenset({"i", "em"})
_SOUND = re.compile(r"\[sound:([^\[\]]*)\]")
_DECLARATION = re.compile(r"<[!?][^<>]*>")
_NO_TAG = re.compile(r"<(?!/?[a-zA-Z][^<>]*>)")
_SPACE = re.compile(r"[ \t\n\r\f\v\u00a0]+")
_PLAIN = re.compile(r"[^<&*_`~$\\\[\]#>\-+=|\n\r\t\x00-\x1f\x7f-\uffff]*\Z")
"""Text that is the same in HTML and in Markdown: most fields, and ten times faster to recognise than to parse."""
_SPECIAL = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~]) | `| \$ | ~~
      | \*(?=\S|\Z) | (?:(?<=\S)|\A)\*
      | (?<!\w)_(?=\S|\Z) | (?:(?<=\S)|\A)_(?!\w)
      | <(?=[a-zA-Z/!?]) | &(?=\#?\w+;)
      | (?<=\])[(\[:] | (?<=!)\[""",
    re.VERBOSE,
)
_START = re.compile(r"(?=\#{1,6}(?:\s|\Z)|>|[-+*](?:\s|\Z)|=+\s*\Z|-{2,}\s*\Z)")
_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_ITEM = re.compile(r" *(?:- |\d+\. |`{3})")
_MOST_MARKS = 100
"""Open marks that are remembered; a text that opens more closes none of them."""
_DEEPEST = 20
"""Levels of lists that are still indented."""


def markdown(html: str) -> str:
    r"""Return a field's HTML as Markdown, cleaned.

    >>> markdown("What does <b>batch size</b> cost?<br>1 &lt; 2")
    'What does **batch size** cost?  \n1 < 2'
    """
    if _PLAIN.match(html) and not _NUMBER.match(html):
        return html.strip()
    parser = _Parser()
    parser.feed(_whole_tags(settle(html)))
    parser.close()
    return parser.markdown()


def _whole_tags(html: str) -> str:
    """Return HTML without comments and declarations, every `<` that begins no whole tag made text.

    On broken ones the library's parser takes a time that grows with the square of the length.
    """
    return _NO_TAG.sub("&lt;", _DECLARATION.sub("", without_comments(html)))


def without_comments(html: str) -> str:
    """Return HTML without its comments; one that never ends stays."""
    pieces, at = list[str](), 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start)) >= 0:
        pieces.append(html[at:start])
        at = end + 3
    pieces.append(html[at:])
    return "".join(pieces)


def words_of(text: str) -> str:
    """Return what is left of Markdown from `markdown` without the placeholders: "" where only media were."""
    return re.sub(r"\[(?:picture|sound): [^\n\[\]]*\]", "", text).strip()


class _Parser(HTMLParser):
    """Collects lines of Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = [""]
        self._prefix = ""
        self._lists: list[int] = []
        """Open lists: 0 for a bulleted one, else the next number."""
        self._dropped: list[str] = []
        self._code = 0
        self._fence: list[str] | None = None
        self._marks: list[tuple[str, int, int]] = []
        """Open marks: the mark, and where it began (line, column)."""
        self._href: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self._dropped.append(tag)
        if self._dropped:
            return
        named = {name: value or "" for name, value in attrs}
        if tag == "br":
            self._newline()
        elif tag == "img":
            self._write(f"[picture: {_inline(named.get('alt') or named.get('src', '')) or 'no name'}]")
        elif tag in ("audio", "video"):
            self._write(f"[sound: {_inline(named.get('src', '')) or 'no name'}]")
        elif self._fence is not None:
            return
        elif tag == "pre":
            self._block()
            self._fence = []
        elif tag == "li":
            self._item()
        elif tag in ("td", "th"):
            self._write(" | " if self._lines[-1].strip() else "")
        elif tag in ("ul", "ol"):
            self._block()
            self._lists.append(1 if tag == "ol" else 0)
        elif tag in _BLOCKS:
            self._block()
        else:
            self._open(tag, named)

    def _open(self, tag: str, named: dict[str, str]) -> None:
        if len(self._marks) >= _MOST_MARKS:
            return
        if tag in ("code", "tt", "kbd", "samp"):
            self._code += 1
            if self._code == 1:
                self._marks.append(("`", len(self._lines) - 1, len(self._lines[-1])))
        elif tag in _STRONG or tag in _EMPHASIS:
            self._marks.append(("**" if tag in _STRONG else "*", len(self._lines) - 1, len(self._lines[-1])))
        elif tag == "sup":
            self._write("^")
        elif tag == "a":
            self._href.append(named.get("href", ""))
            self._marks.append(("[", len(self._lines) - 1, len(self._lines[-1])))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.pop()
        elif tag == "pre" and self._fence is not None:
            self._end_fence()
        elif self._fence is not None:
            return
        elif tag in ("ul", "ol"):
            if self._lists:
                self._lists.pop()
            self._block()
            if not self._lists and len(self._lines) > 1:
                self._lines.append("")  # else Markdown takes the next line for the item's own
        elif tag in _BLOCKS or tag == "li":
            self._block()
        elif tag in ("code", "tt", "kbd", "samp") and self._code:
            self._code -= 1
            if not self._code:
                self._close("`")
        elif tag in _STRONG:
            self._close("**")
        elif tag in _EMPHASIS:
            self._close("*")
        elif tag == "a" and self._href:
            self._close_link(self._href.pop())

    def handle_data(self, data: str) -> None:
        if self._dropped:
            return
        if self._fence is not None:
            self._fence.append(data)
            return
        folded = _SPACE.sub(" ", _SOUND.sub(lambda found: f"[sound: {found[1].strip()}]", data))
        line = self._lines[-1]
        if not line or line.endswith(" ") or line == self._prefix:
            folded = folded.lstrip(" ")
        if self._code:
            self._write(folded)
        elif folded:
            self._write(_escaped(folded, at_start=line == self._prefix or not line))

    def _write(self, text: str) -> None:
        if self._fence is not None:
            self._fence.append(text)
        else:
            self._lines[-1] += text

    def _newline(self) -> None:
        if self._fence is not None:
            self._fence.append("\n")
        else:
            self._lines.append("  " * min(len(self._lists), _DEEPEST))

    def _block(self) -> None:
        """Begin a new line unless the last one is empty."""
        if self._lines[-1].strip():
            self._newline()

    def _item(self) -> None:
        self._block()
        depth = min(max(len(self._lists) - 1, 0), _DEEPEST)
        mark = "- "
        if self._lists and self._lists[-1]:
            mark = f"{self._lists[-1]}. "
            self._lists[-1] += 1
        self._lines[-1] = "  " * depth + mark

    def _end_fence(self) -> None:
        body = "".join(self._fence or ()).strip("\n")
        self._fence = None
        if body.strip():
            ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
            self._block()
            self._lines[-1:] = ["", ticks, *body.split("\n"), ticks, ""]

    def _close(self, mark: str) -> None:
        """Put a mark around what came since it was opened, if that is some text on one line."""
        at = next((i for i in range(len(self._marks) - 1, -1, -1) if self._marks[i][0] == mark), None)
        if at is None:
            return
        _, line, column = self._marks.pop(at)
        if line != len(self._lines) - 1:
            return
        before, inside = self._lines[line][:column], self._lines[line][column:]
        core = inside.strip()
        if not core or (mark != "`" and core.startswith(mark)):
            return
        lead, trail = inside[: len(inside) - len(inside.lstrip())], inside[len(inside.rstrip()) :]
        core = _code_span(core) if mark == "`" else f"{mark}{core}{mark}"
        self._lines[line] = f"{before}{lead}{core}{trail}"

    def _close_link(self, href: str) -> None:
        at = max(i for i, mark in enumerate(self._marks) if mark[0] == "[")  # opened together with `href`
        _, line, column = self._marks.pop(at)
        words = self._lines[-1][column:].strip() if line == len(self._lines) - 1 else ""
        safe = re.fullmatch(r"https?://[^\s<>()\\]+", href)
        if safe and words and "[" not in words and "]" not in words:
            self._lines[-1] = f"{self._lines[-1][:column]}[{words}]({href})"

    def markdown(self) -> str:
        """Return what was read."""
        if self._fence is not None:
            self._end_fence()
        lines, fenced = list[str](), ""
        for line in self._lines:
            ticks = re.match(r"`{3,}\Z", line)
            if ticks and (not fenced or line == fenced):
                fenced = "" if fenced else line
            if fenced or ticks or line.strip() or (lines and lines[-1].strip()):
                lines.append(line if fenced else line.rstrip())
        return clean("\n".join(_broken(lines))).strip("\n")


def _broken(lines: list[str]) -> list[str]:
    """Return the lines with the two spaces that keep one text line apart from the next."""
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.startswith("```")
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if not fenced and line and following.strip() and not line.startswith("```") and not _ITEM.match(following):
            lines[at] = line + "  "
    return lines


def _code_span(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _inline(text: str) -> str:
    """Return a name as it may stand in a placeholder, on one line and without marks."""
    return re.sub(r"[\[\]\s]+", " ", clean(text)).strip()[:80]


def _escaped(text: str, *, at_start: bool) -> str:
    """Return text so that Markdown shows it as it is."""
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], text)
    if at_start:
        if _START.match(escaped):
            return "\\" + escaped
        escaped = _NUMBER.sub(r"\1\\\2", escaped, count=1) if _NUMBER.match(escaped) else escaped
    return escaped
