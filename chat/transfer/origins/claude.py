"""Claude's data export: a list of conversations with `chat_messages`.

A message has `sender` (human, assistant), `text`, blocks in `content` (text, thinking, tool_use,
tool_result), `attachments` with their `extracted_content`, `files` by name, and in newer exports
`parent_message_uuid`; older ones are lists without branches.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.messages import Message, ToolCall, assistant_message
from chat.transfer.draft import Draft, moment, objects, quoted, text
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

PRODUCT = "claude"
FILES = gettext_noop("attached files")
BLOCKS = gettext_noop("blocks of an unknown kind")
_KNOWN = ("text", "thinking", "tool_use", "tool_result")
# Blocks that carry nothing to read.
_SILENT = ("token_budget", "flag")


def matches(value: Any) -> bool:
    return isinstance(value, dict) and "chat_messages" in value


def read(value: dict[str, Any]) -> Draft:
    """Raises BrokenConversation."""
    messages = objects(value.get("chat_messages"), "chat_messages")
    left_out: Counter[str] = Counter()
    is_tree = any("parent_message_uuid" in one for one in messages)
    chains = [_message(one, place, left_out) for place, one in enumerate(messages, 1)]
    shown = parent_of(value.get("current_leaf_message_uuid"))
    ends = {one.id: one.end for one in chains}
    return Draft(
        PRODUCT,
        key_of(value, "uuid"),
        text(value.get("name"), "name"),
        entries(chains, is_tree=is_tree),
        moment(value.get("created_at")),
        moment(value.get("updated_at")),
        ends.get(shown, shown) if shown else None,
        left_out,
    )


def _message(message: dict[str, Any], place: int, left_out: Counter[str]) -> SourceMessage:
    own_id = text(message.get("uuid"), "uuid") or f"message {place}"
    parent = parent_of(message.get("parent_message_uuid"))
    bodies = list(_bodies(message, own_id, left_out))
    return SourceMessage(own_id, parent, bodies, moment(message.get("created_at")))


def _bodies(message: dict[str, Any], own_id: str, left_out: Counter[str]) -> Iterator[Message]:
    sender = message.get("sender")
    blocks = objects(message.get("content"), "content")
    if sender == "human":
        yield {"role": "user", "content": _question(message, blocks, left_out)}
    elif sender == "assistant":
        yield from _answers(message, blocks, own_id, left_out)
    else:
        sentence = _("%(sender)s is no sender of Claude.")
        raise BrokenConversation(sentence % {"sender": quoted(sender)})


def _question(message: dict[str, Any], blocks: list[dict[str, Any]], left_out: Counter[str]) -> str:
    texts = [text(one.get("text"), "text") for one in blocks if one.get("type") == "text"]
    written = "\n\n".join(filter(None, texts)) or text(message.get("text"), "text")
    names = []
    for one in objects(message.get("attachments"), "attachments"):
        name = text(one.get("file_name"), "file_name")
        extracted = text(one.get("extracted_content"), "extracted_content")
        if extracted:
            written = f'<file name="{name}">\n{extracted}\n</file>\n\n{written}'.rstrip()
        else:
            names.append(name or "file")
    files = objects(message.get("files"), "files")
    names += [text(one.get("file_name"), "file_name") or "file" for one in files]
    return with_files(written, names, left_out, FILES)


def _answers(
    message: dict[str, Any], blocks: list[dict[str, Any]], own_id: str, left_out: Counter[str]
) -> Iterator[Message]:
    """Assistant's messages and results, in the order of the blocks: results end a message."""
    answer = _Answer(own_id)
    results: list[Message] = []
    for place, block in enumerate(blocks):
        kind = block.get("type")
        if kind == "tool_result":
            results.append(answer.result(block))
            continue
        if results:
            yield from (answer.taken(), *results)
            results = []
        if kind in _KNOWN:
            answer.add(block, place)
        elif kind not in _SILENT:
            left_out[BLOCKS] += 1
    if not blocks:
        answer.texts.append(text(message.get("text"), "text"))
    if results or answer.has_content:
        yield from (answer.taken(), *results)


class _Answer:
    """An assistant's message that grows block by block."""

    def __init__(self, own_id: str) -> None:
        self._own_id = own_id
        self._last_call = ""
        self.texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[ToolCall] = []

    @property
    def has_content(self) -> bool:
        return any((*self.texts, *self._thoughts)) or bool(self._calls)

    def add(self, block: dict[str, Any], place: int) -> None:
        kind = block["type"]
        if kind == "text":
            self.texts.append(text(block.get("text"), "text"))
        elif kind == "thinking":
            self._thoughts.append(text(block.get("thinking"), "thinking"))
        else:
            own = block.get("id")
            self._last_call = own if isinstance(own, str) and own else f"{self._own_id}-{place}"
            name, given = block.get("name"), block.get("input")
            self._calls.append(named_call(self._last_call, name, given))

    def result(self, block: dict[str, Any]) -> Message:
        named = block.get("tool_use_id")
        call_id = named if isinstance(named, str) and named else self._last_call
        is_error = block.get("is_error") is True
        return result_message(call_id, result_text(block.get("content")), is_error=is_error)

    def taken(self) -> Message:
        texts, thoughts = filter(None, self.texts), filter(None, self._thoughts)
        body = assistant_message("\n\n".join(texts), "\n\n".join(thoughts), calls=self._calls)
        self.texts, self._thoughts, self._calls = [], [], []
        return body
