"""What a model reads in the nous dialect. The texts are those of the walkthrough's article."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from chat.llm.dialects import unsaid
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
    """Calls and results as text; neighbours of the assistant, and neighbouring results, as one."""
    wire: list[WireText] = []
    for role, run in groupby(in_call_order(messages), key=lambda message: message["role"]):
        if role == "assistant":
            spoken = _in_lines(chain.from_iterable(map(_spoken, run)))
            wire.append({"role": "assistant", "content": spoken})
        elif role == "tool":
            wire.append({"role": "user", "content": "\n".join(map(_response, run))})
        else:
            wire += [{"role": role, "content": as_text(message.get("content"))} for message in run]
    return wire


def with_tools(wire: list[WireText], functions: Sequence[dict[str, Any]]) -> list[WireText]:
    """The messages with the tools in the system message; that is made if none comes first."""
    lines = [prompt_json({"type": "function", "function": function}) for function in functions]
    block = TOOLS_BLOCK.format(tools="\n".join(lines))
    if wire and wire[0]["role"] == "system":
        return [{"role": "system", "content": f"{wire[0]['content']}\n\n{block}"}, *wire[1:]]
    return [{"role": "system", "content": block}, *wire]


def left_unsaid(
    messages: Sequence[Message], tools: Sequence[ToolDefinition], tool_choice: ToolChoice | None
) -> list[str]:
    """What text alone cannot express, in sentences."""
    return [
        *unsaid.not_text(messages),
        *unsaid.no_functions(tools),
        *unsaid.left_to_the_model(tool_choice),
    ]


def _spoken(message: Message) -> Iterator[str]:
    yield as_text(message.get("content"))
    yield from map(_call, message.get("tool_calls", ()))


def _in_lines(texts: Iterable[str]) -> str:
    """The texts, each on a new line, also an empty one: Qwen-Agent ends the line before it."""
    joined = ""
    for text in texts:
        if joined and not joined.endswith("\n"):
            joined += "\n"
        joined += text
    return joined


def _call(call: ToolCall) -> str:
    function = call["function"]
    return f"{CALL}\n{_asked(function['name'], function['arguments'])}\n{CALL_END}"


def _asked(name: str, arguments: str) -> str:
    """The call as JSON; arguments that are not JSON are a string in it."""
    try:
        return prompt_json({"name": name, "arguments": parse_json(arguments)})
    except ValueError:
        return prompt_json({"name": name, "arguments": arguments})


def _response(result: Message) -> str:
    return f"<tool_response>\n{as_text(result.get('content'))}\n</tool_response>"
