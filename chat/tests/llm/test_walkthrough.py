"""The model calls that the article prints, byte for byte, through the nous dialect."""

import json
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from chat.llm.dialects import dialect
from chat.llm.messages import Message, text_of, tool_call

WALKTHROUGH = json.loads(
    (Path(__file__).parents[2] / "cassettes" / "walkthrough.json").read_text(encoding="utf-8")
)
PRINTED = [call for call in WALKTHROUGH["calls"] if call["raw_input"]]


def canonical(raw: list[dict[str, Any]]) -> list[Message]:
    """A Qwen-Agent history in canonical form: one call a message there, results in call order."""
    messages: list[Message] = []
    unanswered: deque[str] = deque()
    for number, entry in enumerate(raw):
        if entry["role"] == "function":
            call_id = unanswered.popleft()
            messages.append({"role": "tool", "content": entry["content"], "tool_call_id": call_id})
            continue
        message: Message = {"role": entry["role"], "content": entry["content"]}
        if asked := entry.get("function_call"):
            unanswered.append(f"call_{number}")
            call = tool_call(f"call_{number}", asked["name"], asked["arguments"])
            message["tool_calls"] = [call]
        messages.append(message)
    return messages


def number(call: dict[str, Any]) -> str:
    return f"turn {call['turn']}, round {call['round']}"


@pytest.mark.parametrize("printed", PRINTED, ids=number)
def test_the_wire_request_is_the_article_s_preprocessed_input(printed: dict[str, Any]) -> None:
    request = dialect("nous").request(canonical(printed["raw_input"]), WALKTHROUGH["tools"])

    assert request.body == {"messages": printed["preprocessed_input"]}
    assert request.notes == []


@pytest.mark.parametrize("printed", PRINTED, ids=number)
def test_the_answer_is_the_article_s_postprocessed_output(printed: dict[str, Any]) -> None:
    (raw,) = printed["raw_output"]
    answer = dialect("nous").answer(raw)

    expected = printed["postprocessed_output"]
    asked = [entry["function_call"] for entry in expected if "function_call" in entry]
    assert [call["function"] for call in answer.tool_calls] == [
        {"name": call["name"], "arguments": call["arguments"]} for call in asked
    ]
    assert answer.content == "".join(text_of(entry["content"]) for entry in expected)
    assert answer.errors == []


def test_the_article_prints_seven_of_nine_model_calls() -> None:
    assert (len(PRINTED), len(WALKTHROUGH["calls"])) == (7, 9)
