"""The cards of a lesson page: its FAQ items, its recall prompts with their answers, and prompts for the rest."""

from __future__ import annotations

import operator
import re

from studyapp.core.cards import Card
from studyapp.decks import asking
from studyapp.decks.clean import excerpt
from studyapp.decks.lesson import INTRO
from studyapp.decks.page_parts import Chapter, Item, Page

QUESTIONS = "questions"
"""Id of the section that questions outside an FAQ go to."""
_STOP_WORDS = (
    "a an and are as at by for from in is it its of on or that the this to versus vs what when which why with "
)
_STOP = frozenset(_STOP_WORDS.split())
_PICTURES = re.compile(r"(?:\[?!\[[^\]\n]*\]\([^)\s]*\)(?:\]\([^)\s]*\))?\s*)+")
_STEM = 5
"""Letters by which two words are compared: "train" meets "training"."""


def page_cards(chapters: list[Chapter], page: Page) -> tuple[list[Card], list[Card]]:
    """Return the cards of a page, and a prompt for each section that none of them asks about, both by line.

    A chapter for loose questions is added where there are any.

    Args:
        chapters: The chapters with their text.
        page: With its items and recall prompts.
    """
    cards = [card for item in page.items if (card := _faq(item, page))]
    covered: set[str] = set()
    for line, words in page.recalls:
        if card := _recall(line, words, chapters, page, covered):
            cards.append(card)
    if any(card.section == QUESTIONS for card in cards) and all(chapter.id != QUESTIONS for chapter in chapters):
        chapters.append(Chapter(QUESTIONS, "Questions", 1, faq=True))
    bare = [c for c in chapters if c.text and c.id not in covered and not c.faq]
    by_line = operator.attrgetter("line")
    return sorted(cards, key=by_line), sorted((_added(chapter, page) for chapter in bare), key=by_line)


def _faq(item: Item, page: Page) -> Card | None:
    answer = re.sub(r"\n{3,}", "\n\n", "\n".join(item.answer)).strip("\n")
    if not answer.strip():
        page.notes.problem(item.line, f"no card, a question without an answer: {excerpt(item.question)}")
        return None
    section = item.chapter.id if item.chapter.faq else QUESTIONS
    return _card("faq", item.question, answer, section, item.line, page)


def _recall(line: int, words: str, chapters: list[Chapter], page: Page, covered: set[str]) -> Card | None:
    if name := asking.named_section(words):
        chapter = next((c for c in chapters if c.text and _key(c.title) == _key(name)), None)
        answer, section = (chapter.text, chapter.id) if chapter else _nearest(name, line, chapters, page)
        prompt = f"What does “{page.title}” say about “{name}”?"
    else:
        first = next((c for c in chapters if c.text and not c.faq), None)
        answer, section = (first.text.split("\n\n")[0], first.id) if first else ("", "")
        prompt = f"What is the one-line takeaway of “{page.title}”?"
    if not answer:
        page.notes.problem(line, f"no card, nothing on the page answers it: {excerpt(words)}")
        return None
    covered.add(section)
    return _card("say", prompt, answer, section, line, page)


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))


def _nearest(name: str, line: int, chapters: list[Chapter], page: Page) -> tuple[str, str]:
    """Return the paragraph that has most of a name's words, and its section; ("", "") where none has any."""
    wanted = _stems(name)
    best = max(
        ((len(wanted & _stems(row)), -at, row, chapter.id) for chapter in chapters for at, row in chapter.spots),
        default=(0, 0, "", ""),
    )
    if not best[0]:
        return "", ""
    page.notes.remark(
        line, f"no section is called '{excerpt(name)}'; line {-best[1]} has most of its words and is the answer"
    )
    return best[2].strip(), best[3]


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower()) if word not in _STOP}


def _added(chapter: Chapter, page: Page) -> Card:
    whole, answer = chapter.id == INTRO, chapter.text
    if chapter.title.endswith("?") and not whole:
        prompt = chapter.title
    elif whole:
        prompt, answer = f"What is the one-line takeaway of “{page.title}”?", _first_words(answer)
    else:
        prompt = f"What does “{page.title}” say about “{chapter.title}”?"
    return _card("say", prompt, answer, chapter.id, chapter.line, page)


def _first_words(text: str) -> str:
    """Return the first paragraph that is more than badges and pictures."""
    paragraphs = text.split("\n\n")
    return next((p for p in paragraphs if not _PICTURES.fullmatch(p)), paragraphs[0]).rstrip()


def _card(kind: str, prompt: str, answer: str, section: str, line: int, page: Page) -> Card:
    return Card("", kind, prompt, answer, section=section, tags=page.tags, line=line, explicit_id=False)
