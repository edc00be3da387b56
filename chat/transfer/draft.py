"""An imported conversation before it is stored: a tree of messages, checked."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from chat.llm.messages import Message
from chat.transfer.errors import BrokenConversation
from limits.transfer import MAX_IMPORTED_MESSAGES

_SHOWN = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 32_503_680_000.0  # the year 3000, in seconds


@dataclass(slots=True)
class Entry:
    """A message of the tree, by the ids of the file. `hidden`: only its place in the tree counts.
    `model` is the name that the file gives the model of an answer."""

    id: str
    parent: str | None
    body: Message
    created: datetime | None = None
    hidden: bool = False
    model: str = ""


@dataclass
class Draft:
    """A conversation of a file. `shown` is the id of the last message of the shown branch, None
    for the latest; `left_out` counts what cannot be taken over, by its name; `attachments` are the
    ids of attachments that messages refer to, with the id of the message; `contents` are names and
    bytes of those that the conversation has in itself."""

    product: str
    key: str
    title: str
    entries: list[Entry]
    created: datetime | None = None
    updated: datetime | None = None
    shown: str | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    attachments: dict[str, str] = field(default_factory=dict)
    contents: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    is_pinned: bool = False
    is_archived: bool = False


def check_tree(entries: list[Entry]) -> None:
    """Raises BrokenConversation unless the entries are trees: ids are there once, parents are
    there, and none is its own ancestor."""
    if len(entries) > MAX_IMPORTED_MESSAGES:
        raise too_long()
    parents: dict[str, str | None] = {}
    for one in entries:
        if one.id in parents:
            raise BrokenConversation(_("Two messages have the id %(id)s.") % {"id": quoted(one.id)})
        parents[one.id] = one.parent
    for one in entries:
        if one.parent is not None and one.parent not in parents:
            ids = {"id": quoted(one.id), "parent": quoted(one.parent)}
            raise BrokenConversation(
                _("The message %(id)s follows %(parent)s, which is not in the file.") % ids
            )
    check_cycles(parents)


def check_cycles(parents: Mapping[str, str | None]) -> None:
    """Raises BrokenConversation if a message is its own ancestor."""
    checked: set[str] = set()
    for start in parents:
        path: set[str] = set()
        at: str | None = start
        while at is not None and at not in checked:
            if at in path:
                raise BrokenConversation(
                    _("The message %(id)s is its own ancestor.") % {"id": quoted(at)}
                )
            path.add(at)
            at = parents[at]
        checked |= path


def too_long() -> BrokenConversation:
    most = f"{MAX_IMPORTED_MESSAGES:,}"
    return BrokenConversation(_("It has more than %(most)s messages.") % {"most": most})


def quoted(text: object) -> str:
    """A value of the file for a sentence."""
    shown = str(text).encode(errors="replace").decode()
    return f"“{shown[:_SHOWN]}…”" if len(shown) > _SHOWN else f"“{shown}”"


def text(value: Any, name: str) -> str:
    """A text of the file; "" for none. Raises BrokenConversation for another type."""
    if value is None:
        return ""
    if not isinstance(value, str):
        kind = type(value).__name__
        raise BrokenConversation(
            _("“%(name)s” is no text but %(kind)s.") % {"name": name, "kind": kind}
        )
    return value


def objects(value: Any, name: str) -> list[dict[str, Any]]:
    """A list of objects; empty for none. Raises BrokenConversation for another type."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise BrokenConversation(_("“%(name)s” is no list of objects.") % {"name": name})
    return value


def moment(value: Any) -> datetime | None:
    """A time as ISO 8601, or as seconds, milliseconds or nanoseconds since 1970; None for no
    time."""
    if isinstance(value, str):
        return _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = float(value) if abs(value) < 1e300 else 0.0
    while abs(seconds) > _LATEST:
        seconds /= 1000
    return _EPOCH + timedelta(seconds=seconds) if seconds > 0 else None


def _parsed(value: str) -> datetime | None:
    try:
        parsed = parse_datetime(value)
        if parsed is None or not 1970 <= parsed.year <= 3000:
            return None
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
