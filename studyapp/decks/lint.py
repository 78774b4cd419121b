"""What an author should mend although it parses: cards that ask badly, links that lead nowhere, doubles.

Said by `check` alone: a lesson that has these faults can be studied all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt

from studyapp.core.attempts import CHOICE, TYPED
from studyapp.core.cards import Card, Parsed, Problem, note_of
from studyapp.core.choices import Choice, read_choice
from studyapp.core.typed import expected
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import excerpt, settle
from studyapp.decks.cloze import find_gaps
from studyapp.decks.links import MAX_SEARCHED
from studyapp.decks.marks import slug, take_marks
from studyapp.decks.notes import Notes

BREATH_WORDS = 60
"""Longest answer without key points, in words: 24 s of speech at 150 words a minute (our choice)."""
_NOT_SPOKEN = re.compile(r"^(`{3,}|~{3,}).*?^\1|^[ \t]*\|.*$|\$\$.*?\$\$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_BOUND = re.compile(
    r"\b(?:this|the (?:current|present|previous|last|next)) (?:module|lesson|page|section|chapter|article|text)\b"
    r"|\b(?:shown|seen|listed|mentioned|described|explained|discussed|given|defined|as) (?:above|below|earlier)\b"
    r"|\bthe (?:table|figure|diagram|picture|chart|code|example|list|formula)s? (?:above|below)\b"
    r"|\bscroll(?:ing)? (?:back|up|down)\b|\bthe author\b",
    re.IGNORECASE,
)
_STOP = (
    "a an the is are was were be of in on at to for by and or it its that this with as from does do you not no yes"
)
_STOP_WORDS = frozenset(_STOP.split())
_TELLING = 40
"""Characters from which the length of an option tells something."""
LONGEST_TYPED = 60
"""Longest answer that is worth typing, in characters (our choice): what is longer is better said."""
_FEW_WORDS = 8
"""Longest answer, in words that matter, that a question can contain by mistake."""


def lint(found: Sequence[Parsed], texts: dict[str, str]) -> dict[str, list[Problem]]:
    """Return what could be better in some files, by path.

    Args:
        found: What the files hold.
        texts: The files' own text, by path: links are looked for there.
    """
    problems: dict[str, list[Problem]] = {parsed.module.path: [] for parsed in found}
    for parsed in found:
        own = problems[parsed.module.path]
        own += (Problem(parsed.module.path, line, message) for line, message in _cards(parsed.module.cards))
        text = texts.get(parsed.module.path)
        if text is not None:
            own += (
                Problem(parsed.module.path, line, message) for line, message in _links(text, parsed.module.path)
            )
    for path, line, message in (*_double_ids(found), *_double_questions(found)):
        problems[path].append(Problem(path, line, message))
    return {path: sorted(own, key=lambda problem: problem.line) for path, own in problems.items()}


def _cards(cards: Iterable[Card]) -> Iterable[tuple[int, str]]:
    seen: set[str] = set()
    for card in cards:
        note = card.note or card.id
        if note and note in seen:
            continue  # siblings have one text
        seen.add(note)
        choice = read_choice(card.answer) if card.kind == CHOICE else None
        spoken = card.answer if choice is None else choice.rest
        words = len(re.findall(r"[\w'’.,%/+-]+", _NOT_SPOKEN.sub(" ", spoken)))
        if words > BREATH_WORDS and not card.key_points:
            yield (
                card.line,
                (
                    f"an answer of {words} words is too long to say in a breath; split it, or list what counts "
                    f"under '**Check:**': {excerpt(card.prompt)}"
                ),
            )
        if found := _BOUND.search(card.prompt):
            yield (
                card.line,
                f"'{found[0]}' ties the question to the page; name what is meant: {excerpt(card.prompt)}",
            )
        if _gives_away(card):
            yield card.line, f"the question gives its answer away: {excerpt(card.prompt)}"
        for message in _of_its_kind(card, choice):
            yield card.line, f"{message}: {excerpt(card.prompt)}"


def _of_its_kind(card: Card, choice: Choice | None) -> Iterable[str]:
    """Yield what makes a card of the newer kinds a bad one."""
    if card.kind == TYPED and (long := min(map(len, expected(card.answer)))) > LONGEST_TYPED:
        yield (
            f"{long} characters are much to type; begin the answer with what is to be typed, in `code` or "
            "in bold, or ask with '**Say it first:**'"
        )
    if choice is None:
        return
    texts = [" ".join(_words(option.text)) or option.text for option in choice.options]
    if len(set(texts)) < len(texts):
        yield "two options say the same"
    if len(choice.right) == len(choice.options):
        yield "every option is right, so there is nothing to choose"
    wrong = [len(option.text) for option in choice.options if not option.right]
    right = [len(option.text) for option in choice.options if option.right]
    if wrong and min(right) > 2 * max(wrong) and min(right) > _TELLING:
        yield "the right option is more than twice as long as any other, which gives it away"


def _gives_away(card: Card) -> bool:
    if card.kind == "cloze":
        return any(_told(gap.words, _around(card.source, gap.start, gap.end)) for gap in find_gaps(card.source))
    if card.kind == CHOICE:
        return False  # the options may well use the words of the question
    answer = _words(card.answer)
    return 0 < len(answer) <= _FEW_WORDS and set(answer) <= set(_words(card.prompt)) and " or " not in card.prompt


def _around(text: str, start: int, end: int) -> str:
    return text[:start] + " " + text[end:]


def _told(words: str, rest: str) -> bool:
    gap = _words(words)
    return bool(gap) and len("".join(gap)) > 3 and set(gap) <= set(_words(rest))


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in _STOP_WORDS]


def _double_ids(found: Sequence[Parsed]) -> Iterable[tuple[str, int, str]]:
    first: dict[str, tuple[str, int]] = {}
    for what in ("module", "card"):
        for parsed in found:
            path = parsed.module.path
            names = [(parsed.module.id, 1)] if what == "module" else _ids(parsed.module.cards)
            for name, line in names:
                if not name:
                    continue
                before = first.setdefault(f"{what} {name}", (path, line))
                if before[0] != path:
                    yield (
                        path,
                        line,
                        f"{what} id '{name}' is used in {before[0]}:{before[1]} too; give one another id",
                    )


def _ids(cards: Iterable[Card]) -> list[tuple[str, int]]:
    return list({note_of(card.id): card.line for card in cards if card.explicit_id}.items())


def _double_questions(found: Sequence[Parsed]) -> Iterable[tuple[str, int, str]]:
    first: dict[str, tuple[str, int]] = {}
    for parsed in found:
        for card in parsed.module.cards:
            key = " ".join(re.findall(r"\w+", card.prompt.lower())) or card.prompt
            before = first.setdefault(key, (parsed.module.path, card.line))
            if before != (parsed.module.path, card.line):
                where = f"line {before[1]}" if before[0] == parsed.module.path else f"{before[0]}:{before[1]}"
                yield parsed.module.path, card.line, f"the same question as in {where}: {excerpt(card.prompt)}"


def _links(text: str, path: str) -> Iterable[tuple[int, str]]:
    lines = settle(text).split("\n")
    document = read_blocks(lines)
    blocks = [block for top in document.blocks for block in top.walk()]
    anchors = {name for block in blocks if block.kind == "heading" for name in _anchors(block.content)}
    parser = MarkdownIt("commonmark")
    for block in blocks:
        if block.kind not in ("paragraph", "heading", "th", "td") or len(block.content) > MAX_SEARCHED:
            continue
        line = block.start + 1
        for token in parser.parseInline(block.content, document.env)[0].children or []:
            line += token.type in ("softbreak", "hardbreak")
            target = str(token.attrs.get("href") or token.attrs.get("src") or "")
            if reason := _broken(target, anchors, path):
                yield line, reason


def _anchors(heading: str) -> set[str]:
    words, marks = take_marks(heading, Notes(""), 0)
    flat = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")  # as GitHub makes them
    return {slug(words), flat, marks.id} - {""}


def _broken(target: str, anchors: set[str], path: str) -> str:
    if target.startswith("#"):
        name = unquote(target[1:]).lower()
        return (
            ""
            if name in {anchor.lower() for anchor in anchors}
            else f"no heading for the link to '{excerpt(target)}'"
        )
    if not target or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target):
        return ""
    file = unquote(target.partition("#")[0].partition("?")[0])
    try:
        there = (Path(path).parent / file).exists()
    except OSError:  # a name too long for any file
        there = False
    return "" if there else f"no file for the link to '{excerpt(target)}'"
