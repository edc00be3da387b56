"""Writes the audit log. Whoever does something records it where it is done: in the command."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.forms import BaseForm

from audit.models import Action, Door, Event
from db.users import AnyUser
from limits.audit import MAX_AUDITED_NAME, MAX_AUDITED_TARGET

# Kinds of things whose names are what people wrote, which the log does not keep.
UNNAMED = {"conversation", "message", "sharedlink", "trace", "turn", "archive", "dataarchive"}


@dataclass(frozen=True)
class Entrance:
    """By which door, and from which address, the work that runs now was asked for."""

    door: Door = Door.SHELL
    address: str | None = None


_entrance: ContextVar[Entrance | None] = ContextVar("entrance", default=None)
# Of work that nobody asked for by a request: a worker has its own.
_of_process = Entrance()


def enter_as(door: Door) -> None:
    """The door of this process, for what is done outside of requests."""
    global _of_process
    _of_process = Entrance(door)


@contextmanager
def entered(door: Door, address: str | None) -> Iterator[None]:
    """What is recorded within it has this door and this address."""
    token = _entrance.set(Entrance(door, address))
    try:
        yield
    finally:
        _entrance.reset(token)


def record(
    action: Action,
    actor: AnyUser | None = None,
    target: Model | None = None,
    *,
    actor_name: str = "",
    target_name: str = "",
    **detail: Any,
) -> None:
    """Adds a row. `detail` is JSON without secrets or contents: names of what changed, counts."""
    user = actor if actor is not None and actor.is_authenticated else None
    entrance = _entrance.get() or _of_process
    Event.objects.create(
        action=action,
        actor_id=user.pk if user else None,
        actor_name=_visible(actor_name or (user.get_username() if user else ""))[:MAX_AUDITED_NAME],
        door=entrance.door,
        address=entrance.address,
        target_type=target._meta.model_name or "" if target is not None else "",
        target_id=str(getattr(target, "public_id", None) or target.pk) if target else "",
        target_name=_visible(target_name or _name_of(target))[:MAX_AUDITED_TARGET],
        detail=detail,
    )


def record_saved(actor: AnyUser, target: Model, form: BaseForm, *, is_new: bool) -> None:
    """Adds a row for what a form has saved, with the names of the changed fields."""
    action = Action.ADDED if is_new else Action.CHANGED
    record(action, actor, target, fields=list(form.changed_data))


def _name_of(target: Model | None) -> str:
    if target is None or target._meta.model_name in UNNAMED:
        return ""
    return str(target)


def _visible(text: str) -> str:
    """PostgreSQL refuses NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
