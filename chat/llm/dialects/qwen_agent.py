"""Histories of Qwen-Agent: a message holds one call at most, results have the role `function`.

An answer is a list of messages: its reasoning, its text and each call may be a message of their
own. Calls and results have no ids, or, under `extra`, ids that restart with every answer; they are
matched by their order.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any
from uuid import uuid4

from chat.llm.dialects import qwen_agent_parts, request_notes
from chat.llm.dialects.answer_texts import AnswerTexts
from chat.llm.dialects.contract import Answer, WireMessage, WireRequest
from chat.llm.dialects.delta_texts import DeltaTextReader
from chat.llm.dialects.native_calls import NativeCalls
from chat.llm.dialects.think_tags import ThinkTagReader
from chat.llm.errors import MalformedConversation
from chat.llm.history import in_call_order
from chat.llm.messages import Message, ToolCall, ToolChoice, ToolDefinition, text_of


class QwenAgent:
    name = "qwen-agent"

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice | None = None,
    ) -> WireRequest:
        """`{"messages", "tools"?}`, the results of a round in the order of its calls."""
        body: dict[str, Any] = {"messages": list(_exported(in_call_order(messages)))}
        if tools and tool_choice != "none":
            body["tools"] = list(tools)
        return WireRequest(
            body,
            [
                *qwen_agent_parts.omitted_parts(messages),
                *request_notes.unenforced_choice(tool_choice),
            ],
        )

    def answer(self, wire_messages: Sequence[WireMessage]) -> Answer:
        """The answer that these messages are; their texts are joined with newlines."""
        texts = AnswerTexts()
        text = DeltaTextReader(ThinkTagReader(texts), texts, foreign=("tool_calls",))
        calls = NativeCalls()
        last_text = ""
        for place, message in enumerate(wire_messages):
            content = qwen_agent_parts.canonical(message.get("content"))
            more = _text(content)
            if more and last_text and not last_text.endswith("\n"):
                text.read({"content": "\n"})
            last_text = more or last_text
            text.read(
                {
                    **message,
                    "content": content,
                    "reasoning_content": _text(message.get("reasoning_content")),
                }
            )
            calls.feed(_entries(place, message))
        text.finish()
        merged = calls.finish()
        return text.answer(merged.calls, merged.problems, (), None, merged.reissued, merged.notes)


def read_history(wire_messages: Iterable[WireMessage]) -> tuple[list[Message], list[str]]:
    """A whole history in canonical form, each call with a unique id; and sentences about problems.

    Raises MalformedConversation where a role is unknown.
    """
    history: list[Message] = []
    errors: list[str] = []
    unanswered: list[_OpenCall] = []
    for role, run in groupby(wire_messages, key=_role):
        if role == "assistant":
            answer = QwenAgent().answer(list(run))
            unanswered = _renamed(answer)
            history.append(answer.message)
            errors += answer.errors
        elif role == "function":
            history += [_canonical_result(message, unanswered) for message in run]
        else:
            history += [_plain(role, message) for message in run]
    return history, errors


def is_answer(wire_messages: Iterable[WireMessage]) -> bool:
    """Whether they are the messages of one answer, and not a history."""
    return all(message.get("role", "assistant") == "assistant" for message in wire_messages)


# Export


def _exported(history: Iterable[Message]) -> Iterator[dict[str, Any]]:
    called: dict[str, deque[str]] = {}  # names by id: some servers give all calls the same one
    for message in history:
        if message["role"] == "tool":
            names = called.get(message.get("tool_call_id", ""))
            yield _result(message, names.popleft() if names else None)
        elif message["role"] == "assistant":
            calls = message.get("tool_calls", [])
            called |= {call["id"]: deque() for call in calls}
            for call in calls:
                called[call["id"]].append(call["function"]["name"])
            yield from _assistant_messages(message, calls)
        else:
            content = qwen_agent_parts.exported(message.get("content"))
            yield {"role": message["role"], "content": content}


def _assistant_messages(message: Message, calls: Sequence[ToolCall]) -> Iterator[dict[str, Any]]:
    """A message for the text, if any, and one for each call; the first has the reasoning."""
    content = qwen_agent_parts.exported(message.get("content"))
    reasoning = message.get("reasoning_content")
    messages: list[dict[str, Any]] = [{"content": content}] if content or not calls else []
    messages += [{"content": "", "function_call": {**call["function"]}} for call in calls]
    if reasoning:
        messages[0]["reasoning_content"] = reasoning
    return ({"role": "assistant", **one} for one in messages)


def _result(result: Message, name: str | None) -> dict[str, Any]:
    name = name or result.get("name")
    content = qwen_agent_parts.exported(result.get("content"))
    return {"role": "function", **({"name": name} if name else {}), "content": content}


# Import


class _OpenCall:
    """A call that has no result yet."""

    def __init__(self, call: ToolCall) -> None:
        self.original_id = call["id"]
        self.name = call["function"]["name"]
        self.call_id = f"call_{uuid4().hex}"


def _renamed(answer: Answer) -> list[_OpenCall]:
    """Gives the calls of an answer unique ids."""
    renamed = [_OpenCall(call) for call in answer.tool_calls]
    for call, one in zip(answer.tool_calls, renamed, strict=True):
        call["id"] = one.call_id
    return renamed


def _canonical_result(message: WireMessage, unanswered: list[_OpenCall]) -> Message:
    """The result, for the first call without one: of its id, else of its name, else of any."""
    original_id, name = _original_id(message), message.get("name")
    result: Message = {"role": "tool", "tool_call_id": "", "content": _content(message)}
    if unanswered:
        call = min(unanswered, key=lambda one: (one.original_id != original_id, one.name != name))
        unanswered.remove(call)
        result["tool_call_id"] = call.call_id
    return result


def _plain(role: str, message: WireMessage) -> Message:
    return {"role": "system" if role == "system" else "user", "content": _content(message)}


def _content(message: WireMessage) -> Any:
    content = qwen_agent_parts.canonical(message.get("content"))
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return text_of(content) if all("text" in part for part in content) else content
    return ""


def _text(content: object) -> str:
    """The text of a content, or of reasoning, which may come in items."""
    if isinstance(content, list):
        return text_of([item for item in content if isinstance(item, dict)])
    return content if isinstance(content, str) else ""


def _entries(place: int, message: WireMessage) -> list[dict[str, Any]]:
    """The call of a message as an entry of `tool_calls`."""
    if not message.get("function_call"):
        return []
    return [{"index": place, "id": _original_id(message), "function": message["function_call"]}]


def _original_id(message: WireMessage) -> str | None:
    extra = message.get("extra")
    call_id = extra.get("function_id") if isinstance(extra, dict) else None
    return call_id if isinstance(call_id, str) else None


def _role(message: WireMessage) -> str:
    role = message.get("role")
    if role not in ("system", "user", "assistant", "function"):
        raise MalformedConversation(f"The role {role!r} is none of Qwen-Agent's.")
    return str(role)
