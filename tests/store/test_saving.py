from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.cards import Card, ExperimentLink, Module, Section, note_of
from studyapp.core.errors import StoreError
from studyapp.store.database import ModuleChange, Store, open_store
from tests.store.build import NOW_MS, a_card, a_module, answer, save, with_cards

MEMORY = "What limits most small kernels? Memory bandwidth, not arithmetic."


BATCH = "Why do large batches help? Each weight that is read is used more often."


SYNC = "Why synchronise before timing? The call returns before the device has finished."


TYPO = "What limits most smal kernels? Memory bandwith, not arithmetic."


def _plain(text: str, **changes: object) -> Card:
    """A card without an id, as a Q/A deck gives it."""
    prompt, _, answer_text = text.partition("? ")
    return a_card("", prompt=prompt + "?", answer=answer_text, **changes)


def _ids(store: Store, module: str = "gpu") -> list[str]:
    return [card.id for card in store.cards(module)]


def test_a_lesson_is_stored_as_authored(store: Store) -> None:
    link = ExperimentLink("small-net", {"width": "64"}, "Try it", 12)
    card = a_card("a", key_points=("one", "two"), experiments=(link,), section="s1", tags=("gpu", "ü"), line=7)
    section = Section("s1", "Memory", "Text **bold**", (link,), 3)

    change = save(store, card, sections=(section,), name="m", digest="h1")

    assert (change.new, change.changed, change.hidden) == (1, 0, 0)
    (module,) = store.modules()
    assert (module.id, module.title, module.cards, module.ordinal) == ("m", "GPU", 1, 0)
    assert store.module_hash("m") == "h1"
    (stored_section,) = store.sections("m")
    assert (stored_section.title, stored_section.body, stored_section.experiments) == (
        "Memory",
        "Text **bold**",
        (link,),
    )
    stored = store.card("a")
    assert stored is not None
    for name in ("prompt", "answer", "key_points", "experiments", "section", "tags", "line", "explicit_id"):
        assert getattr(stored, name) == getattr(card, name)
    assert stored.text_hash == card.text_hash


def test_an_unchanged_source_is_skipped(store: Store) -> None:
    save(store, a_card("a"), digest="same")

    change = save(store, a_card("b"), digest="same")

    assert (change.unchanged, change.new) == (1, 0)
    assert _ids(store) == ["a"]


def test_an_unchanged_source_waits_for_no_lock(path: Path, store: Store) -> None:
    save(store, a_card("a"), digest="same")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        change = save(store, a_card("a"), digest="same")

        other.execute("ROLLBACK")
    assert change.unchanged == 1


def test_cards_keep_the_authored_order_and_modules_that_of_arrival(store: Store) -> None:
    save(store, a_card("z"), a_card("y"), name="second")
    save(store, a_card("a"), name="first")
    save(store, a_card("y"), a_card("z"), name="second")

    assert [card.id for card in store.cards()] == ["y", "z", "a"]


def test_b06_an_explicit_id_keeps_progress_through_any_edit_and_move(store: Store) -> None:
    with_cards(store, "a")
    row = answer(store)

    change = save(store, a_card("a", prompt="Entirely different?", answer="Yes."))
    assert (change.changed, change.new) == (1, 0)
    save(store, a_card("a", prompt="Entirely different?", answer="Yes."), name="other", path="deep/other.md")
    save(store)

    found = store.card("a")
    assert found is not None
    assert (found.module, found.path, found.hidden) == ("other", "deep/other.md", False)
    assert store.reviews("a") == [row]
    assert found.memory == row.after


def test_b06_1_a_corrected_typo_keeps_the_history(store: Store) -> None:
    save(store, _plain(TYPO), _plain(BATCH))
    first, second = _ids(store)
    row = answer(store, first)

    change = save(store, _plain(MEMORY), _plain(BATCH))

    assert _ids(store) == [first, second]
    assert (change.new, change.hidden, change.relinked, change.changed, change.unchanged) == (0, 0, 1, 1, 1)
    found = store.card(first)
    assert found is not None
    assert found.answer == "Memory bandwidth, not arithmetic."
    assert found.memory == row.after


@pytest.mark.parametrize("old_first", [True, False])
def test_b06_2_a_renamed_file_keeps_the_history(store: Store, old_first: bool) -> None:
    save(store, _plain(MEMORY), _plain(BATCH), name="old")
    before = _ids(store, "old")
    rows = [answer(store, card) for card in before]

    if old_first:
        store.hide_missing({"new"})
    save(store, _plain(MEMORY), _plain(BATCH), name="new")
    store.hide_missing({"new"})

    assert _ids(store, "new") == before
    assert [module.id for module in store.modules()] == ["new"]
    assert store.reviews() == rows


def test_b06_2_a_file_that_keeps_its_name_but_not_its_module_id_keeps_the_history(store: Store) -> None:
    save(store, _plain(MEMORY), name="old", path="deck.md")
    before = _ids(store, "old")

    change = save(store, _plain(MEMORY), name="new", path="deck.md")

    assert _ids(store, "new") == before
    assert change.new == 0


