"""The shipped lesson is complete and its cards are well made: what can be checked without judging prose."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from studyapp.core.cards import Card, Module, Parsed
from studyapp.decks import lesson
from studyapp.experiments import catalog

LESSON = Path(__file__).parents[1] / "data" / "modules" / "gpus-and-cpus.md"
MODULE_ID = "gpus-and-cpus"

CARDS_OF_CLAIM: dict[int, tuple[str, ...]] = {
    1: ("wide-wins", "dependent-chain", "core-count"),
    2: ("first-row", "no-flat-on-cpu", "busy-not-full"),
    3: ("crossing", "latency-throughput"),
    4: ("wider-layers", "wider-fails"),
    5: ("matmul-time", "dependent-chain"),
    6: ("table-resident",),
    7: ("epoch-estimate",),
    8: ("bert-which-data",),
    9: ("one-request",),
    10: ("faster-device", "kept-why"),
    11: ("kept-why", "kept-law"),
    12: ("oom-batch", "oom-step"),
    13: ("cached-batch", "more-workers"),
    14: ("pin-inline", "item-profile", "item-gap"),
    15: ("matrix-units", "fair-baseline", "small-slower"),
    16: ("memory-not-half",),
    17: ("mixed-accuracy",),
    18: ("master-weights",),
    19: ("float16-floor", "scale-the-loss", "scale-too-large", "which-nets-lose"),
    20: ("bfloat16-price",),
    21: ("bus-or-memory",),
    22: ("add-on-device", "batch-no-rescue"),
    23: ("move-once",),
    24: ("trees-why", "trees-fail"),
    25: ("parameter-count",),
    26: ("low-volume",),
    27: ("decode-on-cpu", "more-workers"),
    28: ("faster-device", "busy-not-full"),
    29: ("mean-of-means",),
    30: ("ddp-why",),
    31: ("rate-scaling",),
    32: ("two-card", "bubble"),
    33: ("shard-first",),
    34: ("saturate-first",),
    35: ("how-much-memory",),
    36: ("thirty-percent",),
    37: ("mixed-accuracy",),
    38: ("apple-silicon",),
    39: ("tpus",),
    40: ("memory-or-speed",),
    41: ("one-breath",),
    42: ("latency-story",),
    43: ("batch-matters",),
}
"""The lesson's checkable statements, in the order of its sections, and the cards that ask for each."""

EXPERIMENTS_OF_CLAIM: dict[int, frozenset[str]] = {
    1: frozenset({"core-race", "race", "one-after-another"}),
    2: frozenset({"layer-batch", "small-net", "busy-not-full"}),
    3: frozenset({"core-race", "race", "layer-batch"}),
    4: frozenset({"width"}),
    5: frozenset({"matmul-share", "one-after-another"}),
    6: frozenset({"small-net"}),
    7: frozenset({"days"}),
    8: frozenset({"days", "bert-kept"}),
    9: frozenset({"one-request"}),
    10: frozenset({"fix-or-buy"}),
    11: frozenset({"kept", "bert-kept"}),
    12: frozenset({"out-of-memory"}),
    13: frozenset({"loader-workers", "decode-workers"}),
    14: frozenset({"pin", "wait-each-step", "bus"}),
    15: frozenset({"half-speed"}),
    16: frozenset({"half-memory"}),
    17: frozenset({"scaled-training"}),
    18: frozenset({"master-weights"}),
    19: frozenset({"lost-gradients", "sixteen-bit-floor"}),
    20: frozenset({"lost-gradients", "sixteen-bit-floor"}),
    21: frozenset({"bus", "memory-ladder"}),
    22: frozenset({"worth-moving"}),
    23: frozenset({"wait-each-step", "worth-moving"}),
    24: frozenset({"trees-or-net"}),
    25: frozenset({"small-net"}),
    26: frozenset({"one-request"}),
    27: frozenset({"decode-workers"}),
    28: frozenset({"fix-or-buy", "busy-not-full"}),
    29: frozenset({"averaged-gradients"}),
    30: frozenset({"dp-or-ddp"}),
    31: frozenset({"same-rate"}),
    32: frozenset({"fits", "bubble", "two-card"}),
    33: frozenset({"optimizer-state", "sharding", "fsdp"}),
    34: frozenset({"averaged-gradients"}),
    35: frozenset({"fits"}),
    36: frozenset({"loader-workers"}),
    37: frozenset({"scaled-training"}),
    38: frozenset({"race"}),
    40: frozenset({"recompute", "fits"}),
    42: frozenset({"core-race", "race"}),
    43: frozenset({"layer-batch", "busy-not-full"}),
}
"""Experiments that test a statement; at least one has to be one key away from its cards."""

MOST_PROMPT_CHARACTERS = 240
MOST_SAID_WORDS = 60
"""What can be said in well under half a minute; most answers are far shorter."""


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return lesson.parse(LESSON.read_text(encoding="utf-8"), str(LESSON))


@pytest.fixture(scope="module")
def module(parsed: Parsed) -> Module:
    return parsed.module


