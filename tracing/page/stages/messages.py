"""A message of a payload as the page shows it: role, text, reasoning, calls, results."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from db.fields import dump_json
from limits.trace_pages import MAX_MESSAGE_VIEW
from tracing.diff.text_diff import TextChange
from tracing.formatting.binaries import described, shorten_text
from tracing.formatting.text import Clip, clip, decode, visible

# Keys of a canonical message with text that Roundtrip added at the end of its content, and titles.
PRODUCT_KEYS = {
    "reminder": "Reminder, added by Roundtrip",
    "skills": "List of skills, added by Roundtrip",
}
_SHOWN_APART = {
    "role",
    "content",
    "reasoning_content",
    "refusal",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "name",
}


@dataclass(frozen=True)
class CallText:
    """A call as the message words it.

    `number` is that of its origin in the response, `taken` the id that the model had given it.
    """

    name: str
    arguments: Clip
    id: str = ""
    number: int = 0
    taken: str = ""


@dataclass(frozen=True)
class ResultText:
    """A result that is a block among others, of the call with the id `answers`."""

    answers: str
    content: Clip
    is_error: bool = False


@dataclass(frozen=True)
class AnnotatedText:
    """A piece of a message's text and its author. `is_dialect`: only the dialect wrote it.
    `product_text`: what Roundtrip added, in words; empty for anything else."""

    text: str
    is_dialect: bool
    product_text: str = ""


@dataclass(frozen=True)
class Revision:
    """What changed in one part of a message: its content, its reasoning, a call, …"""

    title: str
    changes: list[TextChange]


@dataclass(frozen=True)
class Link:
    """An entry of the other stage: its place in the list there."""

    position: int
    role: str


@dataclass(frozen=True)
class MessageView:
    """`change` against what is compared with: `added`, `removed`, `mutated`, `compacted`, `same`,
    or empty for no comparison. `was` is its size before, `stands_for` counts the messages that it
    took the place of, `at` is the byte of the payload where it begins, if it is known.

    `links` lead to what the other one of input and request has of it. `attached` says of each image
    and document what it is. `rest` is the JSON of all other keys. `annotated` is the content once
    more, cut where the dialect's own text begins and ends.
    """

    position: int
    role: str
    content: Clip
    reasoning: Clip = field(default_factory=lambda: Clip(""))
    calls: list[CallText] = field(default_factory=list)
    results: list[ResultText] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    answers: str = ""
    name: str = ""
    is_error: bool = False
    annotated: list[AnnotatedText] = field(default_factory=list)
    rest: str = ""
    rest_names: list[str] = field(default_factory=list)
    change: str = ""
    size: int = 0
    revisions: list[Revision] = field(default_factory=list)
    was: int = 0
    stands_for: int = 0
    at: int | None = None
    links: list[Link] = field(default_factory=list)

    @property
    def is_clipped(self) -> bool:
        texts = [self.content, self.reasoning]
        texts += [call.arguments for call in self.calls]
        texts += [result.content for result in self.results]
        return any(text.hidden for text in texts)

    @property
    def is_empty(self) -> bool:
        texts = (self.content.text, self.reasoning.text, self.rest)
        return not any((*texts, self.calls, self.results, self.attached))


def read_message_view(element: bytes, position: int, change: str, role: str = "") -> MessageView:
    """The entry for one element of a list; what is no message is shown as its JSON text.

    `role` is for elements that have none, as the blocks of Anthropic's `system`.
    """
    try:
        message = json.loads(element)
        if isinstance(message, dict):
            block = {"role": role, "content": [message]}
            return message_view(block if role else message, position, change, len(element))
    except (ValueError, RecursionError):
        pass
    text = decode(element, MAX_MESSAGE_VIEW)
    return MessageView(position, role, text, change=change, size=len(element))


def sections(element: bytes) -> dict[str, str]:
    """All texts of a message, whole, by what they are."""
    try:
        message = json.loads(element)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        return {"": element.decode(errors="replace")}
    blocks = _Blocks(message.get("content") if "content" in message else [message])
    reasoning = [_text(message.get("reasoning_content")), *blocks.reasoning]
    texts = {
        "": "\n".join([*blocks.texts, _text(message.get("refusal"))]).strip("\n"),
        "reasoning": "\n\n".join(filter(None, reasoning)),
        "attached": "\n".join(blocks.attached),
    }
    for number, call in enumerate([*_calls(message), *blocks.calls], 1):
        texts[f"call {number}"] = f"{call.name} {call.arguments.text}"
    for number, result in enumerate(blocks.results, 1):
        texts[f"result {number}"] = result.content.text
    apart = _SHOWN_APART | PRODUCT_KEYS.keys()
    rest = {key: value for key, value in message.items() if key not in apart}
    texts["other keys"] = dump_json(rest) if rest and "content" in message else ""
    return {name: text for name, text in texts.items() if text}


def shorter(entry: MessageView, most: int) -> MessageView:
    """The entry with at most so many characters of each of its texts."""
    return replace(
        entry,
        content=_shorter(entry.content, most),
        reasoning=_shorter(entry.reasoning, most),
        calls=[replace(call, arguments=_shorter(call.arguments, most)) for call in entry.calls],
        results=[replace(one, content=_shorter(one.content, most)) for one in entry.results],
        annotated=entry.annotated if len(entry.content.text) <= most else [],
    )


def _shorter(text: Clip, most: int) -> Clip:
    return Clip(text.text[:most], text.hidden + max(0, len(text.text) - most))


def message_view(message: dict[str, Any], position: int, change: str, size: int) -> MessageView:
    rest = {key: value for key, value in message.items() if key not in _SHOWN_APART}
    is_error = rest.pop("is_error", None) is True
    own = {key: rest.pop(key, None) for key in PRODUCT_KEYS}
    blocks = _Blocks(message.get("content"))
    reasoning = [_text(message.get("reasoning_content")), *blocks.reasoning]
    texts = ["\n".join(blocks.texts), _text(message.get("refusal"))]
    content = _clip("\n\n".join(filter(None, texts)))
    return MessageView(
        position=position,
        role=_short(message.get("role")),
        content=content,
        reasoning=_clip("\n\n".join(filter(None, reasoning))),
        calls=[*_calls(message), *blocks.calls],
        results=blocks.results,
        attached=blocks.attached,
        answers=_short(message.get("tool_call_id")),
        name=_short(message.get("name")),
        is_error=is_error,
        annotated=product_pieces(content.text, own),
        rest=_clip(dump_json(rest)).text if rest else "",
        rest_names=[visible(name[:40]) for name in list(rest)[:10]],
        change=change,
        size=size,
    )


def product_pieces(text: str, own: Mapping[str, Any]) -> list[AnnotatedText]:
    """The text in two pieces if it ends with one of the product's own texts, `own`; else empty."""
    for key, title in PRODUCT_KEYS.items():
        added = own.get(key)
        if isinstance(added, str) and added and text.endswith(added):
            before = text[: -len(added)]
            pieces = [AnnotatedText(before, False)] if before else []
            return [*pieces, AnnotatedText(added, False, title)]
    return []


