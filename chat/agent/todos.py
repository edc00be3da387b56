"""The to-do list of a conversation, which the model writes with the tool `todo`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

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


class Item(TypedDict):
    """An item of the list; `status` is a key of `MARKS`."""

    id: str
    text: str
    status: str


def update(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult:
    """Replaces the list of the call's conversation; an invalid list is an error and changes
    nothing."""
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().get(pk=call.turn.conversation_id)
        items, problem = merged(conversation.todos, arguments["items"], _max_items(call.turn))
        if problem:
            return ToolResult.error(f"Error: {problem} The list is as it was.")
        Conversation.objects.filter(pk=conversation.pk).update(todos=items)
        after_commit(lambda: events.emit(conversation.public_id, event(items)))
    return ToolResult.of_text(rendered(items))


def reminder(turn: Turn, number: int) -> str:
    """The text at the end of the last result of round `number`: a reminder every `reminder_rounds`
    after the latest change of the list, as long as items are open; else ""."""
    items = turn.conversation.todos
    if turn.model is None or all(item["status"] == "completed" for item in items):
        return ""
    interval = limits(turn.conversation, turn.model).reminder_rounds
    updates = Span.objects.filter(trace=turn.trace_id, kind=Span.Kind.TOOL, name=TODO.name)
    latest = updates.aggregate(number=Max("parent__number"))["number"] or 0
    is_due = interval > 0 and number > latest and (number - latest) % interval == 0
    return REMINDER if is_due else ""


def event(items: list[Item]) -> dict[str, Any]:
    """The event `todos`: the whole list."""
    return {"type": "todos", "items": items}


def merged(
    current: list[Item], update: Sequence[Mapping[str, Any]], max_items: int = Limits.todo_items
) -> tuple[list[Item], str]:
    """The new list, and a sentence of what is wrong with it, or "". An item of the current list may
    come without its text."""
    texts = {item["id"]: item["text"] for item in current}
    items: list[Item] = []
    for item in update:
        name = _line(item["id"], MAX_TODO_ID)
        text = _line(item.get("text"), MAX_TODO_TEXT) or texts.get(name, "")
        if not text:
            return [], f"item {name} is new and has no text."
        items.append({"id": name, "text": text, "status": item["status"]})
    return items, _problem(items, max_items)


def _line(value: Any, max_characters: int) -> str:
    """As text on one line."""
    text = str(value if value is not None else "")
    return " ".join(text.split())[:max_characters].rstrip()


def list_after(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    """The list after the calls in these messages."""
    failed = {message.get("tool_call_id") for message in messages if message.get("is_error")}
    items: list[Item] = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call["function"]["name"] == TODO.name and call["id"] not in failed:
                items = list_after_call(items, call["function"]["arguments"])
    return items


def list_after_call(items: list[Item], arguments: str) -> list[Item]:
    """The list after a call of `todo`; invalid arguments change nothing."""
    try:
        updated, problem = merged(items, json.loads(arguments)["items"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return items
    return items if problem else updated


def rendered(items: list[Item]) -> str:
    """A line `[ ] #1: text` for each item, and how many are completed."""
    if not items:
        return "No todos."
    lines = [f"{MARKS[item['status']]} #{item['id']}: {item['text']}" for item in items]
    completed = sum(item["status"] == "completed" for item in items)
    return "\n".join([*lines, "", f"({completed}/{len(items)} completed)"])


def _max_items(turn: Turn) -> int:
    return limits(turn.conversation, turn.model).todo_items if turn.model else Limits.todo_items


def _problem(items: list[Item], max_items: int) -> str:
    if len(items) > max_items:
        return f"{len(items)} items are too many: {max_items} is the most."
    ids = [item["id"] for item in items]
    if len(set(ids)) < len(ids):
        return "every item needs an id of its own."
    if sum(item["status"] == "in_progress" for item in items) > 1:
        return "only one item can be in progress at a time."
    return ""
