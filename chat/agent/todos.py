"""The list of what is to be done, which the model keeps with the tool `todo`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from chat import events
from chat.agent.claimed_call import ClaimedCall
from chat.agent.limits import Limits, limits
from chat.models import Conversation, Turn
from db.threads import after_commit
from limits.chat import MAX_TODO_ID, MAX_TODO_TEXT
from tools.local.agent import TODO
from tools.values.call import ToolResult
from tracing.models import Span

MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
REMINDER = "<reminder>Update your todos.</reminder>"

Item = dict[str, str]


def update(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """Replaces the list of the call's conversation, or says why not: then the old one stays."""
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().get(pk=call.turn.conversation_id)
        items, problem = merged(conversation.todos, arguments["items"], _most(call.turn))
        if problem:
            return ToolResult.error(f"Error: {problem} The list is as it was.")
        Conversation.objects.filter(pk=conversation.pk).update(todos=items)
        after_commit(lambda: events.emit(conversation.public_id, event(items)))
    return ToolResult.of_text(rendered(items))


def reminder(turn: Turn, number: int) -> str:
    """What the last result of round `number` ends with: something if items are open and the list
    was not touched for some rounds, and again after as many."""
    if turn.model is None or all(one["status"] == "completed" for one in turn.conversation.todos):
        return ""
    most = limits(turn.conversation, turn.model).reminder_rounds
    touched = Span.objects.filter(trace=turn.trace_id, kind=Span.Kind.TOOL, name=TODO.name)
    last = touched.aggregate(number=Max("parent__number"))["number"] or 0
    is_due = most > 0 and number > last and (number - last) % most == 0
    return REMINDER if is_due else ""


def event(items: list[Item]) -> dict[str, Any]:
    """`todos`: the whole list, as it is now."""
    return {"type": "todos", "items": items}


def merged(
    known: list[Item], given: list[dict[str, Any]], most: int = Limits.todo_items
) -> tuple[list[Item], str]:
    """The new list, and what is wrong with it, or "". A known item may come without its text."""
    texts = {item["id"]: item["text"] for item in known}
    items = []
    for one in given:
        name = _line(one["id"], MAX_TODO_ID)
        text = _line(one.get("text"), MAX_TODO_TEXT) or texts.get(name, "")
        if not text:
            return [], f"item {name} is new and has no text."
        items.append({"id": name, "text": text, "status": one["status"]})
    return items, _problem(items, most)


def _line(said: Any, most: int) -> str:
    """On one line, as the list is rendered."""
    return " ".join(str(said if said is not None else "").split())[:most].rstrip()


def left_by(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    """The list as the calls in these messages left it."""
    failed = {one.get("tool_call_id") for one in messages if one.get("is_error")}
    items: list[Item] = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call["function"]["name"] == TODO.name and call["id"] not in failed:
                items = after(items, call["function"]["arguments"])
    return items


def after(items: list[Item], arguments: str) -> list[Item]:
    """As a call of `todo` leaves the list; what it says wrongly changes nothing."""
    try:
        updated, problem = merged(items, json.loads(arguments)["items"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return items
    return items if problem else updated


def rendered(items: list[Item]) -> str:
    """`[ ] #1: text`, a line each, and how many are completed."""
    if not items:
        return "No todos."
    lines = [f"{MARKS[item['status']]} #{item['id']}: {item['text']}" for item in items]
    done = sum(item["status"] == "completed" for item in items)
    return "\n".join([*lines, "", f"({done}/{len(items)} completed)"])


def _most(turn: Turn) -> int:
    return limits(turn.conversation, turn.model).todo_items if turn.model else Limits.todo_items


def _problem(items: list[Item], most: int) -> str:
    if len(items) > most:
        return f"{len(items)} items are too many: {most} is the most."
    ids = [item["id"] for item in items]
    if len(set(ids)) < len(ids):
        return "every item needs an id of its own."
    if sum(item["status"] == "in_progress" for item in items) > 1:
        return "only one item can be in progress at a time."
    return ""
