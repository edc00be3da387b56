"""Cutting what is sent, so that a request has room in the context window, as pure functions.

What is stored never changes. A text that is cut keeps its beginning and its end, and says in its
middle how long it was. As much as is needed is done, in this order:

    texts but the latest question's ─► that one too ─► older attachments ─► older messages ─► all

A message keeps its calls, and a call its result.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.agent.compaction import Kept
from chat.llm.json_text import parse_json
from chat.llm.messages import ContentPart, Message, ToolCall, text_of
from db.fields import dump_json

# Characters that a text keeps at least.
LEAST_TEXT = 200
# What the latest question may fill of the room before anything else is left out for it.
_SHARE_OF_THE_QUESTION = 0.5
NOTE = "\n\n[… {:,} characters in all; the middle was cut to fit the model …]\n\n"
OMITTED = "[{:,} earlier messages were left out: the model's context window has no room for them.]"
NO_ROOM = "[The {} {} was left out: the model's context window has no room for it.]"

Size = Callable[[Sequence[Kept]], int]


@dataclass(frozen=True)
class Fitted:
    """The messages, and how many older ones are not among them. `fits` is False if even all cuts
    leave more than there is room for."""

    messages: list[Kept]
    omitted: int = 0
    fits: bool = True


@dataclass(frozen=True)
class Cut:
    """A message that is not sent whole: its row, whose it is, its characters, those that are
    sent."""

    pk: int
    what: str
    characters: int
    sent: int


@dataclass(frozen=True)
class _Level:
    """What may be done; each level does more than the one before."""

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


def cut_text(text: str, most: int) -> str:
    """The beginning and the end of a text, `most` characters of it, with a note between them."""
    if len(text) <= most:
        return text
    note = NOTE.format(len(text))
    return text[: most * 3 // 4] + note + text[len(text) - most // 4 :]


def cut_content(body: Message, most: int) -> Message:
    """The message with its text cut; its other parts stay."""
    content = body.get("content")
    if not content or len(text_of(content)) <= most:
        return body
    cut = body.copy()
    if isinstance(content, str):
        cut["content"] = cut_text(content, most)
    else:
        rest: list[ContentPart] = [part for part in content if part.get("type") != "text"]
        cut["content"] = [{"type": "text", "text": cut_text(text_of(content), most)}, *rest]
    return cut


def fitted(messages: Sequence[Kept], room: int, size: Size) -> Fitted:
    """The messages cut so that `size` of them (in tokens) is at most `room`, and no more than
    that."""
    for level in _LEVELS:
        floor = _at(messages, level, LEAST_TEXT, room, size)
        if size(floor.messages) <= room:
            return _widest(messages, level, room, size)
    return replace(floor, fits=False)


def cuts(before: Sequence[Kept], after: Sequence[Kept]) -> list[Cut]:
    """Which messages are not sent as they were."""
    sent = {kept.pk: kept.body for kept in after}
    names = _names(before)
    return [
        Cut(kept.pk, _whose(kept.body, names), _length(kept.body), _length(sent[kept.pk]))
        for kept in before
        if kept.pk and kept.pk in sent and sent[kept.pk] != kept.body
    ]


def _widest(messages: Sequence[Kept], level: _Level, room: int, size: Size) -> Fitted:
    """With texts as long as they may be, by halving."""
    least, most = LEAST_TEXT, max((_longest(kept.body) for kept in messages), default=LEAST_TEXT)
    best = _at(messages, level, least, room, size)
    while most - least > max(least // 50, 20):
        middle = (least + most) // 2
        tried = _at(messages, level, middle, room, size)
        if size(tried.messages) <= room:
            least, best = middle, tried
        else:
            most = middle
    return best


def _at(messages: Sequence[Kept], level: _Level, most: int, room: int, size: Size) -> Fitted:
    """Everything that the level does, with texts of at most so many characters."""
    question = _latest_question(messages)
    kept, omitted = _without_older(messages, question) if level.omits_older else (messages, 0)
    done: list[Kept] = []
    for one in kept:
        is_question = question is not None and one.pk == messages[question].pk
        body = one.body
        if body["role"] == "system" or (is_question and not level.cuts_question):
            done.append(one)
            continue
        if level.leaves_out_attachments and (not is_question or level.spares_nothing):
            body = _without_attachments(body)
        longest = most
        if is_question and not level.spares_nothing:
            longest = max(most, _characters(one, round(_SHARE_OF_THE_QUESTION * room), size))
        done.append(Kept(one.pk, _cut(body, longest)))
    return Fitted(done, omitted)


def _characters(one: Kept, tokens: int, size: Size) -> int:
    """About how many characters of this message's text have so many tokens."""
    length, whole = len(text_of(one.body.get("content"))), size([one]) - size([])
    return length if whole <= tokens else length * tokens // whole