@pytest.mark.parametrize("source_first", [True, False])
def test_b06_3_a_card_moved_to_another_file_keeps_the_history(store: Store, source_first: bool) -> None:
    save(store, _plain(MEMORY), _plain(BATCH), name="one")
    save(store, _plain(SYNC), name="two")
    moved = _ids(store, "one")[0]
    row = answer(store, moved)

    def leave() -> ModuleChange:
        return save(store, _plain(BATCH), name="one")

    def arrive() -> ModuleChange:
        return save(store, _plain(SYNC), _plain(MEMORY, line=9), name="two")

    changes = [work() for work in ((leave, arrive) if source_first else (arrive, leave))]

    assert _ids(store, "two")[1] == moved
    assert sum(change.relinked for change in changes) == 1
    found = store.card(moved)
    assert found is not None
    assert (found.memory, found.line, found.hidden) == (row.after, 9, False)
    assert len(store.cards(include_hidden=True)) == 3


def test_b06_4_a_card_inserted_at_the_top_leaves_the_others_alone(store: Store) -> None:
    save(store, _plain(MEMORY), _plain(BATCH))
    before = _ids(store)

    change = save(store, _plain(SYNC), _plain(MEMORY), _plain(BATCH))

    assert _ids(store)[1:] == before
    assert (change.new, change.relinked, change.unchanged) == (1, 0, 2)


def test_b06_4_an_insertion_beside_an_edit_takes_no_history_away(store: Store) -> None:
    save(store, _plain(TYPO), _plain(BATCH))
    before = _ids(store)

    save(store, _plain(SYNC), _plain(MEMORY), _plain(BATCH))

    assert _ids(store)[1:] == before


def test_b06_5_edited_and_moved_at_once_is_named_and_can_be_linked(store: Store) -> None:
    save(store, _plain(TYPO), _plain(BATCH), _plain(SYNC))
    gone = _ids(store)[0]
    row = answer(store, gone)

    change = save(store, _plain(BATCH), _plain(SYNC), _plain(MEMORY))

    (alike,) = change.alike
    assert (alike.gone, change.new, change.hidden) == (gone, 1, 1)
    assert 0.6 <= alike.ratio < 1
    store.link_cards(alike.gone, alike.new)
    assert _ids(store)[2] == gone
    assert store.card(alike.new) is None
    found = store.card(gone)
    assert found is not None
    assert (found.memory, found.hidden) == (row.after, False)
    assert found.answer == "Memory bandwidth, not arithmetic."


def test_b06_5_cards_with_history_on_both_sides_are_not_linked(store: Store) -> None:
    save(store, _plain(TYPO), _plain(BATCH), _plain(SYNC))
    change = save(store, _plain(BATCH), _plain(SYNC), _plain(MEMORY))
    answer(store, change.alike[0].new)

    with pytest.raises(StoreError, match="cannot be linked"):
        store.link_cards(change.alike[0].gone, change.alike[0].new)


@pytest.mark.parametrize("card", [_plain(MEMORY), a_card("a")])
def test_b06_6_a_removed_card_is_hidden_and_comes_back_with_its_history(store: Store, card: Card) -> None:
    save(store, card, _plain(BATCH))
    kept = _ids(store)[0]
    row = answer(store, kept)

    gone = save(store, _plain(BATCH))
    hidden = store.card(kept)
    back = save(store, _plain(BATCH), card)

    assert (gone.hidden, back.returned, back.new) == (1, 1, 0)
    assert hidden is not None
    assert hidden.hidden
    assert store.reviews(kept) == [row]
    assert _ids(store)[1] == kept
    found = store.card(kept)
    assert found is not None
    assert found.memory == row.after


def test_b06_a_different_card_in_the_same_place_is_a_new_one(store: Store) -> None:
    save(store, _plain(MEMORY), _plain(BATCH))
    before = _ids(store)

    change = save(store, _plain(SYNC), _plain(BATCH))

    assert _ids(store)[0] not in before
    assert (change.new, change.hidden, change.relinked) == (1, 1, 0)


def test_b06_writing_the_drawn_id_into_the_file_keeps_the_card(store: Store) -> None:
    save(store, _plain(MEMORY))
    (drawn,) = _ids(store)
    row = answer(store, drawn)

    change = save(store, a_card(drawn, prompt="What limits most small kernels?", answer="Memory bandwidth."))

    assert _ids(store) == [drawn]
    assert (change.new, change.hidden) == (0, 0)
    found = store.card(drawn)
    assert found is not None
    assert (found.explicit_id, found.memory) == (True, row.after)


def test_b03_white_space_and_line_ends_change_no_identity(store: Store) -> None:
    save(store, _plain(MEMORY), _plain(BATCH))
    before = _ids(store)

    change = save(store, _plain(MEMORY.replace(" ", "\r\n", 3)), _plain(BATCH + "  \r\n"))

    assert _ids(store) == before
    assert (change.new, change.hidden) == (0, 0)


