from hypothesis import given
from hypothesis import strategies as st

from chat.prompts.variables import Variable, filled, variables_of


def test_variables_have_names_defaults_and_lines() -> None:
    text = "Translate {{text: lines}} to {{language = English}} for {{audience}}."
    assert variables_of(text) == [
        Variable("text", "", True),
        Variable("language", "English"),
        Variable("audience"),
    ]


def test_names_may_be_chinese_and_have_spaces() -> None:
    assert variables_of("把{{原文}}译成{{目标 语言 = 英文}}") == [
        Variable("原文"),
        Variable("目标 语言", "英文"),
    ]


def test_a_default_of_several_lines_makes_the_field_one_of_several_lines() -> None:
    assert variables_of("{{rules = one\ntwo}}") == [Variable("rules", "one\ntwo", True)]


def test_a_name_that_occurs_again_is_asked_for_once() -> None:
    text = "{{name}}, dear {{name = Ada}}, {{ name: lines }}"
    assert variables_of(text) == [Variable("name", "Ada", True)]
    assert filled(text, {"name": "Bo"}) == "Bo, dear Bo, Bo"


def test_a_variable_without_a_value_has_its_default() -> None:
    assert filled("{{a = 1}} {{b}}|", {}) == "1 |"
    assert filled("{{a = 1}}", {"a": ""}) == ""


def test_other_braces_are_text() -> None:
    text = "{a} {{}} {{ }} {% x %} {{a{b}}"
    assert variables_of(text) == []
    assert filled(text, {"a": "x"}) == text


def test_a_value_is_not_read_again() -> None:
    assert filled("{{a}}", {"a": "{{b = 1}}"}) == "{{b = 1}}"


@given(st.text())
def test_any_text_has_variables_that_can_be_filled(text: str) -> None:
    values = {one.name: "x" for one in variables_of(text)}
    filled(text, values)
