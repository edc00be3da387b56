"""A chat-completions request, and the answer that a behaviour gives to it.

The texts of an answer are iterators: a timed token is stamped when it is taken, which is when
it is sent. `wire.py` writes answers as JSON, whole or streamed.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from benchmarks.stub.grammar import Behaviour, Fault, Quirk
from benchmarks.stub.text import seeded_tokens, timed_tokens

ASKED_CALL = re.compile(r"call (\S+) (.+)")
# Faults that are finish reasons.
CUTS = {Fault.FILTER: "content_filter", Fault.LIMIT: "length"}


class BadRequest(ValueError):
    """The request is not one for a chat completion; the message says why."""


@dataclass(frozen=True)
class ChatRequest:
    """The parts of a request body that the answer depends on."""

    model: str
    stream: bool
    wants_usage: bool
    messages: list[dict[str, Any]]
    fingerprint: str
    size: int
    # Bytes of the prompt that a cache has; None if no cache was asked for.
    cached: int | None = None
    # Only one call a message, in the older form.
    one_function: bool = False
    has_tools: bool = True
    key: str = ""


@dataclass(frozen=True)
class Call:
    """A tool call as it stands on the wire; `id` None means that the field is absent."""

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True)
class Answer:
    """What the model says: texts by token, then calls. `usage` None: not reported."""

    reasoning: Iterator[str]
    content: Iterator[str]
    calls: list[Call]
    finish_reason: str
    usage: dict[str, int] | None
    cached: int | None = None
    one_function: bool = False


def read_request(body: bytes) -> ChatRequest:
    """Raises BadRequest."""
    try:
        asked = json.loads(body)
        options = asked.get("stream_options") or {}
        return ChatRequest(
            model=str(asked["model"]),
            stream=bool(asked.get("stream")),
            wants_usage=bool(options.get("include_usage")),
            messages=list(asked["messages"]),
            fingerprint=hashlib.sha256(body).hexdigest(),
            size=len(body),
            one_function="functions" in asked,
            has_tools=any(name.encode() in body for name in ('"tools"', '"functions"', "<tools>")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadRequest(f"Not a chat completion request: {error!r}") from error


def answer(behaviour: Behaviour, request: ChatRequest) -> Answer:
    """What a model with this behaviour answers to this request."""
    calls = _calls_now(behaviour, request)
    count = behaviour.preamble if calls else behaviour.tokens
    content = _tokens(behaviour, None if behaviour.fault is Fault.ENDLESS else count)
    reasoning = _tokens(behaviour, behaviour.reasoning)
    if behaviour.leaks:
        content = chain(_pieces(request.key, 3), content)
        reasoning = chain(_pieces(request.key, 3), reasoning)
    if behaviour.echo:
        content = _pieces(_turn_so_far(request.messages)[0], 32)
    cut = CUTS.get(behaviour.fault) if behaviour.fault else None
    if cut:
        calls, until = [], behaviour.fault_position
        reasoning = islice(reasoning, until)
        content = islice(content, max(0, until - behaviour.reasoning))
    if behaviour.reasoning_field == "think" and behaviour.reasoning:
        content, reasoning = chain(["<think>"], reasoning, ["</think>"], content), iter(())
    called = "function_call" if request.one_function else "tool_calls"
    finish = cut or (called if calls else "stop")
    if behaviour.nous and calls:
        content, calls, finish = chain(content, map(_as_text, calls)), [], "stop"
    if behaviour.quirk is Quirk.LENGTH and calls:
        finish = "length"
    tokens = count + behaviour.reasoning
    usage = _usage(behaviour, request, tokens)
    return Answer(reasoning, content, calls, finish, usage, request.cached, request.one_function)


def _tokens(behaviour: Behaviour, count: int | None) -> Iterator[str]:
    if behaviour.seed is None:
        return timed_tokens(count)
    return seeded_tokens(behaviour.seed, count)


def _pieces(text: str, length: int) -> Iterator[str]:
    """The text as tokens of so many characters."""
    return iter([text[at : at + length] for at in range(0, len(text), length)])


def _usage(behaviour: Behaviour, request: ChatRequest, tokens: int) -> dict[str, int] | None:
    wanted = request.wants_usage or not request.stream
    if (behaviour.usage is None and not wanted) or behaviour.usage is False:
        return None
    prompt = request.size // 4
    return {
        "prompt_tokens": prompt,
        "completion_tokens": tokens,
        "total_tokens": prompt + tokens,
    }


# --- tool calls


def _calls_now(behaviour: Behaviour, request: ChatRequest) -> list[Call]:
    """The calls of this round; none once the turn has had all its rounds of calls."""
    text, number = _turn_so_far(request.messages)
    wanted = _asked_calls(text) if behaviour.ask else _sums(behaviour)
    if behaviour.leaks:
        wanted = [[(name, json.dumps({"expr": request.key})) for name, _ in one] for one in wanted]
    if behaviour.ask and not request.has_tools:
        return []
    if number >= len(wanted):
        return []
    calls = [
        Call(f"call_{request.fingerprint[:12]}_{index}", name, arguments)
        for index, (name, arguments) in enumerate(wanted[number])
    ]
    return _odd(calls[:1] if request.one_function else calls, behaviour.quirk)


def _turn_so_far(messages: list[dict[str, Any]]) -> tuple[str, int]:
    """The text of the turn's user message, and how many rounds of calls came after it."""
    rounds = 0
    for message in reversed(messages):
        role, text = message.get("role"), _text(message.get("content"))
        if role == "user" and not text.startswith("<tool_response>"):
            return text, rounds
        called = message.get("tool_calls") or message.get("function_call")
        if role == "assistant" and (called or "<tool_call>" in text):
            rounds += 1
    return "", rounds


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _sums(behaviour: Behaviour) -> list[list[tuple[str, str]]]:
    return [
        [("calculate", json.dumps({"expr": f"{n} * 7 + {i}"})) for i in range(behaviour.calls)]
        for n in range(behaviour.rounds)
    ]


