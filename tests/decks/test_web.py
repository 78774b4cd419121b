"""Saved pages: what a reader reads, each line with the line it came from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.decks.web import is_page, read_page, words_of

PAGE = """<!doctype html>
<html><head><title>Width  first</title><style>p{}</style><script>var a = "<p>no</p>";</script></head>
<body><nav><a href="/">Home</a> <ul><li>menu</li></ul></nav>
<header><h1>not read</h1></header>
<main>
<h1>Width <em>before</em> speed</h1>
<p>One <b>bold </b>word,<br>a <code>x.item()</code> &amp; more.</p>
<pre><code>for x in y:
    z(x)
</code></pre>
<ul><li>first</li><li>second<ul><li>inner</li></ul></li></ul>
<ol><li>one<li>two</ol>
<table><tr><th>Task</th><th>CPU</th></tr><tr><td>a|b</td><td>Days</td></tr></table>
<blockquote><p>quoted</p></blockquote>
<img src="x.png" alt="a race"><img src="y.png">
<details><summary>Why 30 %?</summary>The loader.</details>
<dl><dt>What is it?</dt><dd>A warp.</dd></dl>
<p hidden>secret</p>
</main><footer>© me</footer></body></html>
"""


def test_a_page_becomes_markdown_without_its_furniture() -> None:
    page = read_page(PAGE)

    assert " ".join(page.title.split()) == "Width first"
    assert (
        "\n".join(page.lines)
        == """# Width *before* speed

One **bold** word,
a `x.item()` & more.

```
for x in y:
    z(x)
```

- first
- second
  - inner

1. one
2. two

| Task | CPU |
|---|---|
| a\\|b | Days |

> quoted

[picture: a race]

### Why 30 %?

The loader.

### What is it?

A warp."""
    )


def test_every_line_knows_where_it_came_from_and_what_was_dropped_is_listed() -> None:
    page = read_page(PAGE)

    where = dict(zip(page.lines, page.origin, strict=True))
    assert (where["# Width *before* speed"], where["> quoted"], where["A warp."]) == (6, 14, 17)
    assert [name for _, name in page.dropped] == ["style", "script", "nav", "header", "p", "footer"]
    assert page.dropped[2] == (3, "nav")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("plain", "plain"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<div>a</div><div>b</div>", "a\n\nb"),
        ("#include <stdio.h> &lt;x&gt;", "#include <stdio.h> <x>"),
        ("<b></b>x<i> y </i>z", "x *y* z"),
        ("a < b", "a < b"),
        ("<p>open <b>never closed", "open **never closed"),
        ("</p></table></li>stray", "stray"),
        ("<li>loose</li>", "- loose"),
        ("<script>x", ""),
    ],
)
def test_a_field_of_html_becomes_markdown(html: str, markdown: str) -> None:
    assert words_of(html) == markdown


def test_a_hidden_tag_without_an_end_hides_nothing_after_it() -> None:
    assert read_page("<p>a<img hidden alt=x>b</p>").lines == ["ab"]


def test_a_page_of_tags_that_never_end_is_text() -> None:
    assert read_page("<p>a</p>" + "<a " * 2000).lines == ["a", "", " ".join(["<a"] * 2000)]
    assert read_page("<p>a<!-- x\ny --><!-- never\n<!-- closed -->b</p><!--").lines[0] == "a b"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<h2>Width<a href='#w'>#</a></h2>", ["## Width"]),
        ("<h2>Width<a href='https://x.y/#w'>¶</a></h2>", ["## Width"]),
        ("<p>a <a href='https://x.y/z'> site </a> b</p>", ["a [site](https://x.y/z) b"]),
        ("<p>a <a href='/local'>page</a> <a href='https://x.y'>[1]</a></p></a>", ["a page [1]"]),
        ("<p><b>bold <a href='https://x.y'>link</b></a></p>", ["**bold [link**"]),
        ("<button>Menu</button><button><span>Is it?</span></button><div>Yes.</div>", ["### Is it?", "", "Yes."]),
        ("<h3><button>Is it?</button></h3><p>Yes.</p>", ["### Is it?", "", "Yes."]),
        ("<h3><button>Menu</button></h3><p>Yes.</p>", ["Yes."]),
        ("<header>site</header><article><header><h1>T</h1></header>x</article>", ["# T", "", "x"]),
    ],
)
def test_links_buttons_and_the_signs_at_headings(html: str, lines: list[str]) -> None:
    assert read_page(html).lines == lines


def test_code_with_fences_in_it_gets_longer_fences() -> None:
    assert read_page("<pre>```\nx\n```</pre>").lines == ["````", "```", "x", "```", "````"]


def test_what_is_skipped_ends_where_it_ends_however_deep_it_is_nested() -> None:
    assert read_page("<nav><nav>a</nav>b</nav><p>c</p>").lines == ["c"]
    assert read_page("<nav>" * 1000 + "x").lines == []


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("<!DOCTYPE html><p>x", True),
        ("\n<html lang=en>", True),
        ("<?xml version='1.0'?>\n<html>", True),
        ("<p>Markdown", False),
        ("# T", False),
    ],
)
def test_a_page_is_told_from_markdown(text: str, page: bool) -> None:
    assert is_page(text) is page


NAMES = "p b i code pre ul ol li table tr td th h2 br hr div nav script blockquote details summary dt dd title img"
TAGS = NAMES.split()


@given(
    st.lists(
        st.sampled_from([*(f"<{t}>" for t in TAGS), *(f"</{t}>" for t in TAGS), "word", " ", "\n", "&amp;", "<"]),
        max_size=40,
    )
)
@settings(max_examples=200, deadline=None)
def test_no_markup_raises_anything_and_lines_keep_their_origin(pieces: list[str]) -> None:
    text = "".join(pieces)

    page = read_page(text)

    assert len(page.lines) == len(page.origin)
    assert all(1 <= line <= text.count("\n") + 1 for line in page.origin)
    assert "".join(page.lines).count("word") <= text.count("word")
