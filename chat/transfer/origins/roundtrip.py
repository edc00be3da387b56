"""Roundtrip's own format (`docs/conversation-json.md`), of any version up to this one."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat import offering
from chat.agent.todos import MARKS
from chat.attachments.references import reference_of
from chat.errors import Rejected
from chat.llm.conversation_json import read_conversation
from chat.llm.errors import MalformedConversation
from chat.llm.messages import Message as CanonicalMessage
from chat.llm.parts import parts_of
from chat.models import Compaction, Conversation, Feedback, Turn
from chat.transfer.draft import check_cycles, moment, objects, quoted, text, too_long
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.content import key_of
from chat.transfer.plan import Plan, PlannedCompaction, PlannedMessage, PlannedTurn
from db.fields import storable
from db.public_ids import parse_public_id
from limits.chat import MAX_COMPARED
from limits.transfer import MAX_FEEDBACK_NOTE, MAX_IMPORTED_MESSAGES

PRODUCT = "roundtrip"
SUBAGENTS = gettext_noop("conversations of subagents")
_ROLES = ("system", "user", "assistant", "tool")
_ENDED = (Turn.Status.DONE, Turn.Status.FAILED, Turn.Status.STOPPED)
_COUNTS = ("rounds", "tokens_in", "tokens_out")
# What a column of counts can hold.
_INTEGER_END = 2**31 - 1


def matches(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("turns"), list) and "messages" in value


def read(value: dict[str, Any]) -> Plan:
    """Raises BrokenConversation."""
    messages = objects(value.get("messages"), "messages")
    if len(messages) > MAX_IMPORTED_MESSAGES:
        raise too_long()
    planned = [_message(one) for one in messages]
    turns = [_turn(one) for one in objects(value.get("turns"), "turns")]
    compactions = [_compaction(one) for one in objects(value.get("compactions"), "compactions")]
    _check(planned, turns, compactions)
    _check_shown(turns)
    left_out: Counter[str] = Counter()
    left_out[SUBAGENTS] += len(objects(value.get("subagents"), "subagents"))
    return Plan(
        PRODUCT,
        key_of(value, "id"),
        text(value.get("title"), "title"),
        _columns(value),
        planned,
        turns,
        compactions,
        _model(value.get("model")),
        text(value.get("assistant"), "assistant"),
        dict(_attachments(planned)),
        left_out,
        text(value.get("project"), "project"),
        _names(value.get("tags")) or [],
    )


def _columns(value: dict[str, Any]) -> dict[str, Any]:
    settings = value.get("settings")
    kept: dict[str, Any] = settings if isinstance(settings, dict) else {}
    created = moment(value.get("created")) or timezone.now()
    named_by = value.get("named_by")
    archived = moment(value.get("archived"))
    return {
        "created": created,
        "updated": moment(value.get("updated")) or created,
        "named_by": named_by if named_by in Conversation.NamedBy.values else "",
        "pinned": None if archived else moment(value.get("pinned")),
        "archived": archived,
        "todos": [_todo(one) for one in objects(value.get("todos"), "todos")],
        "tools": _choice(kept.get("tools")),
        "skills": _names(kept.get("skills")),
        "activated": _names(kept.get("activated")) or [],
        "limits": _limits(kept.get("limits")),
        "instructions": text(kept.get("instructions"), "instructions"),
        "parameters": _parameters(kept.get("parameters")),
    }


def _todo(value: dict[str, Any]) -> dict[str, str]:
    status = value.get("status")
    return {
        "id": text(value.get("id"), "id"),
        "text": text(value.get("text"), "text"),
        "status": status if isinstance(status, str) and status in MARKS else "pending",
    }


def _choice(value: Any) -> Any:
    try:
        return offering.read_choice(value)
    except Rejected as error:
        raise BrokenConversation(str(error)) from None


def _names(value: Any) -> list[str] | None:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else None


def _limits(value: Any) -> dict[str, Any]:
    """Numbers by name; those that are unknown or out of bounds are not used by the agent."""
    given = value if isinstance(value, dict) else {}
    return {name: one for name, one in given.items() if isinstance(one, int | float)}


def _parameters(value: Any) -> dict[str, Any]:
    given = value if isinstance(value, dict) else {}
    return {name: one for name, one in given.items() if isinstance(one, int | float | str)}


def _message(value: dict[str, Any]) -> PlannedMessage:
    body: Any = value.get("body")
    key = _key(value, "id")
    if not isinstance(body, dict) or body.get("role") not in _ROLES:
        raise BrokenConversation(_("The message %(id)s has no role.") % {"id": quoted(key)})
    created = moment(value.get("created")) or timezone.now()
    body = _body(body, key)
    return PlannedMessage(key, _ref(value, "parent"), _ref(value, "turn"), body, created)


def _body(body: dict[str, Any], key: str) -> Any:
    """The body, with its calls in canonical form. Raises BrokenConversation unless it is a message
    as pages and requests read it."""
    for name in ("reasoning_content", "refusal"):
        text(body.get(name), name)
    objects(body.get("sources"), "sources")
    try:
        canonical: Any = read_conversation({"messages": [body]}).messages[0]
        calls = canonical.get("tool_calls")
        return {**body, "tool_calls": calls} if calls else body
    except MalformedConversation as error:
        names = {"id": quoted(key), "error": str(error).replace("messages[0].", "")}
        raise BrokenConversation(_("The message %(id)s: %(error)s") % names) from None


def _turn(value: dict[str, Any]) -> PlannedTurn:
    status = value.get("status")
    columns = {
        "is_shown": value.get("is_shown") is True,
        "hidden": moment(value.get("hidden")),
        "continues": value.get("continues") is True,
        "comparison": parse_public_id(value.get("comparison")),
        "lane": min(_count(value.get("lane")), MAX_COMPARED - 1),
        # What still ran when it was exported was stopped, as far as this copy goes.
        "status": status if status in _ENDED else Turn.Status.STOPPED,
        "error": storable(text(value.get("error"), "error")),
        "ceiling": storable(text(value.get("ceiling"), "ceiling"))[:32],
        "created": moment(value.get("created")) or timezone.now(),
        "started": moment(value.get("started")),
        "ended": moment(value.get("ended")),
        **{name: _count(value.get(name)) for name in _COUNTS},
    }
    return PlannedTurn(
        _key(value, "id"),
        _ref(value, "parent"),
        _ref(value, "question"),
        _ref(value, "answer"),
        columns,
        _ref(value, "original"),
        _ref(value, "retry_of"),
        _model(value.get("model")),
        text(value.get("assistant"), "assistant"),
        _feedback(value.get("feedback")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value <= _INTEGER_END else 0


def _feedback(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, dict) or value.get("rating") not in Feedback.Rating.values:
        return None
    note = text(value.get("note"), "note")[:MAX_FEEDBACK_NOTE]
    changed = moment(value.get("changed")) or timezone.now()
    return {"rating": value["rating"], "note": note, "changed": changed}


def _compaction(value: dict[str, Any]) -> PlannedCompaction:
    kind = text(value.get("kind"), "kind")
    if kind not in Compaction.Kind.values:
        raise BrokenConversation(_("%(kind)s is no kind of compaction.") % {"kind": quoted(kind)})
    created: datetime = moment(value.get("created")) or timezone.now()
    return PlannedCompaction(
        kind, _key(value, "upto"), text(value.get("summary"), "summary"), created
    )


def _model(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return None
    return text(value.get("provider"), "provider"), text(value.get("name"), "name")


def _key(value: dict[str, Any], name: str) -> str:
    key = text(value.get(name), name)
    if not key:
        raise BrokenConversation(_("A message or a turn has no “%(name)s”.") % {"name": name})
    return key


def _ref(value: dict[str, Any], name: str) -> str | None:
    return text(value.get(name), name) or None


def _check(
    messages: list[PlannedMessage], turns: list[PlannedTurn], compactions: list[PlannedCompaction]
) -> None:
    """Raises BrokenConversation unless everything that is referred to is there, turns after the
    ones that they follow, and messages in a tree."""
    turn_keys = _unique(one.key for one in turns)
    message_keys = _unique(one.key for one in messages)
    for one in turns:
        _refers(one.parent, turn_keys, one.key, before=True)
        _refers(one.original, turn_keys, one.key, before=True)
        _refers(one.retry_of, turn_keys, one.key, before=True)
        _refers(one.question, message_keys, one.key)
        _refers(one.answer, message_keys, one.key)
    for message in messages:
        _refers(message.parent, message_keys, message.key)
        _refers(message.turn, turn_keys, message.key)
    for compaction in compactions:
        _refers(compaction.upto, message_keys, compaction.kind)
    # A question that waited is older than the answer that it follows.
    check_cycles({one.key: one.parent for one in messages})
    for name in ("question", "answer", "retry_of"):
        _unique(filter(None, (getattr(one, name) for one in turns)))


def _unique(keys: Iterable[str]) -> dict[str, int]:
    """The places of the keys. Raises BrokenConversation if one is there twice."""
    places: dict[str, int] = {}
    for place, key in enumerate(keys):
        if key in places:
            raise BrokenConversation(_("%(id)s is there twice.") % {"id": quoted(key)})
        places[key] = place
    return places


def _refers(to: str | None, keys: dict[str, int], own: str, *, before: bool = False) -> None:
    if to is None:
        return
    names = {"id": quoted(own), "other": quoted(to)}
    if to not in keys:
        raise BrokenConversation(_("%(id)s refers to %(other)s, which is not in the file.") % names)
    if before and keys[to] >= keys.get(own, 0):
        raise BrokenConversation(_("%(id)s follows %(other)s, which comes later.") % names)


def _check_shown(turns: list[PlannedTurn]) -> None:
    """Raises BrokenConversation unless the shown turns are one path from a root."""
    shown = [one for one in turns if one.columns["is_shown"]]
    before: str | None = None
    for one in shown:
        if one.parent != before:
            raise BrokenConversation(_("The turns that are shown are no branch."))
        before = one.key


def _attachments(messages: list[PlannedMessage]) -> Iterable[tuple[str, str]]:
    """The ids of attachments, with the keys of the first message that refers to each."""
    seen: set[str] = set()
    for message in messages:
        body: CanonicalMessage = message.body
        for part in parts_of(body):
            reference = _reference(part)
            if reference and reference not in seen:
                seen.add(reference)
                yield reference, message.key


def _reference(part: Any) -> str | None:
    try:
        reference = reference_of(part)
    except (ValueError, TypeError, AttributeError):
        raise BrokenConversation(_("A reference to an attachment is broken.")) from None
    return str(reference.id) if reference else None
