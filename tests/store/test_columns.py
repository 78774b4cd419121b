from __future__ import annotations

import ast
from pathlib import Path

from studyapp.store import database
from studyapp.store.columns import CARD_FIELDS, MEMORY_FIELDS, REVIEW_FIELDS
from studyapp.store.database import Store, open_store
from studyapp.store.schema import cards, memory, reviews
from tests.store.build import NOW_MS, answer, in_review, python, with_cards


def test_the_names_for_plain_sql_are_those_of_the_tables() -> None:
    assert tuple(column.name for column in cards.columns) == CARD_FIELDS
    assert tuple(column.name for column in reviews.columns) == REVIEW_FIELDS
    assert tuple(column.name for column in memory.columns)[1 : len(MEMORY_FIELDS) + 1] == MEMORY_FIELDS


def test_every_method_of_the_store_is_where_the_store_says() -> None:
    tree = ast.parse(Path(database.__file__).read_text(encoding="utf-8"))
    (store,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Store")
    methods = [node.value for node in store.body if isinstance(node, ast.Assign)]
    homes = {(node.value.id, node.attr) for node in methods if isinstance(node, ast.Attribute)}  # type: ignore[attr-defined]

    found = {(home, name) for home, name in homes if callable(_import(home, name))}

    assert len(homes) == len(methods) > 60
    assert found == homes


def _import(home: str, name: str) -> object:
    module = __import__(f"studyapp.store.{home}", fromlist=[name])
    return getattr(module, name)


def test_answering_reading_and_undoing_need_no_sqlalchemy(path: Path, store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", after=in_review())
    store.close()

    done = python(
        "import sys; from pathlib import Path; from studyapp.store.database import open_store\n"
        "from tests.store.build import answer, in_review\n"
        "with open_store(Path(sys.argv[1]), now_ms=1) as store:\n"
        "    answer(store, 'b', after=in_review())\n"
        "    print(len(store.reviews()), store.undo(at_ms=2, offset_min=0, zone='UTC', study_day=3).card)\n"
        "    print([card.id for card in store.cards()], store.modules()[0].cards, store.predictions())\n"
        "print('sqlalchemy' in sys.modules)",
        path,
    )

    assert done.stdout.splitlines() == ["2 b", "['a', 'b'] 2 []", "False"]


def test_plain_sql_and_core_take_turns_in_one_store(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS) as store:
        with_cards(store, "a")
        with store.write() as connection:
            connection.exec_driver_sql("INSERT INTO meta VALUES ('k', 'v')")

        with store.read_driver() as raw:
            assert raw.execute("SELECT value FROM meta WHERE key = 'k'").fetchone() == ("v",)
        with store.write_driver() as raw:
            raw.execute("UPDATE meta SET value = 'w' WHERE key = 'k'")

        with store.read() as connection:
            assert connection.exec_driver_sql("SELECT value FROM meta WHERE key = 'k'").scalar() == "w"
        assert not store.raw.in_transaction
