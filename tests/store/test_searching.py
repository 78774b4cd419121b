from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from studyapp.core.cards import ExperimentLink, Section
from studyapp.core.queries import SORTS, QueryError, parse
from studyapp.core.reviews import State
from studyapp.store.card_marks import Mark, Marked, marks_of, own_tags, set_marks
from studyapp.store.database import Store
from studyapp.store.searching import Shelf, Today, cards_by_id
from studyapp.store.starting_over import start_over
from tests.store.build import DAY, NOW_MS, a_card, a_moment, answer, in_review, save, undo

TODAY = Today(DAY, 0.1542)


def found(store: Store, query: str, sort: str = "lesson", *, descending: bool = False) -> list[str]:
    shelf = Shelf(store)
    return [shelf.ids[at] for at in shelf.find(parse(query), TODAY, sort, descending=descending)]


@pytest.fixture
def cards(store: Store) -> Store:
    """Five cards in two sections: b due today, c far away, d on a step, e put away; a is new."""
    save(
        store,
        a_card("a", prompt="What does a Café keep?", section="one", tags=("gpu", "mem::cache")),
        a_card("b", prompt="Batch size 100%?", section="one", experiments=(ExperimentLink("kept-weights"),)),
        a_card("c", prompt="Which batch is larger?", section="two", kind="cloze"),
        a_card("d", section="two"),
        a_card("e", section="two"),
        sections=(Section("one", "Why batch size matters", ""), Section("two", "After one", "")),
    )
    answer(store, "b", rating=1, study_day=DAY - 10, after=in_review(DAY, day=DAY - 10, lapses=9))
    answer(store, "c", after=in_review(DAY + 40, stability=60.0), study_day=DAY - 3)
    on_a_step = replace(in_review(DAY), state=State.LEARNING, step=0, due_day=None, due_at_ms=NOW_MS)
    answer(store, "d", after=on_a_step)
    store.set_suspended("e", True, at=a_moment())
    return store


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", "a b c d e"),
        ("batch", "b c"),
        ("BATCH larger", "c"),
        ('"batch size"', "b"),
        ("100%", "b"),
        ("cafe", "a"),
        ("-batch", "a d e"),
        ("larger OR cafe", "a c"),
        ("(larger OR cafe) -is:new", "c"),
        ("is:new", "a e"),
        ("is:due", "b d"),
        ("is:learning", "d"),
        ("is:review", "b c"),
        ("is:suspended", "e"),
        ("is:buried", ""),
        ("is:leech", "b"),
        ("is:orphan", ""),
        ("tag:gpu", "a"),
        ("tag:mem", "a"),
        ("tag:cache", ""),
        ("has:tag", "a"),
        ("module:gpu", "a b c d e"),
        ("module:cpu", ""),
        ("section:one", "a b"),  # an id, although another title holds the word
        ('section:"batch size"', "a b"),
        ("kind:cloze", "c"),
        ("id:b", "b"),
        ("experiment:kept", "b"),
        ("experiment:weights", ""),
        ("has:experiment", "b"),
        ("has:answers", "b c d"),
        ("prop:s<5", "b d"),
        ("prop:s>50", "c"),
        ("prop:lapses>3", "b"),
        ("prop:reps=0", "a e"),
        ("prop:due<=0", "b d"),
        ("prop:due=40", "c"),
        ("prop:ivl>=30", "c"),
        ("prop:d>5", "b c d"),
        ("prop:r<0.9", "b"),
        ("prop:r>=0.9", "c d"),
        ("prop:r=100%", "c d"),
        ("prop:r>0", "b c d"),
        ("prop:r>1", ""),
        ("prop:r<=1.5", "b c d"),
        ("rated:1", "d"),
        ("rated:4", "c d"),
        ("rated:30:again", "b"),
        ("introduced:4", "c d"),
    ],
)
def test_each_term_finds_what_it_says(cards: Store, query: str, ids: str) -> None:
    assert " ".join(found(cards, query)) == ids


def test_an_answer_taken_back_was_not_given(cards: Store) -> None:
    store = cards
    undo(store)  # of the suspension
    undo(store)  # of the answer on d
    assert found(store, "rated:1") == []