class _Blocks:
    """What a content says: a text, or parts of it, each of its kind."""

    def __init__(self, content: Any) -> None:
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[CallText] = []
        self.results: list[ResultText] = []
        self.attached: list[str] = []
        if isinstance(content, list) and content:
            for part in content:
                self._read(part if isinstance(part, dict) else {"": part})
        else:
            self.texts.append(_text(content))

    def _read(self, part: dict[str, Any]) -> None:
        kind = part.get("type")
        if isinstance(part.get("text"), str):
            self.texts.append(part["text"])
        elif kind in ("thinking", "redacted_thinking"):
            self.reasoning.append(_text(part.get("thinking")) or "[redacted by the provider]")
        elif kind == "tool_use":
            arguments = _clip(_text(part.get("input")))
            self.calls.append(
                CallText(_short(part.get("name")) or "?", arguments, _short(part.get("id")))
            )
        elif kind == "tool_result":
            self._add_result(part)
        elif placeholder := described(part):
            self.attached.append(visible(placeholder))
        else:
            self.texts.append(dump_json(part.get("", part)))

    def _add_result(self, part: dict[str, Any]) -> None:
        inner = _Blocks(part.get("content"))
        text = _clip("\n".join([*inner.texts, *inner.attached]))
        is_error = part.get("is_error") is True
        self.results.append(ResultText(_short(part.get("tool_use_id")), text, is_error))


def _calls(message: dict[str, Any]) -> list[CallText]:
    """OpenAI's `tool_calls`, and the one `function_call` before them."""
    calls = message.get("tool_calls")
    texts = [read_call(call) for call in calls] if isinstance(calls, list) else []
    called = message.get("function_call")
    return [*texts, read_call({"function": called})] if isinstance(called, dict) else texts


def tool_name(element: bytes) -> str:
    """The name in a tool definition, with or without the wrapper."""
    try:
        tool = json.loads(element)
        named = tool.get("function", tool)
        return _short(named.get("name")) or "?"
    except (ValueError, RecursionError, AttributeError):
        return "?"


def read_call(call: Any) -> CallText:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return CallText("?", _clip(_text(call)))
    arguments = _clip(_text(function.get("arguments")))
    return CallText(_short(function.get("name")) or "?", arguments, _short(call.get("id")))


def _text(value: Any) -> str:
    """Text, or JSON for anything else."""
    if value is None:
        return ""
    return value if isinstance(value, str) else dump_json(value)


def _clip(text: str) -> Clip:
    return clip(shorten_text(text), MAX_MESSAGE_VIEW)


def _short(value: Any) -> str:
    return visible(_text(value)[:200])
