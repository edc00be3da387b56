"""A request as the trace shows it, and what it goes on with."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from api.gateway.reading import anthropic, chat, responses
from api.gateway.reading.values import Object, object_of, text
from chat.llm.messages import Message, ToolDefinition, text_of

Protocol = Literal["chat", "anthropic", "responses", ""]

_PROTOCOLS: dict[str, Protocol] = {
    "chat/completions": "chat",
    "messages": "anthropic",
    "responses": "responses",
}
_READERS = {"chat": chat, "anthropic": anthropic, "responses": responses}
# What clients change in messages that they send again.
_IGNORED = frozenset({"cache_control", "reasoning_content", "reasoning", "is_error"})


@dataclass(frozen=True)
class Given:
    """`protocol` is "" where the body has no messages that can be read. `before`: the digest of the
    messages before the answer whose tool results come back, "" if none do; `previous`: the id of
    the response that the request goes on with."""

    protocol: Protocol = ""
    model: str = ""
    messages: list[Message] = field(default_factory=list)
    tools: list[ToolDefinition] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    before: str = ""
    previous: str = ""
    # The answer with the calls, and the results that came back for them.
    answer: Message | None = None
    results: list[Message] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The beginning of the last question."""
        for message in reversed(self.messages):
            if message["role"] == "user":
                return " ".join(text_of(message.get("content"))[:400].split())
        return ""

    def described(self) -> dict[str, Any]:
        """The stage `input`."""
        return {"messages": self.messages, "tools": self.tools, "parameters": self.parameters}


def read_request(target: str, body: bytes) -> Given:
    """`target`: the path below the provider's base URL."""
    value = object_of(body)
    if value is None:
        return Given()
    protocol = _PROTOCOLS.get(target.rstrip("/"), "")
    if not protocol:
        return Given(model=text(value.get("model")))
    return _read(protocol, value)


def _read(protocol: Protocol, value: Object) -> Given:
    reader = _READERS[protocol]
    messages = reader.messages_of(value)
    place = _answer_before_results(messages)
    previous = text(value.get("previous_response_id"))
    following = messages if place is None else messages[place + 1 :]
    return Given(
        protocol=protocol,
        model=text(value.get("model")),
        messages=messages,
        tools=reader.tools_of(value),
        parameters=reader.parameters_of(value),
        digest=digest_of(messages),
        before=digest_of(messages[:place]) if place is not None else "",
        previous=previous,
        answer=messages[place] if place is not None else None,
        results=[one for one in following if one["role"] == "tool"]
        if place is not None or previous
        else [],
    )


def digest_of(messages: Sequence[Message]) -> str:
    """Of what the messages say, apart from instructions and from what clients change when they
    send a message again; "" if nothing is left."""
    said = [message for message in messages if message["role"] not in ("system", "developer")]
    if not said:
        return ""
    running = sha256()
    for message in said:
        running.update(json.dumps(_plain(message), sort_keys=True).encode())
    return running.hexdigest()


def _answer_before_results(messages: Sequence[Message]) -> int | None:
    """The place of the last answer, if it called tools and their results follow it."""
    for place in range(len(messages) - 1, -1, -1):
        if messages[place]["role"] == "assistant":
            results = any(one["role"] == "tool" for one in messages[place + 1 :])
            return place if results and messages[place].get("tool_calls") else None
    return None


def _plain(value: Any) -> Any:
    """A message in the form in which it is compared."""
    if isinstance(value, dict):
        return {
            key: _plain(one)
            for key, one in value.items()
            if key not in _IGNORED and one is not None and one != []
        }
    if isinstance(value, list):
        texts = list(_texts(value))
        return "".join(texts) if len(texts) == len(value) else [_plain(one) for one in value]
    return value


def _texts(parts: Iterable[Any]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "text" and "text" in part:
            yield text(part["text"])