def test_two_cards_of_the_same_text_are_two_cards_and_stay_so(store: Store) -> None:
    save(store, _plain(MEMORY), _plain(BATCH), _plain(MEMORY))
    before = _ids(store)

    change = save(store, _plain(MEMORY), _plain(BATCH), _plain(MEMORY))

    assert len(set(before)) == 3
    assert _ids(store) == before
    assert change.unchanged == 3


def test_an_id_written_twice_counts_once(store: Store) -> None:
    save(store, a_card("a", answer="first"), a_card("a", answer="second"))

    assert [card.answer for card in store.cards()] == ["first"]


def test_many_cards_rewritten_at_once_keep_their_order(store: Store) -> None:
    texts = [
        f"What does rule number {n} of the long list say? It says thing {n} and thing {n * 7}." for n in range(40)
    ]
    save(store, *(_plain(text) for text in texts))
    before = _ids(store)

    save(store, *(_plain(text.replace("long", "very long")) for text in texts))

    assert _ids(store) == before


def test_a_module_that_comes_back_is_shown_again(store: Store) -> None:
    store.save_module(a_module(a_card("a")), source_hash="h", now_ms=NOW_MS)
    assert store.hide_missing([]) == 1
    assert (store.modules(), store.cards(), store.module_hash("gpu")) == ([], [], None)

    change = store.save_module(a_module(a_card("a")), source_hash="h", now_ms=NOW_MS)

    assert change.returned == 1
    assert _ids(store) == ["a"]


def test_two_machines_that_read_the_same_file_give_its_cards_the_same_ids(tmp_path: Path, store: Store) -> None:
    save(store, _plain(MEMORY), _plain(BATCH), _plain(BATCH))

    with open_store(tmp_path / "other.db", now_ms=NOW_MS) as other:
        save(other, _plain(BATCH))  # an earlier state of the file
        save(other, _plain(MEMORY), _plain(BATCH), _plain(BATCH))

        assert set(_ids(other)) == set(_ids(store))
        assert len(set(_ids(store))) == 3


def test_a_new_card_never_takes_the_id_of_one_that_moved_on(store: Store) -> None:
    save(store, _plain(MEMORY))
    (first,) = _ids(store)
    save(store, a_card(first, prompt="What limits most small kernels?", answer="Memory bandwidth, mostly."))

    save(
        store,
        a_card(first, prompt="What limits most small kernels?", answer="Memory bandwidth, mostly."),
        _plain(MEMORY),
    )

    assert _ids(store)[0] == first
    assert len(set(_ids(store))) == 2


def test_several_lessons_are_stored_together_or_only_looked_at(store: Store) -> None:
    first, second = Module("one", "One", cards=(a_card("a"),)), Module("two", "Two", cards=(a_card("b"),))

    looked = store.save_modules([(first, "h1"), (second, "h2")], now_ms=NOW_MS, keep=False)
    assert ([change.new for change in looked], store.cards()) == ([1, 1], [])

    stored = store.save_modules([(first, "h1"), (second, "h2")], now_ms=NOW_MS)
    assert stored == looked
    assert [card.id for card in store.cards()] == ["a", "b"]
    assert store.module_hash("two") == "h2"


def test_siblings_without_an_id_draw_one_for_their_note(store: Store) -> None:
    cards = [
        replace(_plain(text), id=f":c{n}", note="line 1")
        for n, text in enumerate(("One? […] two.", "Other? one […]."), 1)
    ]

    save(store, *cards, _plain(SYNC))

    names = _ids(store)
    assert [name.partition(":")[2] for name in names] == ["c1", "c2", ""]
    assert note_of(names[0]) == note_of(names[1]) != note_of(names[2])


def test_hiding_a_module_asks_for_many_cards_at_once_not_for_each(store: Store) -> None:
    def statements(cards: int) -> int:
        save(store, *(a_card(f"{cards}-{n}") for n in range(cards)), name=f"m{cards}")
        seen: list[str] = []
        store.raw.set_trace_callback(seen.append)
        assert store.hide_missing([]) == cards
        store.raw.set_trace_callback(None)
        return len(set(seen))  # a trigger's show up as the statement that fired it

    assert statements(50) == statements(5)


def test_b06_2_only_cards_without_an_id_take_the_place_of_their_double(store: Store) -> None:
    save(store, _plain(MEMORY), a_card("kept", prompt="Own?", answer="Id."), _plain(SYNC), name="old")
    old = _ids(store, "old")
    answer(store, old[0])
    save(store, _plain(MEMORY), _plain(BATCH), name="new")

    assert store.hide_missing({"new"}) == 2

    assert old[0] in _ids(store, "new")
    assert [card.id for card in store.cards(include_hidden=True) if card.hidden] == [old[1], old[2]]
