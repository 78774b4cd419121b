from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.attempts import Attempt, Fit, Mark, attempt, marked, suggested
from studyapp.core.choices import Choice, Option, judge_choice, order, read_choice, trouble
from studyapp.core.measures import unit_of
from studyapp.core.quantities import judge_number, read_quantity, read_target
from studyapp.core.reviews import Rating
from studyapp.core.typed import compared, expected, folded, judge_typed


@pytest.mark.parametrize(
    ("answer", "said", "fit"),
    [
        ("About 5.5 GB.", "5500 MB", Fit.RIGHT),
        ("About 5.5 GB.", "5.5e9 B", Fit.RIGHT),
        ("About 5.5 GB.", "5,500 megabytes", Fit.RIGHT),
        ("About 5.5 GB.", "5.12 GiB", Fit.RIGHT),
        ("About 5.5 GB.", "44 Gbit", Fit.RIGHT),
        ("About 5.5 GB.", "5.5", Fit.RIGHT),
        ("About 5.5 GB.", "5500000000", Fit.RIGHT),
        ("About 5.5 GB.", "6.5 GB", Fit.NEAR),
        ("About 5.5 GB.", "8 GB", Fit.OFF),
        ("About 5.5 GB.", "5.5 ms", Fit.OFF),
        ("About 5.5 GB.", "5.5 MB", Fit.OFF),
        ("About 5.5 GB.", "a lot", Fit.OFF),
        ("**5 to 6 GB** of activations", "5.7 GB", Fit.RIGHT),
        ("5–6 GB", "4.9", Fit.RIGHT),
        ("Exactly 32 lanes.", "32", Fit.RIGHT),
        ("Exactly 32 lanes.", "33", Fit.NEAR),
        ("Exactly 32 lanes.", "40", Fit.OFF),
        ("20 µs a launch", "0.02 ms", Fit.RIGHT),
        ("20 us", "20 microseconds", Fit.RIGHT),
        ("1.5 hours", "90 min", Fit.RIGHT),
        ("10 %", "0.1", Fit.RIGHT),
        ("10 %", "10", Fit.RIGHT),
        ("4 times the weights", "4x", Fit.RIGHT),
        ("16 bytes per parameter", "16 B", Fit.RIGHT),
        ("2 TB/s", "2000 GB per second", Fit.RIGHT),
        ("312 TFLOP/s", "312 TFLOPS", Fit.RIGHT),
        ("10 ms (± 20 %)", "12 ms", Fit.RIGHT),
        ("10 ms ± 2 ms", "8 ms", Fit.RIGHT),
        ("10 ms, within a factor of 2", "19 ms", Fit.RIGHT),
        ("2^10 bytes", "1024", Fit.RIGHT),
        ("3 × 10⁸ m/s", "3e8", Fit.RIGHT),
        ("Two thirds of the time", "66 %", Fit.RIGHT),
        ("1.5 million parameters", "1.5M", Fit.RIGHT),
        ("-3 °C", "3", Fit.OFF),
        ("1,5 ms", "1.5 ms", Fit.RIGHT),
    ],
)
def test_a_number_is_compared_with_its_unit_and_tolerance(answer: str, said: str, fit: Fit) -> None:
    assert judge_number(answer, said).fit is fit


@pytest.mark.parametrize(
    ("answer", "said", "words"),
    [
        ("About 5.5 GB.", "5.5", "No unit; taken as 5.5 GB."),
        ("About 5.5 GB.", "5.5 s", "Another kind of unit: seconds, where bytes are asked for."),
        ("About 5.5 GB.", "5.5 TB", "The digits fit, the size does not: off by a factor of 1,000."),
        ("About 5.5 GB.", "0.6875 GB", "The digits fit, the size does not: off by a factor of 8."),
        ("Exactly 32 lanes", "32 threads", "The answer counts lanes."),
        ("About 5.5 GB.", "6.5 GB", "18 % too high."),
        ("20 ms", "80 ms", "Too high by a factor of 4."),
        ("-3 s", "3 s", "The sign differs."),
    ],
)
def test_what_is_wrong_with_a_number_is_said(answer: str, said: str, words: str) -> None:
    assert judge_number(answer, said).words == words


def test_an_answer_without_a_number_asks_for_none() -> None:
    assert read_target("The weights.\n\nAll 5 of them.") is None
    assert judge_number("The weights.", "5").fit is None


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_is_read_without_an_exception(answer: str, said: str) -> None:
    judge_number(answer, said)
    judge_typed(answer, said)
    read_choice(answer)


