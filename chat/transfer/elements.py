"""The conversations of a file, and the attachments beside them, as places in the file.

A file is one JSON value, or several behind each other (JSON Lines, the files of a zip). A value is

- a list of conversations,
- a list of messages, which is one conversation,
- an object with the lists `conversations` and `attachments` (`chat.transfer.own_json`),
- any other object, which is one conversation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from chat.transfer.errors import BrokenConversation, BrokenFile
from chat.transfer.json_scanner import Scanner, parse
from limits.transfer import (
    MAX_IMPORTED_CONVERSATION_BYTES,
    MAX_IMPORTED_CONVERSATIONS,
    MAX_IMPORTED_VALUES,
)
from tracing.formatting.figures import size

CONVERSATIONS, ATTACHMENTS = "conversations", "attachments"
_SEPARATORS = (b",", b"{", b"[")


@dataclass(frozen=True, slots=True)
class Element:
    """A value of the file from `start` to `end`; `kind` is the list that it is in."""

    kind: str
    start: int
    end: int


def elements(file: BinaryIO) -> Iterator[Element]:
    """All of them, in order. Raises BrokenFile where the file is no JSON."""
    scanner = Scanner(file)
    count = 0
    while scanner.peek():
        for element in _of_value(scanner):
            count += element.kind == CONVERSATIONS
            if count > MAX_IMPORTED_CONVERSATIONS:
                raise BrokenFile(
                    _("The file has more than %(most)s conversations. Split it.")
                    % {"most": f"{MAX_IMPORTED_CONVERSATIONS:,}"}
                )
            yield element


def load(file: BinaryIO, element: Element) -> Any:
    """The value of an element. Raises BrokenConversation."""
    length = element.end - element.start
    if length > MAX_IMPORTED_CONVERSATION_BYTES:
        most = size(MAX_IMPORTED_CONVERSATION_BYTES)
        raise BrokenConversation(
            _("It has %(length)s; the limit is %(most)s.") % {"length": size(length), "most": most}
        )
    file.seek(element.start)
    return _value(file.read(length))


def _value(text: bytes) -> Any:
    """Raises BrokenConversation."""
    if sum(map(text.count, _SEPARATORS)) > MAX_IMPORTED_VALUES:
        most = f"{MAX_IMPORTED_VALUES:,}"
        raise BrokenConversation(_("It has more than %(most)s values.") % {"most": most})
    try:
        return parse(text)
    except BrokenFile as error:
        raise BrokenConversation(str(error)) from None


def _of_value(scanner: Scanner) -> Iterator[Element]:
    first = scanner.peek()
    if first == b"[" and _has_messages(scanner):
        yield Element(CONVERSATIONS, *scanner.skip())
    elif first == b"[":
        yield from _of_list(scanner, CONVERSATIONS)
    elif first == b"{":
        yield from _of_object(scanner)
    else:
        raise BrokenFile(_("This is no list and no object of JSON, so it has no conversations."))


def _of_list(scanner: Scanner, kind: str) -> Iterator[Element]:
    scanner.take(b"[")
    if scanner.peek() == b"]":
        scanner.take(b"]")
        return
    yield Element(kind, *scanner.skip())
    while scanner.comma_or(b"]"):
        yield Element(kind, *scanner.skip())


def _of_object(scanner: Scanner) -> Iterator[Element]:
    """The elements of its lists of conversations and attachments. Without the first the object is a
    conversation itself, unless it has nothing but attachments."""
    start, lists, others = scanner.offset, set[str](), 0
    scanner.take(b"{")
    is_member = scanner.peek() != b"}"
    if not is_member:
        scanner.take(b"}")
    while is_member:
        key = scanner.key()
        if _is_list_of(key, scanner):
            lists.add(key)
            yield from _of_list(scanner, key)
        else:
            others += 1
            scanner.skip()
        is_member = scanner.comma_or(b"}")
    if CONVERSATIONS not in lists and (others or not lists):
        yield Element(CONVERSATIONS, start, scanner.offset)


def _is_list_of(key: str, scanner: Scanner) -> bool:
    """Whether the member here is a list of attachments, or of conversations: ShareGPT has the
    messages of one conversation under that name."""
    if scanner.peek() != b"[":
        return False
    return key == ATTACHMENTS or (key == CONVERSATIONS and not _has_messages(scanner))


def _has_messages(scanner: Scanner) -> bool:
    """Whether the list here has messages, so that it is one conversation. The position stays."""
    start = scanner.offset
    scanner.take(b"[")
    has_messages = scanner.peek() != b"]" and _is_message(scanner, *scanner.skip())
    scanner.go_to(start)
    return has_messages


def _is_message(scanner: Scanner, start: int, end: int) -> bool:
    if end - start > MAX_IMPORTED_CONVERSATION_BYTES:
        return False
    try:
        value = _value(scanner.read(start, end))
    except BrokenConversation:
        return False
    return isinstance(value, dict) and (
        isinstance(value.get("role"), str) or {"from", "value"} <= value.keys()
    )
