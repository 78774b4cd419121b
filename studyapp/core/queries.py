"""The words that find cards: `is:due tag:gpu prop:s<5 "batch size" -is:suspended OR (flag:red rated:7:1)`.

Pure: a text becomes an expression, or an error that names the place. What a term means for the record is the
store's business (`store.searching`).
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from studyapp.core.attempts import ATTEMPTED
from studyapp.core.errors import UsageError

STATES = ("due", "new", "learning", "review", "suspended", "buried", "leech", "orphan", "flagged")
"""What `is:` knows."""
HAS = ("experiment", "tag", "flag", "run", "answers")
"""What `has:` knows."""
FLAGS = ("red", "orange", "green", "blue", "pink", "turquoise", "purple")
"""The flags a learner may put on a card; told apart by their names."""
KINDS = ("say", "faq", "basic", "cloze", *ATTEMPTED)
"""What `kind:` knows; the beginning of one is enough."""
PROPERTIES = {
    "s": "s", "stability": "s",
    "d": "d", "difficulty": "d",
    "r": "r", "recall": "r",
    "ivl": "ivl", "interval": "ivl",
    "lapses": "lapses",
    "reps": "reps", "answers": "reps",
    "due": "due",
}  # fmt: skip
"""What `prop:` knows, with the short name of each."""
RATINGS = {"1": 1, "2": 2, "3": 3, "4": 4, "again": 1, "hard": 2, "good": 3, "easy": 4}
_WORDS = ("tag", "module", "section", "kind", "id", "experiment", "flag")
NAMES = ("is", "has", "prop", "rated", "introduced", *_WORDS, "deck")
"""Every name that may stand before a colon."""
_PROP = re.compile(r"([a-z]+)(<=|>=|!=|=|<|>)(-?\d+(?:\.\d+)?)(%?)\Z")
_NAME = re.compile(r"([A-Za-z]+):(?![:/])")
SORTS = ("lesson", "due", "recall", "stability", "difficulty", "lapses", "last")
"""What cards that were found can be sorted by; those that have no such number come last."""
LONGEST = 500
"""Characters of a query; nobody types more."""


class QueryError(UsageError):
    """A query that means nothing; `position` is where, in characters from 0."""

    def __init__(self, message: str, position: int, hint: str = "") -> None:
        super().__init__(f"{message} (at character {position + 1})", hint or HINT)
        self.position = position
        self.brief = message
        """The sentence without the place, for a line under the query itself."""


HINT = 'Such as: is:due tag:gpu prop:s<5 "batch size" -is:suspended. Quotes search for the text itself.'


@dataclass(frozen=True, slots=True)
class Text:
    """Cards whose text holds these characters, whatever their case and accents."""

    text: str
    """Folded, see `fold`."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Cards of which something is true."""

    name: str
    """One of `NAMES`."""
    value: str = ""
    """What stands after the colon, in lower case where its case says nothing."""
    operator: str = ""
    """"<", "<=", "=", "!=", ">=" or ">", of a property."""
    number: float = 0.0
    """Of a property, or days."""
    rating: int = 0
    """1 to 4 of a `rated:`, 0 for any."""


@dataclass(frozen=True, slots=True)
class Not:
    """Cards that the part does not find."""

    part: Expression


@dataclass(frozen=True, slots=True)
class All:
    """Cards that every part finds; without parts, every card."""

    parts: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    """Cards that some part finds."""

    parts: tuple[Expression, ...]


Expression = Text | Fact | Not | All | Any


def parse(query: str) -> Expression:
    """Return what a query asks for; an empty one asks for every card.

    Terms stand side by side (all must hold), `OR` between two (one must), `-` before one (must not), parentheses
    around several.

    Raises:
        QueryError: If it means nothing, with the place and an advice.

    >>> parse("batch -is:due")
    All(parts=(Text(text='batch'), Not(part=Fact(name='is', value='due', operator='', number=0.0, rating=0))))
    """
    if len(query) > LONGEST:
        raise QueryError(f"A query has at most {LONGEST} characters.", LONGEST)
    reader = _Reader(query)
    found = reader.any_of()
    if reader.now is not None:
        raise QueryError("This ')' closes nothing.", reader.now.position)
    return found


def shows_orphans(expression: Expression) -> bool:
    """Return whether a query asks for cards that left their files: only then are they looked at."""
    if isinstance(expression, (All, Any)):
        return any(shows_orphans(part) for part in expression.parts)
    return isinstance(expression, Fact) and (expression.name, expression.value) == ("is", "orphan")


def fold(text: str) -> str:
    """Return text as it is compared: case, accents and runs of white space say nothing.

    >>> fold("Große  Café")
    'grosse cafe'
    """
    plain = " ".join(text.casefold().split())
    if plain.isascii():
        return plain
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """"(", ")", "-", "or", "quoted" or "word"."""
    text: str
    position: int


def _tokens(query: str) -> Iterator[_Token]:
    at, depth = 0, 0
    while at < len(query):
        char = query[at]
        if char.isspace():
            at += 1
        elif char in "()" or (char == "-" and at + 1 < len(query) and not query[at + 1].isspace()):
            depth += {"(": 1, ")": -1}.get(char, 0)
            yield _Token(char, char, at)
            at += 1
        else:
            token, at = _word(query, at, depth)
            yield token


