"""LibreChat's export of a conversation: `conversationId`, `title` and `messages`.

The messages are a list with `parentMessageId`, or a tree: with `recursive` each has its `children`.
A message has `isCreatedByUser`, `text`, or blocks in `content`: text, think, tool_call.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.messages import Message, ToolCall, assistant_message
from chat.transfer.draft import Draft, moment, objects, text
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.chains import SourceMessage, entries
from chat.transfer.origins.content import (
    key_of,
    named_call,
    parent_of,
    result_message,
    result_text,
    with_files,
)

PRODUCT = "librechat"
FILES = gettext_noop("attached files")
BLOCKS = gettext_noop("blocks of an unknown kind")


def matches(value: Any) -> bool:
    return isinstance(value, dict) and "conversationId" in value and bool(_list_name(value))


def _list_name(value: dict[str, Any]) -> str:
    return next((name for name in ("messagesTree", "messages") if name in value), "")


def read(value: dict[str, Any]) -> Draft:
    """Raises BrokenConversation."""
    name = _list_name(value)
    left_out: Counter[str] = Counter()
    flat = list(_flat(objects(value.get(name), name)))
    is_tree = any("parentMessageId" in one or parent for one, parent in flat)
    chains = [_message(*one, place, left_out) for place, one in enumerate(flat, 1)]
    times = [one.created for one in chains if one.created]
    created, updated = min(times, default=None), max(times, default=None)
    title = text(value.get("title"), "title")
    key = key_of(value, "conversationId")
    tree = entries(chains, is_tree=is_tree)
    return Draft(PRODUCT, key, title, tree, created, updated, None, left_out)


def _message(
    message: dict[str, Any], above: str, place: int, left_out: Counter[str]
) -> SourceMessage:
    own = text(message.get("messageId"), "messageId") or f"message {place}"
    parent = parent_of(above or message.get("parentMessageId"))
    model = message.get("model")
    return SourceMessage(
        own,
        parent,
        list(_bodies(message, own, left_out)),
        moment(message.get("createdAt")),
        model if isinstance(model, str) else "",
    )


def _flat(messages: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each message with the id of the one that it is a child of; "" where the file does not nest
    them."""
    stack = [(one, "") for one in messages][::-1]
    while stack:
        message, parent = stack.pop()
        yield message, parent
        own = str(message.get("messageId") or "")
        stack += [(one, own) for one in objects(message.get("children"), "children")][::-1]


def _bodies(message: dict[str, Any], own: str, left_out: Counter[str]) -> Iterator[Message]:
    blocks = objects(message.get("content"), "content")
    if message.get("isCreatedByUser") is True:
        texts = [_text(one) for one in blocks if one.get("type") == "text"]
        written = "\n\n".join(filter(None, texts)) or text(message.get("text"), "text")
        files = objects(message.get("files"), "files")
        names = [str(one.get("filename") or "file") for one in files]
        yield {"role": "user", "content": with_files(written, names, left_out, FILES)}
    elif blocks:
        yield from _answers(blocks, own, left_out)
    elif written := text(message.get("text"), "text"):
        yield assistant_message(written)


def _answers(blocks: list[dict[str, Any]], own: str, left_out: Counter[str]) -> Iterator[Message]:
    """Assistant's messages, each ending with its calls and their results."""
    texts: list[str] = []
    thoughts: list[str] = []
    for place, block in enumerate(blocks):
        kind = block.get("type")
        if kind == "text":
            texts.append(_text(block))
        elif kind == "think":
            thoughts.append(text(block.get("think"), "think"))
        elif kind == "tool_call":
            call, result = _call(block, f"{own}-{place}")
            yield assistant_message("\n\n".join(texts), "\n\n".join(thoughts), calls=[call])
            yield result
            texts, thoughts = [], []
        elif kind == "error":
            texts.append(_text({"text": block.get("error")}))
        else:
            left_out[BLOCKS] += 1
    if any((*texts, *thoughts)):
        yield assistant_message("\n\n".join(texts), "\n\n".join(thoughts))


def _call(block: dict[str, Any], own: str) -> tuple[ToolCall, Message]:
    made = block.get("tool_call")
    if not isinstance(made, dict):
        raise BrokenConversation(_("A call of a tool is no object."))
    given = made.get("function")
    function = given if isinstance(given, dict) else {}
    call_id = str(made.get("id") or own)
    name = made.get("name") or function.get("name")
    arguments = made.get("args", function.get("arguments"))
    call = named_call(call_id, name, arguments)
    return call, result_message(call_id, result_text(made.get("output") or function.get("output")))


def _text(block: dict[str, Any]) -> str:
    written = block.get("text")
    return text(written.get("value") if isinstance(written, dict) else written, "text")
