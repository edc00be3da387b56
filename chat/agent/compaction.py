"""What is sent in place of older messages, as pure functions. The stored messages never change.

    stored ──summarised──► system prompt + summary + the latest ──shortened──► placeholders ──► sent

A shortened result keeps its message, so that every call has its answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.llm.messages import Message, text_of

SUMMARY = (
    "[What was said before was left out to save room. This is a summary of it, written by the "
    "model.]\n\n{}"
)

LATEST = "\n\n[The user's latest message, as it was:]\n\n{}"
MOST_QUESTION = 4_000


@dataclass(frozen=True)
class Kept:
    """A message on its way into a request, and the row that it is."""

    pk: int
    body: Message


@dataclass(frozen=True)
class Shortened:
    """The messages, and those of them that are placeholders by now, with their sizes."""

    messages: list[Kept]
    replaced: list[tuple[int, int]]


def summarised(messages: Sequence[Kept], summary: str, upto: int) -> list[Kept]:
    """The system prompt, the summary of all messages up to the row `upto`, and the rest."""
    system = [kept for kept in messages[:1] if kept.body["role"] == "system"]
    rest = [kept for kept in messages[len(system) :] if kept.pk > upto]
    asked = _latest_question(messages, upto)
    text = SUMMARY.format(summary) + (LATEST.format(asked) if asked else "")
    said: Message = {"role": "user", "content": text}
    return [*system, Kept(upto, said), *rest]


def shortened(messages: Sequence[Kept], upto: int, shortest: int) -> Shortened:
    """Results of tools up to the row `upto` as placeholders, where they are longer than that."""
    names = _names(messages)
    done: list[Kept] = []
    replaced: list[tuple[int, int]] = []
    for kept in messages:
        length = len(text_of(kept.body.get("content")))
        if kept.body["role"] == "tool" and kept.pk <= upto and length > shortest:
            name = names.get(kept.body.get("tool_call_id", ""), "a tool")
            replaced.append((kept.pk, length))
            kept = Kept(kept.pk, _placeholder(kept.body, name, length))
        done.append(kept)
    return Shortened(done, replaced)


def micro_boundary(messages: Sequence[Kept], keeps: int) -> int:
    """The row up to which results may be shortened: all but the last `keeps`; 0 if none."""
    results = [kept.pk for kept in messages if kept.body["role"] == "tool"]
    older = results[:-keeps] if keeps else results
    return older[-1] if older else 0


def summary_boundary(messages: Sequence[Kept], keeps: int) -> int:
    """The row up to which messages may be summarised, so that about the last `keeps` stay and no
    call is parted from its results; 0 if there is too little before it."""
    at = len(messages) - keeps
    while at > 0 and messages[at].body["role"] == "tool":
        at -= 1
    before = [kept for kept in messages[: max(at, 0)] if kept.body["role"] != "system"]
    return before[-1].pk if len(before) > 1 else 0


def transcript(messages: Sequence[Kept], most: int) -> str:
    """The messages as text for who is to summarise them; long ones are cut in the middle."""
    share = max(most // max(len(messages), 1), 200)
    return "\n\n".join(_told(kept.body, share) for kept in messages)[:most]


def _latest_question(messages: Sequence[Kept], upto: int) -> str:
    """What the model is working on; "" if it stands among what is kept."""
    asked = [kept for kept in messages if kept.body["role"] == "user"]
    if not asked or asked[-1].pk > upto:
        return ""
    return text_of(asked[-1].body.get("content"))[:MOST_QUESTION]


def _placeholder(body: Message, name: str, length: int) -> Message:
    short = body.copy()
    short["content"] = f"[Earlier result of {name}, {length:,} characters: left out to save room]"
    short.pop("is_cut", None)
    return short


def _names(messages: Sequence[Kept]) -> dict[str, str]:
    calls = (call for kept in messages for call in kept.body.get("tool_calls") or ())
    return {call["id"]: call["function"]["name"] for call in calls}


def _told(body: Message, most: int) -> str:
    said = [text_of(body.get("content"))]
    for call in body.get("tool_calls") or ():
        said.append(f"calls {call['function']['name']} {call['function']['arguments']}")
    text = "\n".join(filter(None, said))
    if len(text) > most:
        text = f"{text[: most * 2 // 3]}\n[…]\n{text[-most // 3 :]}"
    return f"{body['role']}: {text}"
