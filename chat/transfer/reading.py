"""The conversations of an imported file, one by one, each read or with what is wrong with it."""

import base64
import binascii
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from chat.transfer import elements
from chat.transfer.draft import Draft, quoted
from chat.transfer.elements import ATTACHMENTS, CONVERSATIONS, Element
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins import (
    chatgpt,
    claude,
    librechat,
    message_list,
    open_webui,
    roundtrip,
)
from chat.transfer.plan import Plan, plan

# The names of products, for people.
PRODUCTS = {
    roundtrip.PRODUCT: "Roundtrip",
    chatgpt.PRODUCT: "ChatGPT",
    claude.PRODUCT: "Claude",
    open_webui.PRODUCT: "Open WebUI",
    librechat.PRODUCT: "LibreChat",
    message_list.PRODUCT: "Qwen-Agent, OpenAI, ShareGPT",
}
# Reads a conversation, given the ids of the attachments that the file has before it.
_Reader = Callable[[Any, Collection[str]], Plan]


def _of(read: Callable[[Any], Draft]) -> _Reader:
    return lambda value, _attachments: plan(read(value))


# What tells a format, and its reader; the first that matches.
_FORMATS: tuple[tuple[Callable[[Any], bool], _Reader], ...] = (
    (roundtrip.matches, lambda value, _attachments: roundtrip.read(value)),
    (chatgpt.matches, lambda value, attachments: plan(chatgpt.read(value, attachments))),
    (claude.matches, _of(claude.read)),
    (open_webui.matches, _of(open_webui.read)),
    (librechat.matches, _of(librechat.read)),
    (message_list.matches, _of(message_list.read)),
)


@dataclass(frozen=True)
class ReadConversation:
    """The `number`-th conversation of a file, from 1: its plan, or why there is none. `end` is how
    far the file is read."""

    number: int
    end: int
    plan: Plan | None = None
    problem: str = ""


def conversations(file: BinaryIO) -> Iterator[ReadConversation]:
    """All of them. Raises BrokenFile where the file is no JSON."""
    number = 0
    attachments: set[str] = set()
    for element in elements.elements(file):
        if element.kind != CONVERSATIONS:
            if number == 0:
                attachments.add(_attachment_id(file, element))
            continue
        number += 1
        try:
            value = elements.load(file, element)
            yield ReadConversation(number, element.end, read_plan(value, attachments))
        except BrokenConversation as error:
            yield ReadConversation(number, element.end, problem=str(error))


def _attachment_id(file: BinaryIO, element: Element) -> str:
    """The id of an attachment; "" for a damaged one."""
    try:
        value = elements.load(file, element)
    except BrokenConversation:
        return ""
    return str(value.get("id", "")) if isinstance(value, dict) else ""


def read_plan(value: Any, attachments: Collection[str] = ()) -> Plan:
    """The conversation of any of the formats; `attachments` are the ids of those that the file has.
    Raises BrokenConversation."""
    for matches, read in _FORMATS:
        if matches(value):
            return read(value, attachments)
    names = ", ".join(sorted(value)[:6]) if isinstance(value, dict) else type(value).__name__
    raise BrokenConversation(
        _("It is a conversation of none of these: %(products)s. It has %(names)s.")
        % {"products": ", ".join(PRODUCTS.values()), "names": quoted(names)}
    )


class AttachedFiles:
    """The attachments of a file, found by their ids; one is in memory at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._elements: dict[str, Element] = {}
        for element in elements.elements(file):
            if element.kind == ATTACHMENTS and (own := self._value(element)):
                self._elements[str(own.get("id"))] = element

    def __call__(self, attachment: str) -> tuple[str, bytes] | None:
        """Name and content; None for what is not there, or is damaged."""
        element = self._elements.get(attachment)
        value = self._value(element) if element else None
        if value is None or not isinstance(content := value.get("base64"), str):
            return None
        try:
            return str(value.get("name") or ""), base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            return None

    def _value(self, element: Element) -> dict[str, Any] | None:
        try:
            value = elements.load(self._file, element)
        except BrokenConversation:
            return None
        return value if isinstance(value, dict) else None
