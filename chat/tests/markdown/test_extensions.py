"""What goes beyond CommonMark: footnotes, task lists, callouts, bare links, images, tools."""

import pytest

from chat.markdown import render
from chat.markdown.images import image_key, is_image_key


def test_a_footnote_has_a_reference_and_a_note_by_the_same_label() -> None:
    html = render("text[^1].\n\n[^1]: The *note*.")
    assert 'data-footnote="1">1</button>' in html
    assert 'data-note="1"><sup>1</sup> The <em>note</em>.</div>' in html


def test_notes_on_lines_that_follow_each_other_are_several() -> None:
    html = render("[^1]: one\n  goes on\n[^two]: two\n- item")
    assert html.count("data-note=") == 2
    assert "<li>item</li>" in html


@pytest.mark.parametrize("text", ["[^a-z]", "[^]", "[^ x]", "`[^1]`", "[^12345]"])
def test_what_only_looks_like_a_footnote_is_text(text: str) -> None:
    assert "data-footnote" not in render(text)


def test_items_of_a_task_list_have_a_box() -> None:
    html = render("- [x] done\n- [ ] open\n- [y] other")
    assert '<li class="task"><span class="task-box">☑</span> done</li>' in html
    assert '<span class="task-box">☐</span> open' in html
    assert html.count('class="task"') == 2


def test_a_callout_is_named_by_the_page_and_holds_blocks() -> None:
    html = render("> [!WARNING] Hot\n> - a\n>\n> b")
    assert '<div class="callout callout-warning" dir="auto">' in html
    assert '<callout-name class="warning"></callout-name> Hot</p>' in html
    assert "<li>a</li>" in html
    assert html.rstrip().endswith("</div>")


def test_a_callout_in_a_quote_closes_as_it_opened() -> None:
    html = render("> quote\n>\n> > [!NOTE]\n> > inner\n\nafter")
    assert html.count("</blockquote>") == html.count("<blockquote") == 1
    assert html.endswith('<p dir="auto">after</p>\n')


@pytest.mark.parametrize("kind", ["[!NOTHING]", "[note]", "[!]"])
def test_a_quote_of_another_kind_is_a_quote(kind: str) -> None:
    assert "<blockquote" in render(f"> {kind}\n> text")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://e.example/a_b_c.", "https://e.example/a_b_c"),
        ("(https://e.example/a_(b))", "https://e.example/a_(b)"),
        ("**https://e.example**", "https://e.example"),
        ("见https://e.example/x。然后", "https://e.example/x"),
        ("http://[::1]:80/x, and", "http://[::1]:80/x"),
        ("https://e.example/?a=1&b=2!", "https://e.example/?a=1&amp;b=2"),
    ],
)
def test_a_bare_address_is_a_link_without_what_follows_it(text: str, address: str) -> None:
    assert f'href="{address}"' in render(text)


@pytest.mark.parametrize(
    "text", ["xhttps://a", "https://", "ftp://a.example", "a://b", "`http://a`"]
)
def test_what_is_no_address_is_no_link(text: str) -> None:
    assert "<a" not in render(text)


def test_an_address_in_a_link_is_its_text() -> None:
    assert render("[https://a.example](https://b.example)").count("<a") == 1


def test_an_image_has_a_key_that_holds_for_its_address_only() -> None:
    html = render("![chart](https://e.example/x.png)")
    key = image_key("https://e.example/x.png")
    assert f'<remote-image data-key="{key}"><a class="image-link"' in html
    assert is_image_key("https://e.example/x.png", key)
    assert not is_image_key("https://e.example/y.png", key)


def test_html_has_no_words_of_the_interface() -> None:
    html = render("```html\n<p>\n```\n\n|a|\n|-|\n|b|\n")
    assert "<code-tools></code-tools>" in html
    assert "<table-tools></table-tools>" in html
    assert "Copy" not in html


def test_the_head_of_a_column_is_a_button_unless_it_has_a_link() -> None:
    html = render("|a|[b](http://c)|\n|-|-|\n|1|2|\n")
    assert '<th><button type="button" class="sort">a</button></th>' in html
    assert html.count('class="sort"') == 1


@pytest.mark.parametrize(("lines", "is_long"), [(40, False), (41, True)])
def test_code_of_many_lines_is_folded(lines: int, is_long: bool) -> None:
    assert ('class="code long"' in render("```\n" + "x\n" * lines + "```")) == is_long
