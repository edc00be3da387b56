r"""Formulas: what is one, what becomes of it, what it may cost."""

import re
import time

import pytest

from chat.markdown import BlockSplitter, render
from limits.files import MAX_FORMULA
from tests.slowness import slowness

BOMBS = [
    "{" * 1_900 + "}" * 1_900,
    r"\frac{" * 600 + "x" + "}{y}" * 600,
    r"\sqrt{" * 500 + "}" * 500,
    r"\left(" * 600,
    "x^" * 1_900,
    "x_{" * 900 + "}" * 900,
    r"\begin{matrix}" * 200,
    r"\begin{matrix}" + "&" * 3_000 + r"\end{matrix}",
    r"\def\a{\a\a}\a",
    r"\newcommand{\x}[1]{#1#1#1#1}\x{\x{\x{\x{\x{\x{\x{\x{\x{a}}}}}}}}}",
    r"\text{" * 600,
    "'" * 3_900,
    r"\unicode{x41}" * 200,
    "\\" * 3_901,
]


@pytest.mark.parametrize(
    ("formula", "is_block"),
    [
        ("$E = mc^2$", False),
        (r"\(E = mc^2\)", False),
        ("$$E = mc^2$$", True),
        (r"\[E = mc^2\]", True),
        ("$$\nE = mc^2\n$$", True),
    ],
)
def test_a_formula_is_mathml_with_its_source(formula: str, is_block: bool) -> None:
    html = render(formula)
    assert ('display="block"' in html) == is_block
    assert re.search(r'alttext="\s*E = mc\^2\s*"', html)
    assert "<msup><mi>c</mi><mn>2</mn></msup>" in html


def test_lines_of_a_formula_are_no_list_heading_or_table() -> None:
    html = render("$$\na\n+ b\n- c\n> d\n= e\n$$\n\n- after")
    assert html.count("<math") == 1
    assert html.count("<li>") == 1
    assert "<blockquote" not in html


def test_a_formula_of_lines_is_one_block() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("\\[\na\n+ b\n") == []
    assert "<math" in splitter.feed("\\]\n")[0].html


def test_a_formula_ends_a_list_that_it_is_not_indented_for() -> None:
    assert render("- item\n\\[\nx\n\\]\ntext").endswith('<p dir="auto">text</p>\n')


def test_what_does_not_end_before_a_blank_line_is_no_formula() -> None:
    html = render("$$\n- a\n- b\n\n$$")
    assert "<math" not in html
    assert html.count("<li>") == 2


def test_a_formula_in_an_item_and_in_a_quote_is_one() -> None:
    assert render("- a\n\n  $$\n  + x\n  $$\n\n> \\[\n> + x\n> \\]").count("<math") == 2


@pytest.mark.parametrize(
    "text",
    [
        "from $5 to $6",
        "$5-$6",
        "It is $5, and then $10.",
        "$HOME/$USER",
        "US$5 and A$6",
        "5$ or 6$",
        "$",
        "$$",
        "$ x $",
    ],
)
def test_prices_and_variables_are_text(text: str) -> None:
    assert render(text) == f'<p dir="auto">{text}</p>\n'


def test_a_formula_before_chinese_is_one() -> None:
    assert "<math" in render("当$x$为零时")


def test_a_formula_has_no_styles_but_classes() -> None:
    html = render(r"$$\begin{aligned}a&=\color{red}{b}\end{aligned}$$")
    assert 'class="math-right math-end-0"' in html
    assert 'mathcolor="#FF0000"' in html
    assert "style=" not in html


def test_a_number_of_its_own_is_beside_the_formula() -> None:
    assert "<mtext>(1)</mtext>" in render(r"$$x = y \tag{1}$$")


@pytest.mark.parametrize("bomb", BOMBS, ids=range(len(BOMBS)))
def test_a_bomb_is_bounded_in_time_and_size(bomb: str) -> None:
    started = time.process_time()
    html = render(f"$${bomb}$$ and *text*")
    assert time.process_time() - started < slowness()
    assert len(html) < 250_000
    assert "<em>text</em>" in html


def test_what_is_no_formula_shows_its_source() -> None:
    source = "{" * 1_900
    assert f'<span class="tex">$${source}$$</span>' in render(f"$${source}$$")


def test_a_formula_that_is_too_long_is_text() -> None:
    assert "<math" not in render("$$" + "x + " * MAX_FORMULA + "x$$")


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\url{https://evil.example}",
        r"\includegraphics{https://evil.example/x.png}",
        r"\style{color:red;background:url(https://evil.example)}{x}",
        r"\class{x}{y}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\mathrm{</annotation><script>alert(1)</script>}",
        r"\color{red;background:url(//evil.example)}{x}",
        r'\text{" onclick="alert(1)}',
    ],
)
def test_a_formula_runs_nothing_and_asks_no_host(tex: str) -> None:
    html = render(f"$${tex}$$")
    tags = re.sub(r'"[^"]*"', '""', html)
    assert not re.search(r"<(script|img|a|style|annotation|svg)\b", tags)
    assert not re.search(r"\s(on\w+|style|href|src|xlink:href|actiontype)=", tags)
