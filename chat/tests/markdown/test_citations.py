"""Numbers in brackets that cite the sources of an answer."""

import pytest

from chat.markdown import BlockSplitter, Citation, citations, render

PAGE = Citation(1, 'A "title" <b>', "https://www.e.example/?a=1&b=2")
PLACE = Citation(12, "a.pdf, page 3", "/files/text/0b1c/?at=4#passage-4")
KNOWN = (PAGE, PLACE)


def test_a_number_of_a_source_is_a_link_with_its_title() -> None:
    html = render("As said [1].", KNOWN)
    assert (
        '<a class="cite" href="https://www.e.example/?a=1&amp;b=2"'
        ' title="A &quot;title&quot; &lt;b&gt; · e.example" target="_blank"'
        ' rel="noopener noreferrer nofollow">[1]</a>.' in html
    )


def test_a_place_in_a_file_is_an_address_of_this_site() -> None:
    assert 'href="/files/text/0b1c/?at=4#passage-4"' in render("是的[12]。", KNOWN)


def test_several_numbers_are_several_links() -> None:
    html = render("Both [1, 12] and [1][12].", KNOWN)
    assert html.count('class="cite"') == 4
    assert "[<a" in html


@pytest.mark.parametrize(
    "text",
    [
        "[2]", "[0]", "[1, 2]", "`[1]`", "```\n[1]\n```", "    [1]", "\\[1]", "[1](https://x.example)",
        "[see [1]](https://x.example)", "[1000]", "$x[1]$",
    ],
)  # fmt: skip
def test_what_is_no_citation_is_none(text: str) -> None:
    assert 'class="cite"' not in render(text, KNOWN)


def test_without_sources_nothing_is_a_citation() -> None:
    assert render("[1]") == '<p dir="auto">[1]</p>\n'


def test_html_of_the_text_gets_no_address() -> None:
    html = render('<a class="cite" data-source="1">x</a>', KNOWN)
    assert "<a" not in html


def test_blocks_of_a_stream_are_those_of_the_whole_text() -> None:
    text = "One [1].\n\n- Two [12]\n- Three [1]\n\n| a [1] |\n|---|\n| b |\n"
    splitter = BlockSplitter(citations=KNOWN)
    blocks = [block for piece in text for block in splitter.feed(piece)]
    html = "".join(block.html for block in [*blocks, *splitter.finish()])
    assert html.count('class="cite"') == render(text, KNOWN).count('class="cite"') == 4


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "//evil.example/", "/logout", "data:text/html,x", 'https://x"y', ""],
)
def test_stored_sources_with_other_addresses_are_left_out(url: str) -> None:
    assert citations.read([{"number": 1, "title": "x", "url": url}]) == ()


def test_stored_sources_of_any_shape_are_survived() -> None:
    odd = [None, 1, {}, {"number": "1", "url": "https://a.example"}, {"number": 10**9, "url": "x"}]
    good = {"number": 3, "url": "https://a.example", "title": None}
    assert citations.read([*odd, good]) == (Citation(3, "https://a.example", "https://a.example"),)
