"""What is sent in place of older messages, as pure functions. The stored messages never change.

    stored ──summarised──► system prompt + summary + the latest ──shortened──► placeholders ──► sent

A shortened result keeps its message, so that every call has its answer. A message is found by its
place on the path, never by the order of its row: a question that waited was stored before the
answer that it follows.
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
# Instructions are not what a model remembers by itself.
AGAIN = "; load it again to go on with it"
LATEST = "\n\n[The user's latest message, as it was:]\n\n{}"
# Characters of a message that a transcript has at least, and what stands for those without room.
LEAST_TOLD = 200
OMITTED = "[… {} earlier messages have no room here …]"
GAP = "\n[…]\n"
# What a part of a message counts for that is no text, in characters: about a thousand tokens.
OF_A_PICTURE = 4_000


@dataclass(frozen=True)
class Kept:
    """A message on its way into a request, and the row that it is."""

    pk: int
    body: Message


@dataclass(frozen=True)
class Replaced:
    """A result that is a placeholder by now: whose it was, and its size in characters."""

    pk: int
    tool: str
    length: int


@dataclass(frozen=True)
class Shortened:
    """The messages, and those of them that are placeholders by now."""

    messages: list[Kept]
    replaced: list[Replaced]


def place(messages: Sequence[Kept], pk: int) -> int | None:
    """Where the message of this row stands; None if it is not on this path."""
    return next((at for at, kept in enumerate(messages) if kept.pk == pk), None) if pk else None


def summarised(messages: Sequence[Kept], summary: str, upto: int) -> list[Kept]:
    """The system prompt, the summary of all messages up to the row `upto`, and the rest."""
    last = place(messages, upto)
    if last is None:
        return list(messages)
    asked = _latest_question(messages, last)
    text = SUMMARY.format(summary) + (LATEST.format(asked) if asked else "")
    said: Message = {"role": "user", "content": text}
    return [*_system(messages), Kept(upto, said), *messages[last + 1 :]]


def older(messages: Sequence[Kept], upto: int) -> list[Kept]:
    """What a summary up to this row would stand for."""
    last = place(messages, upto)
    return [] if last is None else list(messages[len(_system(messages)) : last + 1])


def shortened(messages: Sequence[Kept], upto: int, shortest: int) -> Shortened:
    """Results of tools up to the row `upto` as placeholders, where they are longer than that."""
    last = place(messages, upto)
    if last is None:
        return Shortened(list(messages), [])
    names = _names(messages)
    done: list[Kept] = []
    replaced: list[Replaced] = []
    for kept in messages[: last + 1]:
        length = _length(kept.body)
        if kept.body["role"] == "tool" and length > shortest:
            name = names.get(kept.body.get("tool_call_id", ""), "a tool")
            replaced.append(Replaced(kept.pk, name, length))
            kept = Kept(kept.pk, _placeholder(kept.body, name, length))
        done.append(kept)
    return Shortened([*done, *messages[last + 1 :]], replaced)


def micro_boundary(messages: Sequence[Kept], keeps: int) -> int:
    """The row up to which results may be shortened: all but the last `keeps`; 0 if none."""
    results = [kept.pk for kept in messages if kept.body["role"] == "tool"]
    before = results[:-keeps] if keeps else results
    return before[-1] if before else 0


def summary_boundary(messages: Sequence[Kept], keeps: int) -> int:
    """The row up to which messages may be summarised, so that about the last `keeps` stay and no
    call is parted from its results; 0 if there is too little before it."""
    at = len(messages) - keeps
    while 0 < at < len(messages) and messages[at].body["role"] == "tool":
        at -= 1
    before = [kept for kept in messages[: max(at, 0)] if kept.body["role"] != "system"]
    return before[-1].pk if len(before) > 1 else 0


def transcript(messages: Sequence[Kept], most: int) -> str:
    """The messages as text for who is to summarise them, at most so many characters: long ones are
    cut in the middle, all at the same length; then the oldest are left out, but for the first,
    which may be the summary of what was before."""
    told = [_told(kept.body) for kept in messages]
    share = fair_share([len(text) for text in told], most - 2 * len(told))
    short = [_cut(text, share) for text in told]
    first, rest = short[:1], short[1:]
    left_out = _left_out(rest, most - sum(map(len, first)) - len(OMITTED))
    between = [OMITTED.format(left_out)] if left_out else []
    return "\n\n".join([*first, *between, *rest[left_out:]])


def _left_out(texts: Sequence[str], room: int) -> int:
    """How many of the oldest have to go, so that the others have room; the last one stays."""
    size = sum(len(text) + 2 for text in texts)
    for count, text in enumerate(texts[:-1]):
        if size <= room:
            return count
        size -= len(text) + 2
    return max(len(texts) - 1, 0)


def fair_share(lengths: Sequence[int], most: int) -> int:
    """The length at which all are to be cut, so that together they have this many."""
    room = most
    for count, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * count > room:
            return max(room // count, LEAST_TOLD)
        room -= length
    return max(lengths, default=0)


def _system(messages: Sequence[Kept]) -> list[Kept]:
    return [kept for kept in messages[:1] if kept.body["role"] == "system"]


def _latest_question(messages: Sequence[Kept], last: int) -> str:
    """What the model is working on; "" if it stands among what is kept."""
    if any(kept.body["role"] == "user" for kept in messages[last + 1 :]):
        return ""
    asked = [kept for kept in messages[: last + 1] if kept.body["role"] == "user"]
    return _said(asked[-1].body)[:MAX_COMPACTION_QUESTION] if asked else ""


def _placeholder(body: Message, name: str, length: int) -> Message:
    short = body.copy()
    instructions = name == LOAD_SKILL.name and not body.get("is_error")
    again = AGAIN if instructions else ""
    short["content"] = PLACEHOLDER.format(name, length, again)
    for words_of_it in ("is_cut", "reminder"):
        short.pop(words_of_it, None)  # type: ignore[misc]  # both are optional keys
    return short


def _length(body: Message) -> int:
    content = body.get("content")
    parts = content if isinstance(content, list) else []
    pictures = [part for part in parts if part.get("type") != "text"]
    return len(text_of(content)) + OF_A_PICTURE * len(pictures)


def _names(messages: Sequence[Kept]) -> dict[str, str]:
    calls = (call for kept in messages for call in kept.body.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in calls}


def _told(body: Message) -> str:
    said = [_said(body)]
    for call in body.get("tool_calls") or ():
        said.append(f"calls {call['function']['name']} {call['function']['arguments']}")
    return f"{body['role']}: " + "\n".join(filter(None, said))


def _said(body: Message) -> str:
    """The text, and in words what else there was."""
    content = body.get("content")
    if not isinstance(content, list):
        return content or ""
    return "\n".join(filter(None, map(_of_part, content)))


def _of_part(part: ContentPart) -> str:
    if part.get("type") == "text":
        return str(part.get("text") or "")
    about = part.get("attachment") or {}
    kind = "an image" if part.get("type") == "image_url" else "a file"
    return f"[{kind}: {about.get('name') or 'without a name'}]"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    room = most - len(GAP)
    return f"{text[: room - room // 3]}{GAP}{text[len(text) - room // 3 :]}"
