"""Branches as examples for training.

OpenAI's fine-tuning takes JSON Lines of `{"messages", "tools"}`, each ending with an assistant's
message; an assistant's message of `weight` 0 is context and not learned. ShareGPT's `conversations`
are written as LLaMA-Factory reads them: `human` and `observation` take turns with `gpt` and
`function_call`.
"""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from chat.attachments.references import reference_of
from chat.llm.json_text import parse_json
from chat.llm.messages import ContentPart, Message, ToolCall, text_of
from chat.llm.parts import as_text
from chat.models import Attachment
from chat.transfer.shown_branch import Branch, ShownTurn, offered_tools
from db.fields import dump_json

_SENT = ("role", "content", "tool_calls", "tool_call_id", "name", "refusal", "weight")


def openai_line(branch: Branch, *, only_liked: bool = False) -> str:
    """A line of JSON, or nothing for a branch without an answer. With `only_liked` up to the last
    answer with a thumb up; other answers are context."""
    last = _last_answered(branch, only_liked=only_liked)
    if last is None:
        return ""
    messages = [_openai(one) for one in branch.history(last + 1, weighs=only_liked)]
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    if not messages:
        return ""
    tools = offered_tools(branch) if any(one.get("tool_calls") for one in messages) else []
    return dump_json({"messages": messages, **({"tools": tools} if tools else {})}) + "\n"


def _last_answered(branch: Branch, *, only_liked: bool) -> int | None:
    places = [
        place
        for place, turn in enumerate(branch.turns)
        if _has_answer(turn) and (turn.rating == "up" or not only_liked)
    ]
    return places[-1] if places else None


def _has_answer(turn: ShownTurn) -> bool:
    last = turn.messages[-1] if turn.messages else None
    return last is not None and last["role"] == "assistant" and not last.get("tool_calls")


def _openai(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {key: value for key, value in message.items() if key in _SENT}
    if isinstance(parts := message.get("content"), list):
        sent["content"] = [_part(part) for part in parts]
    return sent


def _part(part: ContentPart) -> ContentPart:
    """The part with what it refers to: images as `data:` URLs, text files as text."""
    reference = reference_of(part)
    if reference is None:
        return part
    attachment = Attachment.objects.filter(public_id=reference.id).first()
    if attachment is None:
        return {"type": "text", "text": f"[{reference.name}]"}
    return _attachment(attachment)


def _attachment(attachment: Attachment) -> ContentPart:
    """An attachment as a content part of its own."""
    content = bytes(attachment.content)
    if attachment.media_type.startswith("image/"):
        url = f"data:{attachment.media_type};base64,{b64encode(content).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}
    name, text = attachment.name, content.decode(errors="replace")
    return {"type": "text", "text": f'<file name="{name}">\n{text}\n</file>'}


def sharegpt(branch: Branch, *, only_liked: bool = False) -> str:
    """A JSON object, or nothing for a branch without an answer."""
    last = _last_answered(branch, only_liked=only_liked)
    if last is None:
        return ""
    history = branch.history(last + 1)
    system = "\n\n".join(text_of(one.get("content")) for one in history if one["role"] == "system")
    tools = offered_tools(branch) if any(one.get("tool_calls") for one in history) else []
    example = {
        "id": str(branch.conversation.public_id),
        "conversations": list(_merged(_sharegpt_messages(history))),
        **({"system": system} if system else {}),
        **({"tools": dump_json([one.get("function", one) for one in tools])} if tools else {}),
    }
    return dump_json(example)


def _sharegpt_messages(history: list[Message]) -> Iterator[dict[str, str]]:
    for message in history:
        text = as_text(message.get("content"))
        calls = message.get("tool_calls") or ()
        if message["role"] == "user":
            yield {"from": "human", "value": text}
        elif message["role"] == "tool":
            yield {"from": "observation", "value": text}
        elif message["role"] == "assistant" and calls:
            made = [_made_call(one) for one in calls]
            yield {"from": "function_call", "value": dump_json(made[0] if len(made) == 1 else made)}
        elif message["role"] == "assistant":
            yield {"from": "gpt", "value": text}


def _made_call(call: ToolCall) -> dict[str, Any]:
    """Name and arguments; these are text if they are no JSON."""
    function = call["function"]
    try:
        arguments = parse_json(function["arguments"])
    except ValueError:
        arguments = function["arguments"]
    return {"name": function["name"], "arguments": arguments}


def _merged(messages: Iterator[dict[str, str]]) -> Iterator[dict[str, str]]:
    """One message where several of the same side follow each other, as results of parallel calls
    do."""
    last: dict[str, str] | None = None
    for message in messages:
        if last is not None and last["from"] == message["from"]:
            last["value"] += "\n\n" + message["value"]
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last
