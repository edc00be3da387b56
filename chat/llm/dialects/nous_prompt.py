"""The prompt of the nous dialect, with the texts of the walkthrough's article."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from chat.llm.dialects import request_notes
from chat.llm.dialects.nous_text import CALL, CALL_END
from chat.llm.history import in_call_order
from chat.llm.json_text import parse_json, prompt_json
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition
from chat.llm.parts import as_text

TOOLS_BLOCK = """\
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tools}
</tools>

For each function call, return a json object with function name and arguments within \
<tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""

WireText = dict[str, str]


def wire_messages(messages: Sequence[Message]) -> list[WireText]:
    """Calls and results as text; adjacent assistant messages, and adjacent results, are merged."""
    wire: list[WireText] = []
    for role, run in groupby(in_call_order(messages), key=lambda message: message["role"]):
        if role == "assistant":
            text = _in_lines(chain.from_iterable(map(_message_texts, run)))
            wire.append({"role": "assistant", "content": text})
        elif role == "tool":
            wire.append({"role": "user", "content": "\n".join(map(_result_block, run))})
        else:
            wire += [{"role": role, "content": as_text(message.get("content"))} for message in run]
    return wire


def with_tools(wire: list[WireText], functions: Sequence[dict[str, Any]]) -> list[WireText]:
    """The messages with the tools in the system message, which is added if none is first."""
    lines = [prompt_json({"type": "function", "function": function}) for function in functions]
    block = TOOLS_BLOCK.format(tools="\n".join(lines))
    if wire and wire[0]["role"] == "system":
        return [{"role": "system", "content": f"{wire[0]['content']}\n\n{block}"}, *wire[1:]]
    return [{"role": "system", "content": block}, *wire]


def inexpressible(
    messages: Sequence[Message], tools: Sequence[ToolDefinition], tool_choice: ToolChoice | None
) -> list[str]:
    """Notes about what the prompt cannot express."""
    return [
        *request_notes.unsent_parts(messages),
        *request_notes.provider_tools(tools),
        *request_notes.unenforced_choice(tool_choice),
    ]


def _message_texts(message: Message) -> Iterator[str]:
    yield as_text(message.get("content"))
    yield from map(_call_block, message.get("tool_calls", ()))


def _in_lines(texts: Iterable[str]) -> str:
    """The texts, each on a new line, empty ones included, as Qwen-Agent does."""
    joined = ""
    for text in texts:
        if joined and not joined.endswith("\n"):
            joined += "\n"
        joined += text
    return joined


def _call_block(call: ToolCall) -> str:
    function = call["function"]
    return f"{CALL}\n{_call_json(function['name'], function['arguments'])}\n{CALL_END}"


def _call_json(name: str, arguments: str) -> str:
    """The call as JSON; arguments that are not JSON are a string in it."""
    try:
        return prompt_json({"name": name, "arguments": parse_json(arguments)})
    except ValueError:
        return prompt_json({"name": name, "arguments": arguments})


def _result_block(result: Message) -> str:
    return f"<tool_response>\n{as_text(result.get('content'))}\n</tool_response>"
