"""Tool calling by `functions`, OpenAI's form before `tools`, for older compatible servers.

A message carries one call at most, without an id; its result is a message of the role `function`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from chat.llm.dialects import request_notes
from chat.llm.dialects.answer_texts import AnswerTexts
from chat.llm.dialects.contract import Answer, TextDelta, WireMessage, WireRequest
from chat.llm.dialects.delta_texts import DeltaTextReader
from chat.llm.dialects.native_calls import NativeCalls
from chat.llm.dialects.think_tags import ThinkTagReader
from chat.llm.history import Pairing
from chat.llm.messages import Message, ToolChoice, ToolDefinition
from chat.llm.parts import as_text

FUNCTION_CALL = "function_call"
_SENT = ("role", "content", "name")


class Functions:
    name = "functions"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """Messages with one call each, directly followed by its result."""
        paired = Pairing(messages)
        body: dict[str, Any] = {"messages": list(_wire_messages(paired.history()))}
        functions = [tool["function"] for tool in tools if "function" in tool]
        if functions:
            body["functions"] = functions
            body |= _function_call(tool_choice)
        return WireRequest(
            body,
            [
                *request_notes.orphaned_results(paired.orphans),
                *request_notes.unsent_parts(messages),
                *request_notes.provider_tools(tools),
                *request_notes.choice_without_tools(functions, tool_choice),
                *_unenforced_choice(functions, tool_choice),
            ],
        )

    def answer(self, wire_message: WireMessage) -> Answer:
        stream = self.stream()
        stream.feed(wire_message)
        return stream.finish()[1]

    def stream(self) -> "FunctionsStream":
        return FunctionsStream()


def _wire_messages(history: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """The messages of a complete history, where results follow their calls in the same order."""
    rest = iter(history)
    for message in rest:
        calls = message.get("tool_calls")
        if not calls:
            yield _wire(message)
            continue
        content = _text(message)
        for call in calls:
            yield {"role": "assistant", "content": content, "function_call": {**call["function"]}}
            yield _result(call["function"]["name"], next(rest))
            content = None


def _wire(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {key: value for key, value in message.items() if key in _SENT}
    return {**wire, "content": _text(message)}


def _result(name: str, result: Message) -> dict[str, Any]:
    return {"role": "function", "name": name, "content": _text(result) or ""}


def _text(message: Message) -> str | None:
    """The content as text; None stays."""
    content = message.get("content")
    return as_text(content) if isinstance(content, list) else content


def _function_call(tool_choice: ToolChoice | None) -> dict[str, Any]:
    """The key of the request, if the choice can be expressed."""
    if isinstance(tool_choice, dict):
        return {"function_call": {"name": tool_choice["function"]["name"]}}
    return {"function_call": tool_choice} if tool_choice in ("auto", "none") else {}


def _unenforced_choice(functions: Sequence[Any], tool_choice: ToolChoice | None) -> list[str]:
    if functions and tool_choice == "required":
        return ["The model cannot be made to call any function: it decides by itself."]
    return []


class FunctionsStream:
    """Reads one answer as it arrives. Its call gets an id."""

    def __init__(self) -> None:
        texts = AnswerTexts()
        self._text = DeltaTextReader(ThinkTagReader(texts), texts, foreign=("tool_calls",))
        self._call = NativeCalls()

    def feed(self, delta: WireMessage) -> list[TextDelta]:
        if function := delta.get("function_call"):
            self._call.feed([{"index": 0, "function": function}])
            return [*self._text.read(delta), *self._call.text.take()]
        return self._text.read(delta)

    def finish(self, finish_reason: str | None = None) -> tuple[list[TextDelta], Answer]:
        deltas = self._text.finish()
        merged = self._call.finish()
        origins = [replace(origin, path=FUNCTION_CALL) for origin in merged.origins]
        problems = [replace(problem, path=FUNCTION_CALL) for problem in merged.problems]
        return deltas, self._text.answer(
            merged.calls, problems, origins, finish_reason, merged.reissued, merged.notes
        )
