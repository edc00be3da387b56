"""Making roles alternate, as the templates of many models demand: user, assistant, user, …

Two messages of a person follow each other where a turn failed or was stopped before it answered,
and where a summary stands before a question: they become one message. Where a person writes after
the results of tools, a note stands for the answer that never came. The stored messages stay.
"""

from collections.abc import Iterable

from chat.llm.messages import ContentPart, Message

GAP = "\n\n"
NO_ANSWER = "[This turn ended here, without an answer.]"


def alternating(messages: Iterable[Message]) -> list[Message]:
    """The messages with user and assistant in turns, results right behind their calls; idempotent.
    No text is left out."""
    sent: list[Message] = []
    before: int | None = None  # the place of the latest message that is no result
    for message in messages:
        role = message["role"]
        if role == "tool" or before is None:
            before = before if role == "tool" else len(sent)
            sent.append(message)
            continue
        last = sent[before]
        if role == "user" and last.get("tool_calls"):
            sent.append({"role": "assistant", "content": NO_ANSWER})
        elif role == last["role"] and role in ("user", "assistant") and not last.get("tool_calls"):
            sent[before] = _joined(last, message)
            continue
        before = len(sent)
        sent.append(message)
    return sent


def _joined(first: Message, second: Message) -> Message:
    """Both as one message: keys of either, the text of both."""
    joined: Message = {**first, **second}
    joined["content"] = _contents(first.get("content"), second.get("content"))
    reasoning = [one["reasoning_content"] for one in (first, second) if "reasoning_content" in one]
    if reasoning:
        joined["reasoning_content"] = GAP.join(reasoning)
    return joined


def _contents(
    first: str | list[ContentPart] | None, second: str | list[ContentPart] | None
) -> str | list[ContentPart]:
    if not first or not second:
        return first or second or ""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}{GAP}{second}"
    return [*_parts(first), {"type": "text", "text": GAP}, *_parts(second)]


def _parts(content: str | list[ContentPart]) -> list[ContentPart]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]
