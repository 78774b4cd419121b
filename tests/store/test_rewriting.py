from __future__ import annotations

from studyapp.store.database import Store
from studyapp.store.rewriting import ALIKE, keep_progress, likeness, pending_rewrites
from studyapp.store.starting_over import start_over
from tests.store.build import a_card, a_moment, answer, save

OLD = "Why is a small net slow on a GPU?"
OTHER = "Name the four colours of a map that need no fifth."


def rewritten(store: Store, *prompts: str, answered: bool = True) -> list[str]:
    """Save a card with one prompt after the other, answered after the first; return who is asked about."""
    for number, prompt in enumerate(prompts):
        save(store, a_card("a", prompt=prompt, answer=""))
        if not number and answered:
            answer(store, "a")
    return [found.card for found in pending_rewrites(store)]


def test_a_likeness_is_that_of_the_words() -> None:
    assert likeness(OLD, OLD.upper()) == 1.0
    assert likeness(OLD, OTHER) < ALIKE < likeness(OLD, "Why is a tiny net slow on a big GPU?")


def test_an_edit_asks_nothing_and_keeps_the_progress(store: Store) -> None:
    assert rewritten(store, OLD, "Why is a tiny net slow on a GPU?") == []
    card = store.card("a")
    assert card is not None
    assert card.memory.reps == 1


def test_a_rewrite_is_asked_about_with_both_texts_and_kept_meanwhile(store: Store) -> None:
    assert rewritten(store, OLD, OTHER) == ["a"]
    (found,) = pending_rewrites(store)
    assert (found.old_prompt, found.prompt) == (OLD, OTHER)
    assert found.likeness < ALIKE
    card = store.card("a")
    assert card is not None
    assert card.memory.reps == 1


def test_a_card_never_answered_has_nothing_to_keep(store: Store) -> None:
    assert rewritten(store, OLD, OTHER, answered=False) == []


def test_a_text_put_back_is_asked_about_no_more(store: Store) -> None:
    assert rewritten(store, OLD, OTHER, OLD) == []


def test_steps_of_a_rewrite_are_measured_from_the_text_that_was_learned(store: Store) -> None:
    assert rewritten(store, OLD, OTHER, OTHER + " Why?") == ["a"]
    assert pending_rewrites(store)[0].old_prompt == OLD


def test_the_learners_word_ends_the_question(store: Store) -> None:
    rewritten(store, OLD, OTHER)
    assert keep_progress(store, "a")
    assert not keep_progress(store, "a")
    assert pending_rewrites(store) == []


def test_starting_over_ends_it_too(store: Store) -> None:
    rewritten(store, OLD, OTHER)
    start_over(store, ["a"], at=a_moment())
    card = store.card("a")
    assert card is not None
    assert card.memory.reps == 0
    assert pending_rewrites(store) == []