def test_a_card_that_left_its_file_is_found_only_as_an_orphan(store: Store) -> None:
    save(store, a_card("a"), a_card("b"))
    save(store, a_card("b"))
    assert found(store, "") == ["b"]
    assert found(store, "is:orphan") == ["a"]
    assert found(store, "is:orphan OR b") == ["a", "b"]


@pytest.mark.parametrize(
    ("sort", "order"),
    [("due", "d b c a e"), ("recall", "b c d a e"), ("stability", "b d c a e"), ("last", "b c d a e")],
)
def test_cards_without_a_number_come_last_either_way(cards: Store, sort: str, order: str) -> None:
    assert found(cards, "", sort) == order.split()
    assert found(cards, "", sort, descending=True)[-2:] == ["a", "e"]


def test_every_order_holds_every_card_once(cards: Store) -> None:
    for sort in SORTS:
        assert sorted(found(cards, "", sort)) == list("abcde")


def test_typing_on_finds_the_same_as_asking_anew(cards: Store) -> None:
    shelf = Shelf(cards)
    _type(cards, shelf, "bat -larger is:due")
    _type(cards, shelf, "zeb OR ba OR (what -is:new ca)")
    _type(cards, shelf, "-ba")


def _type(cards: Store, shelf: Shelf, query: str) -> None:
    for end in range(len(query) + 1):
        try:
            expression = parse(query[:end])
        except QueryError:  # half a term
            continue
        typed = shelf.find(expression, TODAY)
        assert typed == Shelf(cards).find(expression, TODAY), query[:end]


def test_what_a_term_found_is_forgotten_when_told_so(cards: Store) -> None:
    shelf = Shelf(cards)
    assert len(shelf.find(parse("is:suspended"), TODAY)) == 1
    cards.set_suspended("a", True, at=a_moment())
    shelf.forget()
    assert len(shelf.find(parse("is:suspended"), TODAY)) == 2


def test_cards_come_in_the_order_of_their_ids_however_many(store: Store) -> None:
    names = [f"c{n}" for n in range(1100)]
    save(store, *(a_card(name) for name in names))
    assert [card.id for card in cards_by_id(store, [*names[::-1], "nobody"])] == names[::-1]


def test_marks_are_found_and_taken_back(store: Store) -> None:
    save(store, a_card("a"), a_card("b"))
    back = set_marks(store, [Mark("a", "tag:Hard", True), Mark("b", "flag:red", True)], at_ms=NOW_MS)
    assert found(store, "tag:hard") == ["a"]
    assert found(store, "flag:red") == found(store, "is:flagged") == ["b"]
    assert marks_of(store, ["a", "b", "c"]) == {"a": Marked(("Hard",)), "b": Marked((), "red")}
    assert own_tags(store) == ["Hard"]
    assert set_marks(store, [Mark("a", "tag:Hard", True)], at_ms=NOW_MS) == []
    set_marks(store, back, at_ms=NOW_MS)
    assert marks_of(store, ["a", "b"]) == {}


def test_starting_over_is_one_step_that_one_undo_takes_back(cards: Store) -> None:
    before = {card.id: card.memory for card in cards.cards()}
    assert start_over(cards, ["a", "b", "c"], at=a_moment()) == 2
    assert found(cards, "is:new") == ["a", "b", "c", "e"]
    undo(cards)
    assert {card.id: card.memory for card in cards.cards()} == before


def test_what_was_found_stays_what_it_was_while_lessons_are_read_anew(store: Store) -> None:
    save(store, a_card("a"), a_card("b"))
    shelf = Shelf(store)
    hits = shelf.search(parse(""), TODAY)
    save(store, a_card("x"), a_card("b"))
    shelf.load()
    assert hits.ids(hits.places) == ["a", "b"]
    assert hits.place_of("b") == 1
    assert hits.place_of("x") is None
    after = shelf.search(parse(""), TODAY)
    assert after.ids(after.places) == ["x", "b"]


def test_threads_may_search_load_and_forget_at_the_same_time(cards: Store) -> None:
    shelf = Shelf(cards)
    wanted = {query: found(cards, query) for query in ("is:new", "batch -is:due", "what OR is:due")}
    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(shelf.search, parse(query), TODAY) for query in wanted for _ in range(40)]
        for _ in range(20):
            shelf.forget()
            shelf.load()
    for search, query in zip(searches, [query for query in wanted for _ in range(40)], strict=True):
        hits = search.result()
        assert hits.ids(hits.places) == wanted[query]
