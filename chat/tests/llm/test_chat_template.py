"""Chat templates, ours and pasted ones: what they may do, and what becomes of those that fail."""

import pytest

from chat.llm import chat_template
from chat.llm.chat_template import rendered
from chat.llm.errors import BadTemplate
from chat.llm.template_process import render_in_process

pytestmark = pytest.mark.process


def test_blocks_leave_no_lines_behind() -> None:
    assert rendered("a\n  {% if true %}\nb\n  {% endif %}\nc", {}) == "a\nb\nc"


def test_json_is_plain() -> None:
    assert rendered("{{ x | tojson }}", {"x": {"b": "<北>", "a": 1}}) == '{"b": "<北>", "a": 1}'
    assert rendered("{{ x | tojson(indent=1) }}", {"x": [1]}) == "[\n 1\n]"


def test_what_training_marks_is_rendered() -> None:
    assert rendered("a{% generation %}{{ x }}{% endgeneration %}c", {"x": "b"}) == "abc"


def test_loops_can_be_left() -> None:
    loop = "{% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}"

    assert rendered(loop, {}) == "1"


def test_the_time_is_at_hand() -> None:
    assert len(rendered("{{ strftime_now('%Y-%m-%d') }}", {})) == 10


@pytest.mark.parametrize(
    ("template", "line", "reason"),
    [
        ("a\n{% if %}", 2, "Expected an expression"),
        ("{{ raise_exception('Only user!') }}", 1, "it refuses these messages: Only user!"),
        ("\n\n{{ x[9].y }}", 3, "UndefinedError"),
        ("\n{{ x.append(1) }}", 2, "SecurityError"),
        ("{{ ''.__class__.mro() }}", 1, "SecurityError"),
        ("{% for i in range(10**7) %}{% endfor %}", 1, "Range too big"),
        ("{{ 'a' + 1 }}", 1, "TypeError"),
    ],
)
def test_a_template_that_fails_says_where_and_why(template: str, line: int, reason: str) -> None:
    with pytest.raises(BadTemplate) as caught:
        rendered(template, {"x": []})

    assert caught.value.line == line
    assert reason in str(caught.value)
    assert f"in line {line}" in str(caught.value)


def test_a_template_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadTemplate, match="more than 200,000 characters"):
        rendered("a" * 200_001, {})


def test_a_prompt_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "MAX_TEMPLATE_PROMPT", 1000)

    with pytest.raises(BadTemplate, match="its prompt has more than 1,000 characters"):
        rendered("{% for i in range(2000) %}a{% endfor %}", {})


def test_apart_a_template_renders_the_same() -> None:
    assert (
        render_in_process("{{ x }}\u2028北\ud800", {"x": "\U0001f600"})
        == "\U0001f600\u2028北\ud800"
    )


def test_apart_an_error_says_the_same() -> None:
    with pytest.raises(BadTemplate, match="in line 2: Expected an expression"):
        render_in_process("\n{% if %}", {})


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a' * 10**10 }}",
        "{{ 'a'.ljust(10**10) }}",
        "{% set n = namespace(x='a') %}"
        "{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    ],
)
def test_apart_a_template_cannot_take_all_memory(template: str) -> None:
    with pytest.raises(BadTemplate, match=r"too much|seconds"):
        render_in_process(template, {})


def test_apart_a_template_cannot_take_all_time() -> None:
    forever = "{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}"

    with pytest.raises(BadTemplate, match=r"time|seconds"):
        render_in_process(forever, {})
