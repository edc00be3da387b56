"""What is wrong with a draft is said where it is wrong, all of it at once."""

import json
from typing import Any

import pytest

from chat.models import LanguageModel
from chat.playground import drafts
from chat.playground.drafts import Draft, Unsendable
from chat.tests.builders import a_model

pytestmark = pytest.mark.django_db

USER = {"role": "user", "content": "Hello"}
ADVISOR = {"type": "openrouter:advisor", "function": {"name": "ask"}}


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.fixture
def model() -> LanguageModel:
    return a_model("qwen", parameters={"temperature": 0.2})


def read(model: LanguageModel, **changes: Any) -> Draft:
    return read_changed(model, changes)


def read_changed(model: LanguageModel, changes: dict[str, Any]) -> Draft:
    value = {"model": str(model.public_id), "messages": [USER], **changes}
    return drafts.read(json.dumps(value), [model])


def wrong(model: LanguageModel, changes: dict[str, Any]) -> list[str]:
    with pytest.raises(Unsendable) as refused:
        read_changed(model, changes)
    return [problem.path for problem in refused.value.problems]


def test_an_empty_draft_begins_with_the_presets_prompt(model: LanguageModel) -> None:
    assert model.preset is not None
    model.preset.system_prompt = "You count."
    value = json.loads(drafts.empty(model))
    assert [one["role"] for one in value["messages"]] == ["system", "user"]
    assert value["parameters"] == {"temperature": 0.2}


def test_what_can_be_sent_is_as_it_was_typed(model: LanguageModel) -> None:
    messages = [USER, {"role": "assistant", "content": None, "odd": [1]}]
    draft = read(model, messages=messages, parameters={"temperature": "0.5", "top_k": 3})
    assert draft.meant.messages == messages
    assert draft.meant.parameters == {"temperature": 0.5, "top_k": 3}


def test_tools_may_be_typed_as_a_text(model: LanguageModel) -> None:
    tool = {"type": "function", "function": {"name": "count"}}
    assert read(model, tools=json.dumps([tool])).meant.tools == [tool]


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "[" * 100_000, "NaN"])
def test_what_is_no_json_object(model: LanguageModel, text: str) -> None:
    with pytest.raises(Unsendable):
        drafts.read(text, [model])


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"model": "gone"}, "model"),
        ({"dialect": "anthropic"}, "dialect"),
        ({"dialect": ["nous"]}, "dialect"),
        ({"messages": []}, "messages"),
        ({"messages": "x"}, "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "messages"),
        ({"messages": ["x"]}, "messages.0"),
        ({"messages": [USER, {"role": "owner", "content": ""}]}, "messages.1.role"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages.0.content.0"),
        (
            {"messages": [USER, {"role": "tool", "content": "", "tool_call_id": 1}]},
            "messages.1.tool_call_id",
        ),
        (
            {"messages": [USER, {"role": "assistant", "tool_calls": [{}]}]},
            "messages.1.tool_calls.0",
        ),
        (
            {"messages": [USER, {"role": "assistant", "tool_calls": [{"function": {"name": ""}}]}]},
            "messages.1.tool_calls.0.function.name",
        ),
        ({"tools": "[{"}, "tools"),
        ({"tools": {"a": 1}}, "tools"),
        ({"tools": [{"name": "count"}]}, "tools"),
        ({"tool_choice": 1}, "tool_choice"),
        ({"parameters": []}, "parameters"),
        ({"parameters": {"temperature": "hot"}}, "parameters.temperature"),
        ({"parameters": {"temperature": 9}}, "parameters.temperature"),
        ({"parameters": {"extra": "{"}}, "parameters.extra"),
        ({"parameters": {"extra": {"model": "x"}}}, "parameters.extra"),
        ({"parameters": {"model": "x"}}, "parameters.model"),
        ({"parameters": {"Messages": []}}, "parameters.Messages"),
        ({"parameters": {"extra": {"models": ["x"]}}}, "parameters.models"),
        ({"parameters": {"extra": {"plugins": [{"model": "x"}]}}}, "parameters.model"),
        ({"tools": [{**ADVISOR, "parameters": {"model": "x"}}]}, "parameters.model"),
        ({"parameters": {"previous_response_id": "resp_1"}}, ""),
        ({"messages": [{"role": "user", "content": [{"file": {"file_id": "f"}}]}]}, ""),
    ],
)
def test_a_problem_is_named_by_its_place(
    model: LanguageModel, changes: dict[str, Any], path: str
) -> None:
    assert path in wrong(model, changes)


def test_what_an_admin_has_set_for_the_model_is_no_problem(model: LanguageModel) -> None:
    model.parameters = {"models": ["other"], "extra": {"container_id": "c"}}
    assert read(model, parameters=model.parameters).meant.parameters == model.parameters


def test_settings_may_be_nested_deeply(model: LanguageModel) -> None:
    assert read(model, parameters={"extra": deep(600)}).meant.parameters["extra"] == deep(600)


def test_an_attachment_of_ours_is_no_problem(model: LanguageModel) -> None:
    file = {"type": "file", "file": {"filename": "a.pdf", "file_id": "attachment:1"}}
    messages = [{"role": "user", "content": [file]}]
    assert read(model, messages=messages).meant.messages == messages


def test_all_problems_are_told_at_once(model: LanguageModel) -> None:
    messages = [USER, {"role": "owner", "content": ""}]
    found = wrong(model, {"messages": messages, "tools": "[{", "parameters": {"seed": "x"}})
    assert found == ["messages.1.role", "tools", "parameters.seed"]
