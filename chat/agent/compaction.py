"""Compaction of a path of messages, as pure functions: a summary, placeholders, a transcript.

    stored ──summarised──► system prompt + summary + the latest ──shortened──► placeholders ──► sent

The stored messages never change. A shortened result keeps its message, so that every call has a
result. The order is that of the path, not that of the rows: a question that waited was stored
before the answer that it follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.llm.messages import ContentPart, Message, text_of
from limits.chat import MAX_COMPACTION_QUESTION
from tools.local.agent import LOAD_SKILL

SUMMARY = (
    "[What was said before was left out to save room. This is a summary of it, written by the "
    "model.]\n\n{}"
)

PLACEHOLDER = "[Earlier result of {}, {:,} characters: left out to save room{}]"
# At the end of the placeholder for the instructions of a skill.
LOAD_AGAIN = "; load it again to go on with it"
LATEST = "\n\n[The user's latest message, as it was:]\n\n{}"
# Lower bound of the characters of a message in a transcript.
MIN_TRANSCRIPT_TEXT = 200
# In place of the messages that a transcript leaves out.
OMITTED = "[… {} earlier messages have no room here …]"
GAP = "\n[…]\n"
# Characters that a part of a message counts for that is not text: about a thousand tokens.
ATTACHMENT_CHARACTERS = 4_000


@dataclass(frozen=True)
class PathMessage:
    """A message of a path, and the key of its row; 0 if it has none."""

    pk: int
    body: Message


@dataclass(frozen=True)
class Replaced:
    """A result in whose place a placeholder stands: its tool, and its length in characters."""

    pk: int
    tool: str
    length: int


@dataclass(frozen=True)
class Shortened:
    """The messages, and the results that became placeholders."""

    messages: list[PathMessage]
    replaced: list[Replaced]


def place(messages: Sequence[PathMessage], pk: int) -> int | None:
    """The index of the message of this row; None if it is not on this path."""
    indexes = (index for index, message in enumerate(messages) if message.pk == pk)
    return next(indexes, None) if pk else None


def summarised(messages: Sequence[PathMessage], summary: str, upto: int) -> list[PathMessage]:
    """The system prompt, the summary of the messages up to the row `upto`, and those after it."""
    last = place(messages, upto)
    if last is None:
        return list(messages)
    question = _latest_question(messages, last)
    text = SUMMARY.format(summary) + (LATEST.format(question) if question else "")
    body: Message = {"role": "user", "content": text}
    return [*_system(messages), PathMessage(upto, body), *messages[last + 1 :]]


def older(messages: Sequence[PathMessage], upto: int) -> list[PathMessage]:
    """The messages that a summary up to this row would replace."""
    last = place(messages, upto)
    return [] if last is None else list(messages[len(_system(messages)) : last + 1])


def shortened(messages: Sequence[PathMessage], upto: int, shortest: int) -> Shortened:
    """The messages with placeholders for tool results up to the row `upto` that have more than
    `shortest` characters."""
    last = place(messages, upto)
    if last is None:
        return Shortened(list(messages), [])
    names = _names(messages)
    result: list[PathMessage] = []
    replaced: list[Replaced] = []
    for message in messages[: last + 1]:
        length = _length(message.body)
        if message.body["role"] == "tool" and length > shortest:
            name = names.get(message.body.get("tool_call_id", ""), "a tool")
            replaced.append(Replaced(message.pk, name, length))
            message = PathMessage(message.pk, _placeholder(message.body, name, length))
        result.append(message)
    return Shortened([*result, *messages[last + 1 :]], replaced)


def micro_boundary(messages: Sequence[PathMessage], keeps: int) -> int:
    """The row up to which results may be shortened: all but the last `keeps`; 0 if none."""
    results = [message.pk for message in messages if message.body["role"] == "tool"]
    before = results[:-keeps] if keeps else results
    return before[-1] if before else 0


def summary_boundary(messages: Sequence[PathMessage], keeps: int) -> int:
    """The row up to which messages may be summarised, so that about the last `keeps` stay and calls
    stay with their results; 0 if there is too little before it."""
    end = len(messages) - keeps
    while 0 < end < len(messages) and messages[end].body["role"] == "tool":
        end -= 1
    before = [message for message in messages[: max(end, 0)] if message.body["role"] != "system"]
    return before[-1].pk if len(before) > 1 else 0


def transcript(messages: Sequence[PathMessage], max_characters: int) -> str:
    """The messages as text for a summary. Long ones are cut in the middle, all to the same length;
    then the oldest are left out, except the first, which may be an earlier summary."""
    texts = [_transcript_entry(message.body) for message in messages]
    length = fair_share([len(text) for text in texts], max_characters - 2 * len(texts))
    short = [_cut_middle(text, length) for text in texts]
    first, later = short[:1], short[1:]
    omitted = _omitted(later, max_characters - sum(map(len, first)) - len(OMITTED))
    note = [OMITTED.format(omitted)] if omitted else []
    return "\n\n".join([*first, *note, *later[omitted:]])


def _omitted(texts: Sequence[str], room: int) -> int:
    """How many of the oldest texts are left out, so that the others have room; the last one
    stays."""
    size = sum(len(text) + 2 for text in texts)
    for count, text in enumerate(texts[:-1]):
        if size <= room:
            return count
        size -= len(text) + 2
    return max(len(texts) - 1, 0)


def fair_share(lengths: Sequence[int], total: int) -> int:
    """The length to which all texts are cut, so that together they have at most `total`."""
    room = total
    for count, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * count > room:
            return max(room // count, MIN_TRANSCRIPT_TEXT)
        room -= length
    return max(lengths, default=0)


def _system(messages: Sequence[PathMessage]) -> list[PathMessage]:
    return [message for message in messages[:1] if message.body["role"] == "system"]


def _latest_question(messages: Sequence[PathMessage], last: int) -> str:
    """The user's latest message up to the index `last`; "" if there is a later one."""
    if any(message.body["role"] == "user" for message in messages[last + 1 :]):
        return ""
    questions = [message for message in messages[: last + 1] if message.body["role"] == "user"]
    return _text(questions[-1].body)[:MAX_COMPACTION_QUESTION] if questions else ""


