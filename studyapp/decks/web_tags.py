"""The tags of HTML by what they mean to a reader."""

from __future__ import annotations

_DROPPED_WORDS = (
    "script style noscript template svg canvas iframe object nav aside footer header form "
    "select textarea dialog menu video audio math "
)
DROPPED = frozenset(_DROPPED_WORDS.split())
_VOID_WORDS = "area base br col embed hr img input link meta source track wbr "
VOID = frozenset(_VOID_WORDS.split())
_BLOCKS_WORDS = (
    "p div section article main header ul ol dl table tr thead tbody tfoot blockquote figure figcaption "
    "body html address center fieldset details "
)
BLOCKS = frozenset(_BLOCKS_WORDS.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
MAIN = frozenset({"main", "article"})
ROLES = frozenset({"navigation", "banner", "contentinfo", "search"})
QUESTIONS = frozenset({"dt", "summary"})
MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}
_INLINE_WORDS = (
    "a span sup sub small u s del ins mark font abbr cite q time label li td th dd dt summary title head pre big "
    "button var dfn ruby rt rp bdi bdo"
)
KNOWN = frozenset(_INLINE_WORDS.split()) | DROPPED | VOID | BLOCKS | QUESTIONS | set(HEADINGS) | set(MARKS)
