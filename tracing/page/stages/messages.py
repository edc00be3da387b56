"""The view of a message: role, text, reasoning, calls, results."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from db.fields import dump_json
from languages.later import later
from limits.trace_pages import MAX_MESSAGE_VIEW
from tracing.diff.text_diff import TextChange
from tracing.formatting.binaries import described, shorten_text
from tracing.formatting.text import Clip, clip, decode, visible

# Keys of a canonical message with text that Roundtrip added at the end of its content; titles.
PRODUCT_KEYS = {
    "reminder": later("Reminder, added by Roundtrip"),
    "skills": later("List of skills, added by Roundtrip"),
    "custom_instructions": later("Custom instructions of the person, added by Roundtrip"),
    "project": later("Instructions and files of the project, added by Roundtrip"),
    "instructions": later("Instructions of the conversation, added by Roundtrip"),
    "memory": later("Facts about the person, added by Roundtrip"),
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
    """A call in a message.

    `number` is that of its origin in the response; `original_id` the id that the model gave, if it
    was replaced.
    """

    name: str
    arguments: Clip
    id: str = ""
    number: int = 0
    original_id: str = ""


@dataclass(frozen=True)
class ResultText:
    """A result as a content block, for the call with the id `answers`."""

    answers: str
    content: Clip
    is_error: bool = False


@dataclass(frozen=True)
class AnnotatedText:
    """A slice of a message's text and its author. `is_dialect`: the dialect added it.
    `product_text`: title of what Roundtrip added; empty for other text."""

    text: str
    is_dialect: bool
    product_text: str = ""


@dataclass(frozen=True)
class Revision:
    """Changes in a part of a message: content, reasoning, a call, …"""

    title: str
    changes: list[TextChange]


@dataclass(frozen=True)
class Link:
    """A link to a message of the other stage, by its position there."""

    position: int
    role: str


@dataclass(frozen=True)
class MessageView:
    """A message. `change` since the baseline: `added`, `removed`, `mutated`, `compacted`, `same`,
    or empty without a baseline. `was`: its previous size. `stands_for`: number of messages that it
    replaces. `at`: its first byte in the payload, if known.

    `links` are to the messages of the input or request that correspond to it. `attached` describes
    each image and document. `rest` is the JSON of all other keys. `annotated` is the content cut at
    the text that the dialect or Roundtrip added.
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
    """The view of an element of a list; one that is no message is shown as JSON text.

    `role` is for elements without one, such as the blocks of Anthropic's `system`.
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
    """The complete texts of a message by part."""
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


def shorter(entry: MessageView, max_length: int) -> MessageView:
    """The message with each text cut to `max_length` characters."""
    return replace(
        entry,
        content=_shorter(entry.content, max_length),
        reasoning=_shorter(entry.reasoning, max_length),
        calls=[
            replace(call, arguments=_shorter(call.arguments, max_length)) for call in entry.calls
        ],
        results=[replace(one, content=_shorter(one.content, max_length)) for one in entry.results],
        annotated=entry.annotated if len(entry.content.text) <= max_length else [],
    )


def _shorter(text: Clip, max_length: int) -> Clip:
    return Clip(text.text[:max_length], text.hidden + max(0, len(text.text) - max_length))


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
    """The text in slices if it ends with some of the texts `own` that Roundtrip added, with blank
    lines between them; else empty."""
    left = {key: added for key, added in own.items() if isinstance(added, str) and added.strip()}
    pieces: list[AnnotatedText] = []
    while key := next((key for key, added in left.items() if text.endswith(added)), ""):
        added = left.pop(key)
        bare = text.removesuffix(added)
        text = bare.rstrip("\n")
        gap = [AnnotatedText(bare[len(text) :], False)] if text != bare and left else []
        text = text if gap else bare
        pieces = [*gap, AnnotatedText(added, False, PRODUCT_KEYS[key]), *pieces]
    return [*([AnnotatedText(text, False)] if text and pieces else []), *pieces]


class _Blocks:
    """The content of a message, a text or a list of blocks, by kind of block."""

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
    """OpenAI's `tool_calls`, and its older `function_call`."""
    calls = message.get("tool_calls")
    texts = [read_call(call) for call in calls] if isinstance(calls, list) else []
    function_call = message.get("function_call")
    return (
        [*texts, read_call({"function": function_call})]
        if isinstance(function_call, dict)
        else texts
    )


def tool_name(element: bytes) -> str:
    """The name in a tool definition, with or without the `function` wrapper."""
    try:
        tool = json.loads(element)
        definition = tool.get("function", tool)
        return _short(definition.get("name")) or "?"
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