def _placeholder(body: Message, name: str, length: int) -> Message:
    short = body.copy()
    is_skill = name == LOAD_SKILL.name and not body.get("is_error")
    hint = LOAD_AGAIN if is_skill else ""
    short["content"] = PLACEHOLDER.format(name, length, hint)
    for key in ("is_cut", "reminder"):
        short.pop(key, None)  # type: ignore[misc]  # both are optional keys
    return short


def _length(body: Message) -> int:
    content = body.get("content")
    parts = content if isinstance(content, list) else []
    attachments = [part for part in parts if part.get("type") != "text"]
    return len(text_of(content)) + ATTACHMENT_CHARACTERS * len(attachments)


def _names(messages: Sequence[PathMessage]) -> dict[str, str]:
    calls = (call for message in messages for call in message.body.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in calls}


def _transcript_entry(body: Message) -> str:
    lines = [_text(body)]
    for call in body.get("tool_calls") or ():
        lines.append(f"calls {call['function']['name']} {call['function']['arguments']}")
    return f"{body['role']}: " + "\n".join(filter(None, lines))


def _text(body: Message) -> str:
    """The text, and a note for each other part."""
    content = body.get("content")
    if not isinstance(content, list):
        return content or ""
    return "\n".join(filter(None, map(_part_text, content)))


def _part_text(part: ContentPart) -> str:
    if part.get("type") == "text":
        return str(part.get("text") or "")
    attachment = part.get("attachment") or {}
    kind = "an image" if part.get("type") == "image_url" else "a file"
    return f"[{kind}: {attachment.get('name') or 'without a name'}]"


def _cut_middle(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    room = length - len(GAP)
    return f"{text[: room - room // 3]}{GAP}{text[len(text) - room // 3 :]}"
