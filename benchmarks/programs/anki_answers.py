"""Anki's own library answering cards, one per line of input: prints the seconds of answer plus next card.

Needs the `anki` package of its own interpreter. Usage: anki_answers.py FOLDER CARDS
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from anki.collection import AddNoteRequest, Collection
from anki.scheduler.v3 import CardAnswer


def collection(path: Path, cards: int) -> Collection:
    """Return a new collection of so many new cards, scheduled by FSRS, without a daily limit."""
    made = Collection(str(path))
    kind = made.models.by_name("Basic")
    assert kind is not None
    requests = []
    for number in range(cards):
        note = made.new_note(kind)
        note.fields = [f"question-{number:05d}", f"answer-{number:05d}"]
        requests.append(AddNoteRequest(note, 1))
    made.add_notes(requests)
    limits = made.decks.config_dict_for_deck_id(1)
    limits["new"]["perDay"] = limits["rev"]["perDay"] = 9999
    made.decks.update_config(limits)
    made.set_config("fsrs", True)
    return made


def main(folder: Path, cards: int) -> None:
    """Answer the current card Easy at every line, then have the next one ready."""
    made = collection(folder / "collection.anki2", cards)
    queue = made.sched.get_queued_cards(fetch_limit=1)
    print("ready", flush=True)
    for _ in sys.stdin:
        card = queue.cards[0]
        answer = CardAnswer(
            card_id=card.card.id,
            current_state=card.states.current,
            new_state=card.states.easy,
            rating=CardAnswer.EASY,
            answered_at_millis=int(time.time() * 1000),
            milliseconds_taken=4000,
        )
        begin = time.perf_counter()
        made.sched.answer_card(answer)
        queue = made.sched.get_queued_cards(fetch_limit=1)
        print(time.perf_counter() - begin, flush=True)
    made.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
