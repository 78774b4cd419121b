from __future__ import annotations

import pytest

from studyapp.core.errors import StoreError
from studyapp.core.reviews import Memory
from studyapp.store.adopting import adopt, adopted, orphans
from studyapp.store.database import Store
from tests.store.build import a_card, a_moment, answer, in_review, save, undo

LONG = "What does a convolution layer keep in memory for the backward pass of a training step?"


def gone(store: Store, *fresh: str, explicit: bool = True) -> None:
    """Answer `old` and let it leave its file, while others come."""
    save(store, a_card("old", prompt=LONG), a_card("stays"))
    answer(store, "old")
    answer(store, "old")
    cards = [
        a_card(name if explicit else "", prompt=LONG.replace("keep", "hold") if name == "new" else f"{name}?")
        for name in fresh
    ]
    save(store, a_card("stays"), *cards)


def test_an_answered_card_that_left_is_listed_with_the_card_that_may_be_it(store: Store) -> None:
    gone(store, "new", "other")
    (found,) = orphans(store)
    assert (found.card, found.answers, found.alike) == ("old", 2, "new")
    assert found.likeness > 0.8


def test_a_card_that_left_without_an_answer_is_no_loss(store: Store) -> None:
    save(store, a_card("a"), a_card("b"))
    save(store, a_card("b"))
    assert orphans(store) == []


def test_a_card_with_the_same_id_comes_back_by_itself(store: Store) -> None:
    gone(store)
    save(store, a_card("stays"), a_card("old", prompt="Quite another text."))
    assert orphans(store) == []
    card = store.card("old")
    assert card is not None
    assert card.memory.reps == 2


def test_a_card_goes_on_with_the_memory_of_the_other_until_that_is_taken_back(store: Store) -> None:
    gone(store, "new")
    rows = len(store.reviews(effective_only=False))
    adopt(store, "old", "new", at=a_moment())
    card = store.card("new")
    assert card is not None
    assert card.memory == in_review(reps=2)
    assert adopted(store, "new") == ["old"]
    assert orphans(store) == []
    assert len(store.reviews(effective_only=False)) == rows + 1  # nothing was rewritten
    undo(store)
    card = store.card("new")
    assert card is not None
    assert card.memory == Memory()
    assert adopted(store, "new") == []
    assert [found.card for found in orphans(store)] == ["old"]


def test_a_card_without_an_id_becomes_the_other_with_its_log(store: Store) -> None:
    gone(store, "new", explicit=False)
    (found,) = orphans(store)
    assert found.alike is not None
    adopt(store, "old", found.alike, at=a_moment())
    card = store.card("old")
    assert card is not None
    assert not card.hidden
    assert "hold" in card.prompt
    assert len(store.reviews(card="old")) == 2


def test_a_history_goes_on_through_several_cards(store: Store) -> None:
    gone(store, "new")
    adopt(store, "old", "new", at=a_moment())
    save(store, a_card("stays"), a_card("newest"))
    adopt(store, "new", "newest", at=a_moment())
    assert adopted(store, "newest") == ["old", "new"]


@pytest.mark.parametrize(
    ("orphan", "card", "words"),
    [
        ("stays", "new", "has not left its file"),
        ("zebra", "new", "has not left its file"),
        ("old", "zebra", "no card zebra"),
        ("old", "old", "no card old"),
        ("old", "stays", "was answered already"),
    ],
)
def test_what_cannot_go_on_is_refused(store: Store, orphan: str, card: str, words: str) -> None:
    gone(store, "new")
    answer(store, "stays")
    with pytest.raises(StoreError, match=words):
        adopt(store, orphan, card, at=a_moment())


def test_a_history_goes_on_once(store: Store) -> None:
    gone(store, "new", "other")
    adopt(store, "old", "new", at=a_moment())
    with pytest.raises(StoreError, match="no history that could go on"):
        adopt(store, "old", "other", at=a_moment())


def test_a_card_with_quite_another_text_is_not_named(store: Store) -> None:
    gone(store, "other")
    (found,) = orphans(store)
    assert (found.card, found.alike, found.likeness) == ("old", None, 0.0)
