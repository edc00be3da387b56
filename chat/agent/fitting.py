"""Cutting messages until a request fits the context window, as pure functions.

The stored messages never change. A text that is cut keeps its beginning and its end, and a note
between them says how long it was. These levels are applied until the request fits:

    texts but the latest question's ─► that one too ─► older attachments ─► older messages ─► all

Calls stay with their messages, and results with their calls.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.compaction import PathMessage
from chat.llm.json_text import parse_json
from chat.llm.messages import ContentPart, Message, ToolCall, text_of
from db.fields import dump_json

# Lower bound of the characters of a text that is cut.
MIN_TEXT = 200
# Share of the room that the latest question has, before more than texts is left out.
_QUESTION_SHARE = 0.5
NOTE = "\n\n[… {:,} characters in all; the middle was cut to fit the model …]\n\n"
OMITTED = "[{:,} earlier messages were left out: the model's context window has no room for them.]"
NO_ROOM = "[The {} {} was left out: the model's context window has no room for it.]"

Size = Callable[[Sequence[PathMessage]], int]


@dataclass(frozen=True)
class Fitted:
    """The messages that are sent; `omitted` counts the older ones that are not. `fits` is False if
    they are too long even with all cuts."""

    messages: list[PathMessage]
    omitted: int = 0
    fits: bool = True


@dataclass(frozen=True)
class Cut:
    """A message that is sent in part: the key of its row, `what` it is for people, and its
    characters, all and those that are sent."""

    pk: int
    what: str
    characters: int
    sent: int


@dataclass(frozen=True)
class _Level:
    """What is cut at a level; each cuts more than the one before."""

    cuts_question: bool = False
    leaves_out_attachments: bool = False
    omits_older: bool = False
    spares_nothing: bool = False


_LEVELS = (
    _Level(),
    _Level(cuts_question=True),
    _Level(cuts_question=True, leaves_out_attachments=True),
    _Level(cuts_question=True, leaves_out_attachments=True, omits_older=True),
    _Level(True, True, True, spares_nothing=True),
)


def cut_text(text: str, length: int) -> str:
    """The beginning and the end of a text, `length` characters of it, with a note between them."""
    if len(text) <= length:
        return text
    note = NOTE.format(len(text))
    return text[: length * 3 // 4] + note + text[len(text) - length // 4 :]


def cut_content(body: Message, length: int) -> Message:
    """The message with its text cut; its other parts stay."""
    content = body.get("content")
    if not content or len(text_of(content)) <= length:
        return body
    result = body.copy()
    if isinstance(content, str):
        result["content"] = cut_text(content, length)
    else:
        others: list[ContentPart] = [part for part in content if part.get("type") != "text"]
        result["content"] = [{"type": "text", "text": cut_text(text_of(content), length)}, *others]
    return result


def fitted(messages: Sequence[PathMessage], room: int, size: Size) -> Fitted:
    """The messages, cut as little as possible, so that their `size` in tokens is at most `room`."""
    for level in _LEVELS:
        shortest = _cut_at(messages, level, MIN_TEXT, room, size)
        if size(shortest.messages) <= room:
            return _longest_fitting(messages, level, room, size)
    return replace(shortest, fits=False)


def cuts(before: Sequence[PathMessage], after: Sequence[PathMessage]) -> list[Cut]:
    """The messages that are sent in part."""
    sent = {message.pk: message.body for message in after}
    names = _names(before)
    return [
        Cut(
            message.pk,
            _description(message.body, names),
            _length(message.body),
            _length(sent[message.pk]),
        )
        for message in before
        if message.pk and message.pk in sent and sent[message.pk] != message.body
    ]


def _longest_fitting(
    messages: Sequence[PathMessage], level: _Level, room: int, size: Size
) -> Fitted:
    """The level with texts as long as fit, by bisection."""
    low, high = MIN_TEXT, max((_longest(message.body) for message in messages), default=MIN_TEXT)
    best = _cut_at(messages, level, low, room, size)
    while high - low > max(low // 50, 20):
        middle = (low + high) // 2
        candidate = _cut_at(messages, level, middle, room, size)
        if size(candidate.messages) <= room:
            low, best = middle, candidate
        else:
            high = middle
    return best


def _cut_at(
    messages: Sequence[PathMessage], level: _Level, length: int, room: int, size: Size
) -> Fitted:
    """All cuts of the level, with texts of at most `length` characters."""
    question = _latest_question(messages)
    path, omitted = _without_older(messages, question) if level.omits_older else (messages, 0)
    result: list[PathMessage] = []
    for message in path:
        is_question = question is not None and message.pk == messages[question].pk
        body = message.body
        if body["role"] == "system" or (is_question and not level.cuts_question):
            result.append(message)
            continue
        if level.leaves_out_attachments and (not is_question or level.spares_nothing):
            body = _without_attachments(body)
        max_length = length
        if is_question and not level.spares_nothing:
            max_length = max(length, _characters(message, round(_QUESTION_SHARE * room), size))
        result.append(PathMessage(message.pk, _cut_message(body, max_length)))
    return Fitted(result, omitted)


def _characters(message: PathMessage, tokens: int, size: Size) -> int:
    """Estimated characters of this message's text that have so many tokens."""
    length = len(text_of(message.body.get("content")))
    total = size([message]) - size([])
    return length if total <= tokens else length * tokens // total


