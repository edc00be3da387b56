"""What rendering a text may cost: bounded by the length of the text, whatever is in it."""

import random
import threading
import time

import pytest

from chat.markdown import render
from chat.markdown.budget import RenderBudget
from chat.markdown.highlight import highlight
from chat.markdown.render_pool import NoAnswer, RenderProcess
from tests.slowness import slowness

pytestmark = pytest.mark.long

CODE = {"kind": "code", "language": "python", "text": "x"}
QUADRATIC = "a" * 20_000
WIDE_TABLE = "|".join("a" * 181) + "\n" + "|".join("-" * 181) + "\n" + "a\n" * 362
# Seconds of CPU time for a text, and for each character of it: ten times what was measured.
MAX_S, MAX_S_PER_CHARACTER = 0.5, 200e-6
PIECES = [
    *("[", "]", "(", ")", "![", "*", "**", "_", "`", "``", "```", "~~~", "~~", "<", ">", "&", "\\"),
    *(
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "\t",
        "# ",
        "|",
        "|-",
        "|-|\n",
        "\n|a|\n|-|\n",
        ": ",
    ),
    *("$", "$$", r"\(", "[a]: x\n", "[a]", "http://a", "<!--", "a", "中", "é", "😀", "\x00", " "),
    *("\n```make\n", "\n```gherkin\n", "\n```yaml\n", "\n```html\n", "---\n", "===\n"),
]


def test_a_table_whose_rows_leave_out_most_cells_stays_text() -> None:
    html = render(WIDE_TABLE)
    assert "<table" not in html
    assert len(html) < 3 * len(WIDE_TABLE)


def test_many_tables_share_the_cells_that_their_rows_may_leave_out() -> None:
    html = render((WIDE_TABLE[: 181 * 4 + 10] + "\n\n") * 60)
    assert html.count("<table dir") < 10


def test_a_table_with_a_short_row_gets_its_cells_back() -> None:
    assert render("|a|b|\n|-|-|\n|x|\n").count("<td>") == 2


def test_a_table_of_thousands_of_rows_is_a_table() -> None:
    assert render("|a|b|c|\n|-|-|-|\n" + "|x|y|z|\n" * 3_000).count("<td>") == 9_000


def test_code_that_takes_a_lexer_too_long_is_shown_plain() -> None:
    assert highlight(QUADRATIC, "make", RenderBudget(0.02, 0)) == QUADRATIC


def test_the_colours_of_a_text_are_paid_from_one_budget() -> None:
    budget = RenderBudget(0.05, 0)
    highlight(QUADRATIC, "make", budget)
    assert highlight("x = 1", "python", budget) == "x = 1"


def test_ordinary_code_of_any_length_pays_for_itself() -> None:
    budget = RenderBudget()
    texts = [highlight("x = [1, 2, 'three']\n" * 500, "python", budget) for _ in range(10)]
    assert all('<span class="n">x</span>' in html for html in texts)


def test_a_process_that_does_not_answer_is_replaced() -> None:
    process = RenderProcess()
    try:
        process.ask(CODE, 1)
        assert process._child is not None
        process._child.kill()
        with pytest.raises(NoAnswer):
            process.ask(CODE, 1)
        assert process.ask(CODE, 1)[0]
    finally:
        process.close()


def test_no_lexer_holds_the_interpreter() -> None:
    """While a slow lexer works another thread goes on; in one process it stood still."""
    done = threading.Event()
    steps = 0

    def work() -> None:
        highlight(QUADRATIC, "make")
        done.set()

    started = time.process_time()
    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        steps += 1
    thread.join()
    assert steps > 20
    assert time.process_time() - started < 0.5 * slowness()


@pytest.mark.parametrize("count", [1_500, pytest.param(10_000, marks=pytest.mark.campaign)])
def test_no_text_costs_more_than_its_length_allows(count: int) -> None:
    choose = random.Random(12)
    for _ in range(count):
        pieces = choose.choices(PIECES, k=choose.randint(1, 12))
        text = "".join(pieces) * choose.randint(1, 40)
        allowed = MAX_S + MAX_S_PER_CHARACTER * len(text)
        # Once more where it was over: the collector of garbage may have run meanwhile.
        assert _cpu_s(text) < allowed or _cpu_s(text) < allowed * slowness(), text


def _cpu_s(text: str) -> float:
    """CPU of rendering a text, in seconds."""
    started = time.process_time()
    render(text)
    return time.process_time() - started
