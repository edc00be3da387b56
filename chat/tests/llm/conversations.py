"""Short ways to write canonical messages and wire texts, and hypothesis strategies for them."""

import json
from typing import Any

from hypothesis import strategies as st

from chat.llm.dialects.contract import Answer, Part, TextDelta
from chat.llm.messages import Message, ToolCall, ToolDefinition, tool_call
from wire.tests.values import json_values as json_values
from wire.tests.values import texts as texts

WEATHER: ToolDefinition = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "天气",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def system(content: str) -> Message:
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    return {"role": "user", "content": content}


def call(name: str, arguments: str = "{}", call_id: str = "a") -> ToolCall:
    return tool_call(call_id, name, arguments)


def assistant(content: str | None, *calls: ToolCall) -> Message:
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    return message


def result(content: str, call_id: str = "a") -> Message:
    return {"role": "tool", "content": content, "tool_call_id": call_id}


def block(name: str, arguments: Any = None) -> str:
    """A call as the nous dialect writes it."""
    text = json.dumps({"name": name, "arguments": arguments or {}}, ensure_ascii=False)
    return f"<tool_call>\n{text}\n</tool_call>"


def piece(arguments: str | None = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    """An entry of `delta.tool_calls`."""
    function = {"name": name, "arguments": arguments}
    return {
        **more,
        "function": {key: value for key, value in function.items() if value is not None},
    }


def asked(answer: Answer) -> list[tuple[str, str]]:
    """Names and arguments of the calls."""
    return [(one["function"]["name"], one["function"]["arguments"]) for one in answer.tool_calls]


def ids(answer: Answer) -> list[str]:
    return [one["id"] for one in answer.tool_calls]


def apply(deltas: list[TextDelta], part: Part) -> str:
    """What somebody sees of a part who applied these deltas."""
    shown = ""
    for delta in deltas:
        if delta.part == part:
            shown = delta.text if delta.restart else shown + delta.text
    return shown


json_objects = st.dictionaries(texts, json_values, max_size=3)
names = st.sampled_from(["weather", "sqlite-read_query", "日期", "a.b"])
calls = st.builds(lambda name, arguments: call(name, json.dumps(arguments)), names, json_objects)


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    """The text, cut anywhere."""
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)], strict=True)]