def _cut_message(body: Message, length: int) -> Message:
    result = cut_content(body, length)
    reasoning = body.get("reasoning_content", "")
    if len(reasoning) > length:
        result = {**result, "reasoning_content": cut_text(reasoning, length)}
    calls = body.get("tool_calls") or []
    if any(len(call["function"]["arguments"]) > length for call in calls):
        result = {**result, "tool_calls": [_cut_call(call, length) for call in calls]}
    return result


def _cut_call(call: ToolCall, length: int) -> ToolCall:
    """The call with the texts in its arguments cut, which stay JSON."""
    text = call["function"]["arguments"]
    if len(text) <= length:
        return call
    try:
        arguments = _cut_value(parse_json(text), length)
    except (ValueError, RecursionError):
        arguments = {"cut": cut_text(text, length)}
    function = {**call["function"], "arguments": dump_json(arguments)}
    return {**call, "function": function}  # type: ignore[typeddict-item]


def _cut_value(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return cut_text(value, length)
    if isinstance(value, dict):
        return {name: _cut_value(member, length) for name, member in value.items()}
    if isinstance(value, list):
        text = json.dumps(value)
        return value if len(text) <= length else [cut_text(text, length)]
    return value


def _without_attachments(body: Message) -> Message:
    content = body.get("content")
    if not isinstance(content, list) or all(part.get("type") == "text" for part in content):
        return body
    return {**body, "content": list(map(_part_without_attachment, content))}


def _part_without_attachment(part: ContentPart) -> ContentPart:
    if part.get("type") == "text":
        return part
    attachment = part.get("attachment") or {}
    kind = "image" if part.get("type") == "image_url" else "file"
    text = NO_ROOM.format(kind, attachment.get("name") or "without a name")
    return {"type": "text", "text": f"\n\n{text}"}


def _without_older(
    messages: Sequence[PathMessage], question: int | None
) -> tuple[list[PathMessage], int]:
    """The system prompt, the latest question, and the latest answer with its results; a note in
    place of the others, and how many they are."""
    system = [message for message in messages[:1] if message.body["role"] == "system"]
    questions = [] if question is None else [messages[question]]
    after = _latest_step(messages, -1 if question is None else question)
    path = [*system, *questions, *messages[after:]]
    omitted = len(messages) - len(path)
    if not omitted:
        return path, 0
    note: Message = {"role": "user", "content": OMITTED.format(omitted)}
    return [*system, PathMessage(0, note), *questions, *messages[after:]], omitted


def _latest_step(messages: Sequence[PathMessage], question: int) -> int:
    """The index of the last message after the question that is not a result; the end if there is
    none."""
    indexes = range(question + 1, len(messages))
    steps = [index for index in indexes if messages[index].body["role"] != "tool"]
    return steps[-1] if steps else len(messages)


def _latest_question(messages: Sequence[PathMessage]) -> int | None:
    indexes = [index for index, message in enumerate(messages) if message.body["role"] == "user"]
    return indexes[-1] if indexes else None


def _texts(body: Message) -> Iterator[str]:
    yield text_of(body.get("content"))
    yield body.get("reasoning_content", "")
    for call in body.get("tool_calls") or ():
        yield call["function"]["arguments"]


def _longest(body: Message) -> int:
    return max(map(len, _texts(body)))


def _length(body: Message) -> int:
    return sum(map(len, _texts(body)))


def _names(messages: Sequence[PathMessage]) -> dict[str, str]:
    calls = (call for message in messages for call in message.body.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in calls}


def _description(body: Message, names: dict[str, str]) -> str:
    if body["role"] == "tool":
        return names.get(body.get("tool_call_id", ""), "a tool")
    return {"user": "a message", "assistant": "an answer"}.get(body["role"], body["role"])