def _word(query: str, start: int, depth: int) -> tuple[_Token, int]:
    """Return a word, with what is quoted in it, and where it ends; `.item()` keeps its parentheses."""
    at, text, quoted = start, "", query[start] == '"'
    while at < len(query) and not query[at].isspace():
        if query[at] == '"' and (not text or text.endswith(":")):
            end = query.find('"', at + 1)
            if end < 0:
                raise QueryError("This quotation mark is never closed.", at)
            text, at = text + query[at + 1 : end], end + 1
            break
        if query[at] == ")" and depth > 0 and text.count("(") <= text.count(")"):
            break
        text, at = text + query[at], at + 1
    kind = "quoted" if quoted else "or" if text == "OR" else "and" if text == "AND" else "word"
    return _Token(kind, text, start), at


class _Reader:
    """Reads an expression from tokens, by recursive descent."""

    def __init__(self, query: str) -> None:
        self._end = len(query)
        self._rest = _tokens(query)
        self.now = next(self._rest, None)

    def any_of(self) -> Expression:
        parts = [self._all_of()]
        while self.now is not None and self.now.kind == "or":
            place = self.now.position
            self._step()
            parts.append(self._all_of())
            if All() in parts:
                raise QueryError("OR stands between two terms.", place)
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _all_of(self) -> Expression:
        parts: list[Expression] = []
        while self.now is not None and self.now.kind not in ("or", ")"):
            if self.now.kind == "and":
                self._step()
                continue
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _one(self) -> Expression:
        token = self._step()
        if token.kind == "-":
            if self.now is None or self.now.kind in ("or", "and", ")"):
                raise QueryError("Nothing follows this '-'.", token.position)
            return Not(self._one())
        if token.kind == "(":
            inside = self.any_of()
            if self.now is None:
                raise QueryError("This '(' is never closed.", token.position)
            self._step()
            return inside
        if token.kind == "quoted":
            return Text(fold(token.text)) if token.text.strip() else All()
        return _term(token)

    def _step(self) -> _Token:
        token = self.now
        assert token is not None
        self.now = next(self._rest, None)
        return token


def _term(token: _Token) -> Expression:
    named = _NAME.match(token.text)
    if named is None:
        return Text(fold(token.text))
    name, value = named[1].lower(), token.text[named.end() :].strip()
    place = token.position + named.end()
    if name not in NAMES:
        _no_such_name(name, token.position)
    if not value:
        raise QueryError(f"{name}: needs something after it{_examples(name)}.", place)
    if name == "prop":
        return _property(value.lower(), place)
    if name == "deck":  # one from Anki: the top is a module, what is below it a tag
        return Any((Fact("module", fold(value)), Fact("tag", fold(f"deck:{value}"))))
    if name in ("rated", "introduced"):
        return _days(name, value.lower(), place)
    if name == "kind" and not any(kind.startswith(value.lower()) for kind in KINDS):
        _one_of(name, value.lower(), KINDS, place)
    known = {"is": STATES, "has": HAS, "flag": FLAGS}.get(name)
    if known is not None:
        return Fact(name, _one_of(name, value.lower(), known, place))
    return Fact(name, value.lower() if name in ("kind", "experiment") else fold(value))


def _no_such_name(name: str, place: int) -> NoReturn:
    if name == "added":
        raise QueryError("The record does not say when a card came in; introduced:7 is its first answer.", place)
    near = difflib.get_close_matches(name, NAMES, n=1)
    advice = f" Did you mean {near[0]}:?" if near else ""
    raise QueryError(f"There is no {name}: here.{advice}", place, f"Known: {', '.join(NAMES)}. Or use quotes.")


def _examples(name: str) -> str:
    known = {"is": STATES, "has": HAS, "flag": FLAGS, "prop": ("s<5", "r<0.8", "ivl>=30"), "rated": ("7", "7:1")}
    return f": {', '.join(known[name])}" if name in known else ""


def _one_of(name: str, value: str, known: tuple[str, ...], place: int) -> str:
    if value in known:
        return value
    near = difflib.get_close_matches(value, known, n=1)
    advice = f" Did you mean {name}:{near[0]}?" if near else ""
    raise QueryError(f"There is no {name}:{value}.{advice}", place, f"{name}: takes {', '.join(known)}.")


def _property(value: str, place: int) -> Fact:
    found = _PROP.match(value)
    if found is None or found[1] not in PROPERTIES:
        raise QueryError(
            f"prop:{value} is no comparison.",
            place,
            "prop: takes s, d, r, ivl, lapses, reps or due, then < <= = != >= >, then a number: prop:s<5.",
        )
    name, number = PROPERTIES[found[1]], float(found[3])
    if found[4]:
        if name != "r":
            raise QueryError("Only the chance of recall is given in %.", place)
        number /= 100
    return Fact("prop", name, found[2], number)


def _days(name: str, value: str, place: int) -> Fact:
    days, _, rating = value.partition(":")
    if not days.isdecimal() or not 1 <= int(days) <= 100_000 or (rating and name != "rated"):
        raise QueryError(f"{name}:{value} is no number of days.", place, f"Write {name}:7 for the last 7 days.")
    if rating and rating not in RATINGS:
        raise QueryError(f"There is no rating {rating!r}.", place, "Ratings: 1 to 4, again, hard, good, easy.")
    return Fact(name, number=float(days), rating=RATINGS.get(rating, 0))