def _asked_calls(text: str) -> list[list[tuple[str, str]]]:
    rounds: list[list[tuple[str, str]]] = [[]]
    for line in text.splitlines():
        if line.strip() == "then":
            rounds.append([])
        elif match := ASKED_CALL.fullmatch(line.strip()):
            rounds[-1].append((match[1], match[2]))
    return [calls for calls in rounds if calls]


def _odd(calls: list[Call], quirk: Quirk | None) -> list[Call]:
    """The calls with the quirk that concerns their contents, if any."""
    match quirk:
        case Quirk.SAME_ID:
            return [Call("call_same", call.name, call.arguments) for call in calls]
        case Quirk.NO_ID:
            return [Call(None, call.name, call.arguments) for call in calls]
        case Quirk.UNKNOWN:
            return [Call(call.id, "no_such_tool", call.arguments) for call in calls]
        case Quirk.NO_NAME:
            return [Call(call.id, "", call.arguments) for call in calls]
        case Quirk.LENGTH:
            return [*calls[:-1], _with_arguments(calls[-1], quirk)]
        case _:
            return [_with_arguments(call, quirk) for call in calls]


def _with_arguments(call: Call, quirk: Quirk | None) -> Call:
    odd = {
        Quirk.CUT: call.arguments[: len(call.arguments) // 2],
        Quirk.LENGTH: call.arguments[: len(call.arguments) // 2],
        Quirk.TEXT: "six times seven",
        Quirk.LIST: '["6 * 7"]',
        Quirk.EMPTY: "",
    }
    return Call(call.id, call.name, odd.get(quirk, call.arguments) if quirk else call.arguments)


def _as_text(call: Call) -> str:
    return f'\n<tool_call>\n{{"name": "{call.name}", "arguments": {call.arguments}}}\n</tool_call>'
