"""Alternating roles, which the chat templates of many models require: user, assistant, user, …

Two user messages follow each other after a turn that failed or was stopped without an answer, and
where a summary comes before a question: they become one message. Between tool results and a user
message a note takes the place of the missing answer. The stored messages never change.
"""

from collections.abc import Iterable

from chat.llm.messages import ContentPart, Message

GAP = "\n\n"
NO_ANSWER = "[This turn ended here, without an answer.]"
GOES_ON = "[The user added a message before the next step.]"


def alternating(messages: Iterable[Message]) -> list[Message]:
    """The messages with user and assistant in turns, results directly after their calls.
    Idempotent; no text is left out."""
    result: list[Message] = []
    before: int | None = None  # index of the latest message that is not a tool result
    for message in messages:
        role = message["role"]
        if role == "tool" or before is None:
            before = before if role == "tool" else len(result)
            result.append(message)
            continue
        last = result[before]
        if role == "user" and last.get("tool_calls"):
            gap = GOES_ON if message.get("is_note") else NO_ANSWER
            result.append({"role": "assistant", "content": gap})
        elif role == last["role"] and role in ("user", "assistant") and not last.get("tool_calls"):
            result[before] = _joined(last, message)
            continue
        before = len(result)
        result.append(message)
    return result


def _joined(first: Message, second: Message) -> Message:
    """One message with the keys of either and the text of both."""
    joined: Message = {**first, **second}
    joined["content"] = _contents(first.get("content"), second.get("content"))
    both = (first, second)
    reasoning = [body["reasoning_content"] for body in both if "reasoning_content" in body]
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