def _cut(body: Message, most: int) -> Message:
    cut = cut_content(body, most)
    reasoning = body.get("reasoning_content", "")
    if len(reasoning) > most:
        cut = {**cut, "reasoning_content": cut_text(reasoning, most)}
    calls = body.get("tool_calls") or []
    if any(len(call["function"]["arguments"]) > most for call in calls):
        cut = {**cut, "tool_calls": [_cut_call(call, most) for call in calls]}
    return cut


def _cut_call(call: ToolCall, most: int) -> ToolCall:
    """The call with the texts among its arguments cut: it stays JSON."""
    text = call["function"]["arguments"]
    if len(text) <= most:
        return call
    try:
        arguments = _cut_value(parse_json(text), most)
    except (ValueError, RecursionError):
        arguments = {"cut": cut_text(text, most)}
    function = {**call["function"], "arguments": dump_json(arguments)}
    return {**call, "function": function}  # type: ignore[typeddict-item]


def _cut_value(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return cut_text(value, most)
    if isinstance(value, dict):
        return {name: _cut_value(one, most) for name, one in value.items()}
    if isinstance(value, list):
        written = json.dumps(value)
        return value if len(written) <= most else [cut_text(written, most)]
    return value


def _without_attachments(body: Message) -> Message:
    content = body.get("content")
    if not isinstance(content, list) or all(part.get("type") == "text" for part in content):
        return body
    return {**body, "content": list(map(_named, content))}


def _named(part: ContentPart) -> ContentPart:
    if part.get("type") == "text":
        return part
    about = part.get("attachment") or {}
    kind = "image" if part.get("type") == "image_url" else "file"
    text = NO_ROOM.format(kind, about.get("name") or "without a name")
    return {"type": "text", "text": f"\n\n{text}"}


def _without_older(messages: Sequence[Kept], question: int | None) -> tuple[list[Kept], int]:
    """The system prompt, the latest question, and the latest answer with its results; a note stands
    for the rest."""
    system = [kept for kept in messages[:1] if kept.body["role"] == "system"]
    asked = [] if question is None else [messages[question]]
    after = _latest_step(messages, -1 if question is None else question)
    kept = [*system, *asked, *messages[after:]]
    omitted = len(messages) - len(kept)
    if not omitted:
        return kept, 0
    note: Message = {"role": "user", "content": OMITTED.format(omitted)}
    return [*system, Kept(0, note), *asked, *messages[after:]], omitted


def _latest_step(messages: Sequence[Kept], question: int) -> int:
    """Where the last message behind the question begins that is no result; the end if none is."""
    places = range(question + 1, len(messages))
    steps = [at for at in places if messages[at].body["role"] != "tool"]
    return steps[-1] if steps else len(messages)


def _latest_question(messages: Sequence[Kept]) -> int | None:
    places = [at for at, kept in enumerate(messages) if kept.body["role"] == "user"]
    return places[-1] if places else None


def _texts(body: Message) -> Iterator[str]:
    yield text_of(body.get("content"))
    yield body.get("reasoning_content", "")
    for call in body.get("tool_calls") or ():
        yield call["function"]["arguments"]


def _longest(body: Message) -> int:
    return max(map(len, _texts(body)))


def _length(body: Message) -> int:
    return sum(map(len, _texts(body)))


def _names(messages: Sequence[Kept]) -> dict[str, str]:
    calls = (call for kept in messages for call in kept.body.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in calls}


def _whose(body: Message, names: dict[str, str]) -> str:
    if body["role"] == "tool":
        return names.get(body.get("tool_call_id", ""), "a tool")
    return {"user": "a message", "assistant": "an answer"}.get(body["role"], body["role"])
