"""Fields as Markdown, and Markdown as the HTML that Anki shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.decks.anki.html import markdown, words_of
from studyapp.decks.md_html import html_of
from studyapp.decks.md_plain import plain_lines


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("plain words, as they are", "plain words, as they are"),
        ("a <b>bold</b> and <i> slanted </i>word", "a **bold** and *slanted* word"),
        ("one<br>two", "one  \ntwo"),
        ("<div>one</div><div>two</div>", "one  \ntwo"),
        ("<ul><li>one</li><li>two<ol><li>in</li></ol></li></ul>after", "- one\n- two\n  1. in\n\nafter"),
        ("run <code>a*b</code>", "run `a*b`"),
        ("<pre>def f():\n    return 1</pre>", "```\ndef f():\n    return 1\n```"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ('see <a href="https://x.org/a">this</a>', "see [this](https://x.org/a)"),
        ('<a href="javascript:alert(1)">this</a>', "this"),
        ('<img src="bus.png"> What?', "[picture: bus.png] What?"),
        ("hear [sound:hum.mp3]", "hear [sound: hum.mp3]"),
        ("x<script>alert(1)</script><style>p{}</style>y", "xy"),
        ("<!-- hidden -->shown", "shown"),
        ("1 &lt; 2 &amp; 3&nbsp;&gt; 2", "1 < 2 & 3 > 2"),
        ("1. not a list", "1\\. not a list"),
        ("<p>open <b>never closed", "open never closed"),
        ("x</b></i></code></a></script>y</ul>", "xy"),
        ("<b>over<br>two lines</b>", "over  \ntwo lines"),
        ("a <b></b> <b>*</b> <b>**x</b>", "a **\\*** **\\*\\*x**"),
        ("x<sup>2</sup><br/>y", "x^2  \ny"),
        ('<audio src="a.mp3"></audio><video></video>', "[sound: a.mp3][sound: no name]"),
        ("<img>", "[picture: no name]"),
        ("<pre>a<br>b<b>c</b><img src='d.png'></pre>", "```\na\nbc[picture: d.png]\n```"),
        ("<pre>open <i>to the end", "```\nopen to the end\n```"),
        ("<pre> </pre>nothing", "nothing"),
        ("<code>a <code>b</code> c</code>", "`a b c`"),
        ("<code>`</code>", "`` ` ``"),
        ("<script>a</b></script>b", "b"),
        ("<svg><p>in</p></svg>out", "out"),
        ("<a href='https://x.org'>two<br>lines</a>", "two  \nlines"),
        ("<a href='https://x.org'></a><a>bare</a>", "bare"),
        ("<custom>x</custom><hr>y", "x  \ny"),
        ("<!DOCTYPE html>x <!-- open", "x \\<!-- open"),
        ("<" * 5, "<<<<<"),
        ("a<b/>c", "ac"),
        ("<b>" * 100 + "<a href='https://x.org'>x</a>", "x"),
    ],
)
def test_a_field_becomes_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    "text",
    [
        r"The sum \(x^2 + y_1\) and \[z\]",
        "[latex]y[/latex] and [$]x[/$]",
        "*stars* and _lines_ and `ticks` and $5 or $6",
        "# no heading",
        "- no list",
        "[no](link) ![no](picture)",
        "&amp; stays",
    ],
)
def test_what_is_no_tag_is_shown_as_it_is(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")

    assert plain_lines(markdown(escaped)) == [text]


def test_control_characters_of_a_field_are_cleaned() -> None:
    assert markdown("a\x1b[31mb") == "a␛[31mb"
    assert "\u202e" not in markdown("a&#8238;b\u202ec")


def test_only_what_is_left_without_placeholders_counts_as_words() -> None:
    assert words_of(markdown('<img src="a.png"> [sound:b.mp3]')) == ""
    assert words_of(markdown('<img src="a.png"> [what]')) == "[what]"


@given(st.text(max_size=200))
def test_any_field_can_be_read(html: str) -> None:
    assert isinstance(markdown(html), str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **b** < c", "a <b>b</b> &lt; c"),
        ("x $a_1$", r"x \(a_1\)"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("![bus](../../x.png)", "[picture: bus]"),
        ("[run](experiment:kept) [web](https://x.org)", '<a>run</a> <a href="https://x.org">web</a>'),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("$$\nx < y\n$$", "\\[x &lt; y\\]"),
        ("<b>\n" + "x" * 50_000, "&lt;b&gt;<br>" + "x" * 50_000),
    ],
)
def test_markdown_becomes_small_html(text: str, expected: str) -> None:
    assert html_of(text) == expected


@pytest.mark.parametrize(
    "piece", ["<", "<!--", "<a ", "<b>", "</i>", "[sound:", "&#", "](", "<pre>", "*a", "<code>"]
)
def test_a_long_broken_field_is_read_without_hanging(piece: str) -> None:
    assert isinstance(markdown(piece * (100_000 // len(piece))), str)