@given(
    st.floats(1e-6, 1e15, allow_nan=False),
    st.sampled_from(["B", "kB", "MB", "GiB", "s", "ms", "µs", "h", "FLOP", "W", "Hz"]),
)
def test_a_number_agrees_with_itself_whatever_its_unit(value: float, unit: str) -> None:
    found = read_quantity(f"{value!r} {unit}")

    assert found is not None
    assert math.isclose(found.value, value * unit_of(unit)[1], rel_tol=1e-9)
    assert judge_number(f"exactly {value!r} {unit}", f"{value!r} {unit}").fit is Fit.RIGHT


@pytest.mark.parametrize(
    ("answer", "said", "fit", "shown"),
    [
        ("`pin_memory`", "pin_memory", Fit.RIGHT, ""),
        ("`pin_memory`", "Pin memory", Fit.RIGHT, ""),
        ("Größe", "GROSSE", Fit.RIGHT, ""),
        ("Café.", "cafe", Fit.RIGHT, ""),
        ("`pin_memory`: copies can overlap.", "pin_memry", Fit.NEAR, "pin_mem{+o+}ry"),
        ("`pin_memory`", "pin_memoryy", Fit.NEAR, "pin_memory[-y-]"),
        ("`x.half()` or `x.to(torch.float16)`", "x.to(torch.float16)", Fit.RIGHT, ""),
        ("**Amdahl's law**: it is bounded.", "amdahls law", Fit.RIGHT, ""),
        ("C++", "C", Fit.OFF, "C{++++}"),
        ("-1", "1", Fit.OFF, "{+-+}1"),
        ("0.5", "05", Fit.NEAR, "0{+.+}5"),
        ("the weights", "nothing of it", Fit.OFF, ""),
    ],
)
def test_a_typed_answer_is_right_but_for_what_is_forgiven(answer: str, said: str, fit: Fit, shown: str) -> None:
    found = judge_typed(answer, said)

    assert (found.fit, marked(found.pieces)) == (fit, shown)


def test_what_is_forgiven_is_said() -> None:
    assert judge_typed("Café au lait", "cafe au lait").words == "The same but for case and accents."
    assert judge_typed("Café au lait", "Café au lait").words == ""


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_comparison_holds_all_of_the_right_answer(said: str, wanted: str) -> None:
    pieces = compared(said, wanted)

    kept = "".join(piece.text for piece in pieces if piece.mark is not Mark.EXTRA)
    assert folded(kept) == folded(wanted) or not folded(wanted)


def test_what_may_be_typed_is_the_first_paragraph_or_what_stands_out_in_it() -> None:
    assert expected("The launches.\n\nMore.") == ("The launches.",)
    assert expected("`a` goes first") == ("a goes first",)


CHOICE = Choice((Option("a", True), Option("b", False), Option("c", True), Option("d", False)))


@pytest.mark.parametrize(
    ("chosen", "fit"),
    [
        ({0, 2}, Fit.RIGHT),
        ({0}, Fit.NEAR),
        ({0, 2, 1}, Fit.NEAR),
        ({0, 1}, Fit.OFF),
        ({1}, Fit.OFF),
        (set(), None),
    ],
)
def test_several_right_options_are_compared_with_what_was_chosen(chosen: set[int], fit: Fit | None) -> None:
    assert judge_choice(CHOICE, chosen).fit is fit


def test_options_keep_their_order_within_a_showing_and_change_it_between_showings() -> None:
    orders = {order(4, f"showing {n}") for n in range(40)}

    assert order(4, "x") == order(4, "x")
    assert len(orders) > 10
    assert all(sorted(found) == [0, 1, 2, 3] for found in orders)


def test_a_list_of_options_may_be_loose_and_its_items_long() -> None:
    found = read_choice("- [X] one,\n  and more\n\n- [ ] two\n\nBecause.\n\n- [ ] no option")

    assert found == Choice((Option("one, and more", True), Option("two", False)), "Because.\n\n- [ ] no option")


def test_options_that_cannot_be_asked_are_told() -> None:
    assert "two options" in trouble(read_choice("- [x] alone"))
    assert "no option is marked right" in trouble(read_choice("- [ ] a\n- [ ] b"))
    assert "9 options at most" in trouble(read_choice("\n".join(["- [x] a", *["- [ ] b"] * 9])))
    assert trouble(read_choice("- [x] a\n- [ ] b")) == ""


def test_an_attempt_suggests_a_grade_and_only_what_was_judged_does() -> None:
    assert suggested(Attempt("", Fit.RIGHT)) is Rating.GOOD
    assert suggested(Attempt("", Fit.OFF)) is Rating.AGAIN
    assert suggested(Attempt("", Fit.NEAR), (Rating.AGAIN, Rating.GOOD)) is Rating.AGAIN
    assert suggested(attempt("basic", "the weights", "the weights")) is None
    assert suggested(None) is None
