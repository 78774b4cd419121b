from __future__ import annotations

import pytest

from studyapp.core.cards import Section
from studyapp.core.errors import StoreError
from studyapp.store.database import Store
from tests.store.build import NOW_MS, a_card, save, with_cards


def test_new_cards_come_up_once_their_section_was_read(store: Store) -> None:
    sections = (Section("s1", "One", ""), Section("s2", "Two", ""))
    cards = (a_card("a", section="s1"), a_card("b", section="s2"), a_card("c"), a_card("d", section="untold"))
    save(store, *cards, sections=sections)

    assert store.new_rows(9) == []
    store.mark_read("gpu", "s2", at_ms=NOW_MS, study_day=1)
    assert [row.card for row in store.new_rows(9)] == ["b"]
    store.mark_read("gpu", None, at_ms=NOW_MS + 5, study_day=2)
    assert [row.card for row in store.new_rows(9)] == ["a", "b", "c", "d"]
    assert [row.card for row in store.new_rows(2)] == ["a", "b"]
    assert [section.read_at_ms for section in store.sections("gpu")] == [NOW_MS + 5, NOW_MS]


def test_a_deck_without_sections_needs_no_reading(store: Store) -> None:
    with_cards(store, "a")

    assert [row.card for row in store.new_rows(9)] == ["a"]


@pytest.mark.parametrize(("module", "section"), [("none", None), ("gpu", "none")])
def test_reading_what_is_not_there_is_refused_by_name(store: Store, module: str, section: str | None) -> None:
    with_cards(store, "a")

    with pytest.raises(StoreError, match="'none'"):
        store.mark_read(module, section, at_ms=NOW_MS, study_day=1)


def test_search_takes_every_word_literally_and_in_any_case(store: Store) -> None:
    save(store, a_card("a", prompt="100 % of list[int]?"), a_card("b", prompt="1000 and_so", tags=("Speed",)))

    found = {
        query: [card.id for card in store.find(query)] for query in ("LIST[INT] 100", "0 %", "d_s", "speed", "x y")
    }

    assert found == {"LIST[INT] 100": ["a"], "0 %": ["a"], "d_s": ["b"], "speed": ["b"], "x y": []}


def test_an_unknown_card_and_module_are_none(store: Store) -> None:
    assert (store.card("ghost"), store.module_hash("ghost"), store.sections("ghost")) == (None, None, [])
