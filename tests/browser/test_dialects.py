"""One conversation, its model changed before each question: each is spoken to in its own dialect,
and reads what was said in the others."""

import json
from typing import Any

import pytest

from benchmarks.stub import StubProcess
from tests.browser.chat import Chat

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("stub")]

QUESTION = 'What is 6 * 7?\ncall calculate {{"expr": "6 * 7 + {n}"}}'
MODELS = [
    {"label": "Nous", "kind": "openai", "dialect": "nous", "name": "stub-nous-ask-n8"},
    {"label": "Native", "kind": "openai", "dialect": "native", "name": "stub-ask-z6-n8"},
    {"label": "Claude", "kind": "anthropic", "dialect": "anthropic", "name": "stub-ask-z5-n8"},
    {"label": "Legacy", "kind": "openai", "dialect": "functions", "name": "stub-ask-n9"},
    {"label": "Nous again", "kind": "openai", "dialect": "nous", "name": "stub-nous-ask-n9"},
]


def test_one_conversation_goes_through_all_dialects(stub: StubProcess, chat: Chat) -> None:
    for number, model in enumerate(MODELS, 1):
        chat.page.get_by_label("Model", exact=True).select_option(label=model["label"])
        chat.ask(QUESTION.format(n=number))
        answer = chat.ended(number)
        assert f"{42 + number}" in answer.locator("[data-call]").inner_text()

    asked = [json.loads(request.body) for request in stub.completions]
    assert [body["model"] for body in asked] == [m["name"] for m in MODELS for _ in range(2)]
    for body, model in zip(asked[1::2], MODELS, strict=True):
        CHECKS[model["dialect"]](body)
        last = json.dumps(body["messages"])
        assert all(f"6 * 7 + {n}" in last for n in range(1, MODELS.index(model) + 2))

    before = [chat.stored(chat.answers.nth(n)) for n in range(len(MODELS))]
    chat.page.reload()
    assert [chat.stored(chat.answers.nth(n)) for n in range(len(MODELS))] == before


def _check_nous(body: dict[str, Any]) -> None:
    assert {message["role"] for message in body["messages"]} <= {"system", "user", "assistant"}
    assert all(set(message) == {"role", "content"} for message in body["messages"])
    assert "# Tools" in body["messages"][0]["content"]
    assert "tools" not in body


def _check_native(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert waiting == []
    assert body["tools"]


def _check_anthropic(body: dict[str, Any]) -> None:
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    waiting: list[str] = []
    for message in body["messages"]:
        blocks = message["content"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == waiting
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert waiting == []


def _check_functions(body: dict[str, Any]) -> None:
    called = ""
    for message in body["messages"]:
        assert (message["role"] == "function") == bool(called)
        assert message.get("name", "") == called
        called = message.get("function_call", {}).get("name", "")
    assert body["functions"]


CHECKS = {
    "nous": _check_nous,
    "native": _check_native,
    "anthropic": _check_anthropic,
    "functions": _check_functions,
}