@pytest.fixture(scope="module")
def by_name(module: Module) -> dict[str, Card]:
    """Return the cards by the id written beside them, without the module's name."""
    return {card.id.rpartition("/")[2]: card for card in module.cards}


def test_the_lesson_parses_without_a_problem_and_leaves_nothing_out(parsed: Parsed) -> None:
    assert parsed.problems == ()
    assert parsed.left_out == ()
    assert parsed.module.id == MODULE_ID
    assert parsed.module.summary


def test_the_lesson_has_between_45_and_60_cards(module: Module) -> None:
    assert 45 <= len(module.cards) <= 60


@pytest.mark.parametrize("claim", sorted(CARDS_OF_CLAIM))
def test_every_statement_of_the_lesson_has_its_cards(claim: int, by_name: dict[str, Card]) -> None:
    missing = [name for name in CARDS_OF_CLAIM[claim] if name not in by_name]
    assert missing == []


def test_every_card_belongs_to_a_statement(by_name: dict[str, Card]) -> None:
    asked = {name for names in CARDS_OF_CLAIM.values() for name in names}
    assert set(by_name) == asked


@pytest.mark.parametrize("claim", sorted(EXPERIMENTS_OF_CLAIM))
def test_a_testable_statement_is_one_key_from_its_experiment(claim: int, by_name: dict[str, Card]) -> None:
    cards = [by_name[name] for name in CARDS_OF_CLAIM[claim]]
    linked = {link.experiment for card in cards for link in card.experiments}
    assert linked & EXPERIMENTS_OF_CLAIM[claim]


def test_ids_are_written_in_the_file_and_unique(module: Module) -> None:
    ids = [card.id for card in module.cards]
    assert len(set(ids)) == len(ids)
    assert all(card.explicit_id and card.id for card in module.cards)
    sections = [section.id for section in module.sections]
    assert len(set(sections)) == len(sections)


def test_every_card_has_two_to_four_different_key_points(module: Module) -> None:
    for card in module.cards:
        assert 2 <= len(card.key_points) <= 4, card.id
        assert len({point.casefold() for point in card.key_points}) == len(card.key_points), card.id
        assert all(point.strip() for point in card.key_points), card.id


def test_prompts_are_short_questions_that_stand_without_the_page(module: Module) -> None:
    bound = ("this module", "this section", "this lesson", "the table above", "scroll", "as we saw")
    for card in module.cards:
        assert len(card.prompt) <= MOST_PROMPT_CHARACTERS, card.id
        assert not any(phrase in card.prompt.casefold() for phrase in bound), card.id


def test_prompts_differ_from_one_another(module: Module) -> None:
    prompts = [card.prompt.casefold() for card in module.cards]
    assert len(set(prompts)) == len(prompts)


def test_an_answer_to_be_said_is_short_enough_to_say(module: Module) -> None:
    said = [card for card in module.cards if card.kind == "say"]
    assert said
    too_long = {card.id: len(card.answer.split()) for card in said if len(card.answer.split()) > MOST_SAID_WORDS}
    assert too_long == {}


def test_the_frequent_questions_and_nothing_else_are_faq_cards(by_name: dict[str, Card]) -> None:
    frequent = {name for name, card in by_name.items() if card.kind == "faq"}
    assert frequent == {name for claim in range(35, 41) for name in CARDS_OF_CLAIM[claim]}


def test_a_link_says_in_words_what_it_tries(module: Module) -> None:
    for card in module.cards:
        for link in card.experiments:
            assert link.label, f"{card.id}: {link.experiment}"
    for section in module.sections:
        assert all(link.label for link in section.experiments), section.id


def test_every_linked_experiment_exists_and_takes_the_written_controls(module: Module) -> None:
    linked = [link for card in module.cards for link in card.experiments]
    linked += [link for section in module.sections for link in section.experiments]
    assert linked
    for link in linked:
        catalog.experiment(link.experiment).parse_controls(link.controls)  # raises, in words


def test_every_experiment_is_reached_from_some_card(module: Module) -> None:
    linked = {link.experiment for card in module.cards for link in card.experiments}
    assert set(catalog.ids()) <= linked


def test_every_section_is_read_in_a_few_minutes(module: Module) -> None:
    """At 200 words a minute, two minutes; the frequent questions, read piecemeal, may take longer."""
    for section in module.sections:
        longest = 720 if section.id == "questions" else 400
        assert len(section.body.split()) <= longest, section.id


def test_every_section_of_the_lesson_ends_in_a_few_prompts(module: Module) -> None:
    for section in module.sections[1:]:
        cards = [card for card in module.cards if card.section == section.id]
        assert 3 <= len(cards) <= 7, section.id


def test_code_in_the_lesson_avoids_names_that_torch_has_deprecated() -> None:
    text = LESSON.read_text(encoding="utf-8")
    assert 'torch.amp.GradScaler("cuda")' in text
    assert "torch.cuda.amp" not in text


def test_every_python_fence_of_the_lesson_is_python() -> None:
    fences = re.findall(r"^```python\n(.*?)^```$", LESSON.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert fences
    for fence in fences:
        ast.parse(fence)
