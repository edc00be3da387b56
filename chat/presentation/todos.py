"""The model's task list, as the panel beside the thread shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from chat.models import Conversation
from languages.later import later
from tracing.formatting.text import visible

# Word and icon of a status. `static/js/chat/panels/todos_list.js` has the same for live updates.
STATES = {
    "pending": (later("open"), "open"),
    "in_progress": (later("in progress"), "running"),
    "completed": (later("done"), "done"),
}


@dataclass(frozen=True)
class TodoView:
    text: str
    status: str

    @property
    def word(self) -> str:
        return STATES[self.status][0]

    @property
    def icon(self) -> str:
        return STATES[self.status][1]


@dataclass(frozen=True)
class TodoList:
    items: Sequence[TodoView]

    @property
    def count(self) -> str:
        done = sum(item.status == "completed" for item in self.items)
        return gettext("%(done)s of %(count)s") % {"done": done, "count": len(self.items)}

    @property
    def now(self) -> str:
        """The item in progress, or the next one; "" if all are done."""
        for status, word in (("in_progress", gettext("now")), ("pending", gettext("next"))):
            text = next((item.text for item in self.items if item.status == status), None)
            if text is not None:
                return f"{word}: {text}"
        return ""

    @property
    def is_over(self) -> bool:
        return all(item.status == "completed" for item in self.items)


def todo_list(conversation: Conversation | None) -> TodoList:
    """The task list of a conversation; empty if there is none yet."""
    stored: list[dict[str, Any]] = conversation.todos if conversation else []
    return TodoList([TodoView(visible(item["text"]), item["status"]) for item in stored])
