from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest

from studyapp.chart import page_words
from studyapp.chart.page import to_html
from studyapp.chart.page_style import CHIPS
from studyapp.chart.page_text import to_json, to_markdown
from studyapp.chart.svg_style import DARK, LIGHT
from studyapp.core.verdicts import Outcome
from studyapp.study.suite import Suite
from tests.chart.figures import layer_batch
from tests.chart.suites import a_result, a_suite, every_outcome, hostile_suite

LEAST_CONTRAST = 4.5
"""Source: WCAG 2.2, success criterion 1.4.3 (AA), for words of usual size."""
VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """What a page holds: elements with their attributes, the words, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_page_is_whole_and_names_every_claim_with_its_verdict() -> None:
    suite = every_outcome()

    page = Page(to_html(suite))

    assert page.open == []
    for result in suite.results:
        for words in (result.experiment.claim, result.experiment.question, page_words.said(result)):
            assert words in page.text
        assert page_words.WORDS[page_words.kind(result)] in page.text
    assert [a["id"] for a in page.of("article")] == [r.experiment.id for r in suite.results]
    assert len([a for a in page.of("svg") if a.get("class") == "chart"]) == 5
    assert len(page.of("table")) == 6


def test_every_outcome_appears_with_its_words_in_all_three_forms() -> None:
    suite = every_outcome()
    plain = re.sub(r"\\(.)", r"\1", to_markdown(suite)).lower()

    for kind in page_words.KINDS:
        assert page_words.WORDS[kind] in Page(to_html(suite)).text
        assert page_words.WORDS[kind] in plain
    outcomes = [r["verdict"]["outcome"] if r["verdict"] else None for r in json.loads(to_json(suite))["results"]]
    assert set(outcomes) == {*(outcome.value for outcome in Outcome), None}


def test_counts_add_up_and_are_said_in_one_sentence() -> None:
    suite = every_outcome()

    counts = suite.counts()

    assert sum(counts.values()) == len(suite.results) == 7
    assert page_words.summary(suite) == (
        "7 claims were tried: 2 hold here, 1 does not hold here, 1 is too noisy to say, "
        "2 cannot be tested here, and 1 gave no result."
    )
    assert page_words.summary(suite) in Page(to_html(suite)).text


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ([Outcome.HOLDS], "The verdict: holds here."),
        ([Outcome.TOO_NOISY], "The verdict: too noisy or too little to say."),
        ([None], "The verdict: gave no result."),
        ([Outcome.HOLDS, Outcome.HOLDS], "2 claims were tried: 2 hold here."),
        ([], "Nothing was tried."),
    ],
)
def test_few_claims_are_summed_up_in_plain_words(outcomes: list[Outcome | None], said: str) -> None:
    results = [a_result(f"e{k}", outcome, layer_batch()) for k, outcome in enumerate(outcomes)]

    assert page_words.summary(a_suite(results)) == said


def test_a_suite_cut_short_says_what_was_not_reached() -> None:
    cut = replace(every_outcome(), planned=40)

    assert "ended early; 33 were not reached" in Page(to_html(cut)).text
    assert "33 were not reached" in to_markdown(cut)
    assert json.loads(to_json(cut))["planned"] == 40


def test_numbers_say_whose_they_are() -> None:
    holds = a_result("a", Outcome.HOLDS, layer_batch())
    paper = replace(a_result("b", Outcome.CANNOT_TEST, layer_batch()), reckoned=True)
    never = replace(holds, verdict=replace(holds.verdict, measured=None, never=True))  # type: ignore[type-var]

    noisy = a_result("c", Outcome.TOO_NOISY, layer_batch())

    assert page_words.measured(noisy) == ("measured here, but not to be relied on", "2.5×")
    assert page_words.measured(holds) == ("measured here", "2.5×")
    assert page_words.measured(paper) == ("reckoned, not measured here", "2.5×")
    assert page_words.measured(never)[1] == "never"
    assert "reckoned, not measured here" in Page(to_html(a_suite([paper]))).text


def test_busy_cut_and_dashed_are_remarked_beside_their_claim() -> None:
    text = Page(to_html(every_outcome())).text

    assert "Another program disturbed the machine." in text
    assert "The run was cut short: stopped: memory." in text
    assert "paper GPU: assumed, not measured here." in text
    assert "It was not run." in text


def test_what_cannot_be_tested_names_its_sibling_and_links_it_where_it_is_in_the_report() -> None:
    page = Page(to_html(every_outcome()))

    assert "#layer" in [a.get("href") for a in page.of("a")]
    assert "#absent" not in [a.get("href") for a in page.of("a")]
    assert "studyapp run absent" in page.text


def test_every_link_leads_somewhere_within_the_page() -> None:
    page = Page(to_html(every_outcome()))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]

    assert len(ids) == len(set(ids))
    assert {str(a["href"]) for a in page.of("a")} <= {f"#{name}" for name in ids}


def test_the_machine_the_date_and_the_command_are_told() -> None:
    suite = replace(every_outcome(), command="studyapp run --all --report DIR")

    text = Page(to_html(suite, zone=ZoneInfo("Europe/Berlin"))).text

    for name, value in suite.machine.items():
        assert name in text
        assert value in text
    assert "1 March 2026, 10:30 CET" in text
    assert "studyapp run --all --report DIR" in text
    assert "studyapp run layer --set width=256" in text


def test_the_device_on_top_is_the_accelerator_where_one_was_used() -> None:
    assert page_words.device(every_outcome()) == "Example GPU"
    assert page_words.device(Suite((), 0, 0.0)) == ""


@pytest.mark.parametrize("make", [every_outcome, hostile_suite])
def test_c01_the_page_fetches_and_runs_nothing(make: object) -> None:
    written = to_html(make())  # type: ignore[operator]
    page = Page(written)

    policy = next(a["content"] for a in page.of("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert not {"script", "img", "link", "iframe", "object", "form", "base"} & {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    styles = re.findall(r"<style>(.*?)</style>", written, re.DOTALL)
    assert not re.search(r"url\(|@import|@font-face", "".join(styles))


def test_c02_hostile_text_stays_text_everywhere() -> None:
    suite = hostile_suite()
    written, mark, data = to_html(suite), to_markdown(suite), to_json(suite)

    assert Page(written).open == []
    assert "<script>alert(1)</script>" in Page(written).text
    assert not set("\x1b\x07\u202e") & set(written + mark + data)
    assert json.loads(data)["results"][0]["experiment"].startswith("a<script>")
    outside_code = re.sub(r"`[^`\n]*`", "", mark)
    assert not re.search(r"(?<!\\)<(?!!-- studyapp report -->)", outside_code)
    assert not re.search(r"(?<!\\)\]\(javascript", outside_code)
    for line in mark.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) >= 3


def test_markdown_tables_have_the_same_number_of_cells_in_every_row() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", to_markdown(hostile_suite()), re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(counts) == 1


def test_the_json_is_strict_whatever_was_measured() -> None:
    result = a_result("a", Outcome.HOLDS, layer_batch(), measured=float("inf"))
    suite = a_suite([replace(result, controls={"width": float("nan")}, took_s=1.0)])

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no strict JSON")

    data = json.loads(to_json(suite), parse_constant=refuse)

    assert data["results"][0]["verdict"]["measured"] is None
    assert data["started_at"] == "2026-03-01T09:30:00+00:00"
    assert data["summary"] == page_words.summary(suite)


def test_chips_can_be_read_in_both_colour_schemes() -> None:
    for name, ink, light, dark in CHIPS.values():
        assert contrast(ink, light) >= LEAST_CONTRAST
        assert contrast(DARK[name], dark) >= LEAST_CONTRAST
        assert contrast(LIGHT[name], LIGHT["bg"]) >= LEAST_CONTRAST  # the same kinds as glyphs at a glance


def test_all_words_can_be_read_in_both_colour_schemes() -> None:
    for side in (LIGHT, DARK):
        for ink in ("text", "bright", "muted", "sky", "cpu", "gpu", "you"):
            assert contrast(side[ink], side["bg"]) >= LEAST_CONTRAST
        assert contrast(side["muted"], side["panel"]) >= LEAST_CONTRAST


def test_the_title_counts_one_claim_apart() -> None:
    one = a_suite([a_result("a", Outcome.HOLDS, layer_batch())])

    assert "<title>A claim on trial</title>" in to_html(one)
    assert f"<title>{html.escape(page_words.TITLE)}</title>" in to_html(every_outcome())
