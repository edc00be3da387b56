"""Open WebUI's export of chats: a list of rows whose `chat.history` has `messages` by id.

A message has `parentId`, `role`, `content`, `timestamp`, and `model` if it is an answer;
`history.currentId` ends the shown branch. An answer has its reasoning, texts, calls and results in
`output`, a list of items in the manner of the Responses API (as version 0.12.4 writes it); older
ones have the text alone, with reasoning as `<details type="reasoning">`.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.messages import Message, ToolCall, assistant_message
from chat.transfer.draft import Draft, Entry, moment, objects, quoted, text
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.content import (
    call_message,
    key_of,
    named_call,
    parent_of,
    result_message,
    with_files,
)
from chat.transfer.origins.images import EmbeddedImages, with_images

PRODUCT = "open-webui"
FILES = gettext_noop("attached files")
STEPS = gettext_noop("steps of other kinds")
_REASONING = re.compile(
    r'<details type="reasoning"[^>]*>\s*<summary>[^<]*</summary>(.*?)</details>\s*', re.DOTALL
)
_QUOTE_MARK = re.compile(r"^> ?", re.MULTILINE)


def matches(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    chat = value.get("chat", value)
    return isinstance(chat, dict) and isinstance(chat.get("history"), dict)


def read(value: dict[str, Any]) -> Draft:
    """Raises BrokenConversation."""
    chat = value.get("chat", value)
    history = chat["history"]
    messages = history.get("messages")
    if not isinstance(messages, dict):
        raise BrokenConversation(_("“history.messages” is no object."))
    left_out: Counter[str] = Counter()
    images = EmbeddedImages()
    entries = [
        entry
        for own_id, message in messages.items()
        for entry in _entries(own_id, message, left_out, images)
    ]
    return Draft(
        PRODUCT,
        key_of(value, "id"),
        text(value.get("title") or chat.get("title"), "title"),
        entries,
        moment(value.get("created_at") or chat.get("timestamp")),
        moment(value.get("updated_at")),
        parent_of(history.get("currentId")),
        left_out,
        images.messages,
        images.contents,
        tags=_tags(value.get("meta")),
        is_pinned=value.get("pinned") is True,
        is_archived=value.get("archived") is True,
    )


def _tags(meta: Any) -> list[str]:
    tags = meta.get("tags") if isinstance(meta, dict) else None
    return [one for one in tags if isinstance(one, str)] if isinstance(tags, list) else []


def _entries(
    own_id: str, message: Any, left_out: Counter[str], images: EmbeddedImages
) -> list[Entry]:
    """The messages of one: an answer with calls is several, of which the last has its id."""
    if not isinstance(message, dict):
        raise BrokenConversation(_("The message %(id)s is no object.") % {"id": quoted(own_id)})
    parent = parent_of(message.get("parentId"))
    model = message.get("model")
    name = model if isinstance(model, str) else ""
    created = moment(message.get("timestamp"))
    bodies = _of_output(message, left_out) or [_body(own_id, message, left_out, images)]
    entries: list[Entry] = []
    for place, body in enumerate(bodies, 1):
        key = own_id if place == len(bodies) else f"{own_id}/{place}"
        hidden = body is None
        entries.append(Entry(key, parent, body or {"role": "system"}, created, hidden, name))
        parent = key
    return entries


def _of_output(message: dict[str, Any], left_out: Counter[str]) -> list[Message | None]:
    """The messages in the items of an answer's `output`; none without it."""
    if message.get("role") != "assistant" or not message.get("output"):
        return []
    reader = _Items(left_out)
    for item in objects(message["output"], "output"):
        reader.add(item)
    return list(reader.messages())


class _Items:
    """Gathers items to messages: what the model wrote up to a result is one message."""

    def __init__(self, left_out: Counter[str]) -> None:
        self._left_out = left_out
        self._messages: list[Message] = []
        self._clear()

    def add(self, item: dict[str, Any]) -> None:
        kind = item.get("type")
        if kind == "reasoning":
            self._reasoning.append(self._text(item.get("content") or item.get("summary")))
        elif kind == "message":
            self._texts.append(self._text(item.get("content")))
        elif kind == "function_call":
            call_id = str(item.get("call_id") or item.get("id"))
            self._calls.append(named_call(call_id, item.get("name"), item.get("arguments")))
        elif kind == "function_call_output":
            self._end()
            failed = item.get("status") in ("failed", "incomplete")
            result = self._text(item.get("output"))
            self._messages.append(result_message(str(item.get("call_id")), result, is_error=failed))
        else:
            self._left_out[STEPS] += 1

    def messages(self) -> Iterator[Message]:
        self._end()
        yield from self._messages

    def _end(self) -> None:
        """Ends the message that the model wrote."""
        written = "\n\n".join(filter(None, self._texts))
        reasoning = "\n\n".join(filter(None, self._reasoning))
        if written or reasoning or self._calls:
            self._messages.append(call_message(self._calls, written, reasoning))
        self._clear()

    def _clear(self) -> None:
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []

    def _text(self, parts: Any) -> str:
        if isinstance(parts, str) or parts is None:
            return parts or ""
        read = objects(parts, "content")
        self._left_out[FILES] += sum("text" not in part for part in read)
        return "\n".join(text(part.get("text"), "text") for part in read if "text" in part)


def _body(
    own_id: str, message: dict[str, Any], left_out: Counter[str], images: EmbeddedImages
) -> Message | None:
    role, content = message.get("role"), message.get("content")
    if isinstance(content, list):
        content = "\n\n".join(str(one.get("text") or "") for one in objects(content, "content"))
    written = text(content, "content")
    if role == "user":
        files = objects(message.get("files"), "files")
        parts = [images.part(one.get("url"), own_id) for one in files]
        others = [one for one, part in zip(files, parts, strict=True) if part is None]
        names = [str(one.get("name") or one.get("type") or "file") for one in others]
        words = with_files(written, names, left_out, FILES)
        return {"role": "user", "content": with_images(words, [*filter(None, parts)])}
    if role == "assistant":
        thoughts = [_plain(one) for one in _REASONING.findall(written)]
        answer = _REASONING.sub("", written).strip("\n") if thoughts else written
        return assistant_message(answer, "\n\n".join(thoughts)) if written else None
    if role == "system":
        return {"role": "system", "content": written} if written else None
    raise BrokenConversation(_("%(role)s is no role of Open WebUI.") % {"role": quoted(role)})


def _plain(reasoning: str) -> str:
    return html.unescape(_QUOTE_MARK.sub("", reasoning.strip()))
