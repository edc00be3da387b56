"""What a person does with several conversations at once: pin, archive, tag, move into a project,
delete."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.commands import conversations
from chat.errors import Rejected
from chat.models import Conversation, ConversationQuerySet, Project, Tag
from db.fields import storable
from db.public_ids import parse_public_id
from limits.search import MAX_PINNED, MAX_SELECTED, MAX_TAG, MAX_TAGS, MAX_USER_TAGS

Selected = ConversationQuerySet


@dataclass(frozen=True)
class Outcome:
    """What was done, as a sentence; `undo` is the name of the action that takes it back, if there
    is one, with `tag` in place of the action's own if that differs, and `ids` are the conversations
    that were changed (public ids)."""

    sentence: str
    undo: str = ""
    ids: Sequence[UUID] = ()
    tag: str | None = None


def organise(user: User, action: str, ids: Collection[UUID], tag: str = "") -> Outcome:
    """Does this with the user's conversations with these public ids; ids of others are left out.
    `tag` is the name of a tag, or the public id of a project, "" for none. Raises `Rejected`."""
    act = _ACTIONS.get(action)
    if act is None:
        raise Rejected(_("There is no such action."))
    if not ids:
        raise Rejected(_("Select conversations first."))
    if len(ids) > MAX_SELECTED:
        raise Rejected(
            _("Select at most %(count)s conversations at once.") % {"count": f"{MAX_SELECTED:,}"}
        )
    selected = Conversation.objects.for_user(user).filter(public_id__in=ids)
    with transaction.atomic():
        return act(user, selected, tag)


def _pin(user: User, selected: Selected, tag: str) -> Outcome:
    new = selected.filter(pinned=None)
    pinned = Conversation.objects.for_user(user).filter(pinned__isnull=False)
    if pinned.count() + new.count() > MAX_PINNED:
        raise Rejected(
            _("You can pin %(count)s conversations. Unpin some first.") % {"count": MAX_PINNED}
        )
    ids = _update(new, pinned=timezone.now(), archived=None)
    sentence = ngettext("%(n)s conversation pinned.", "%(n)s conversations pinned.", len(ids))
    return Outcome(sentence % {"n": len(ids)}, "unpin", ids)


def _unpin(user: User, selected: Selected, tag: str) -> Outcome:
    ids = _update(selected.filter(pinned__isnull=False), pinned=None)
    sentence = ngettext("%(n)s conversation unpinned.", "%(n)s conversations unpinned.", len(ids))
    return Outcome(sentence % {"n": len(ids)}, "pin", ids)


def _archive(user: User, selected: Selected, tag: str) -> Outcome:
    ids = _update(selected.filter(archived=None), archived=timezone.now(), pinned=None)
    sentence = ngettext("%(n)s conversation archived.", "%(n)s conversations archived.", len(ids))
    return Outcome(sentence % {"n": len(ids)}, "unarchive", ids)


def _unarchive(user: User, selected: Selected, tag: str) -> Outcome:
    ids = _update(selected.filter(archived__isnull=False), archived=None)
    sentence = ngettext(
        "%(n)s conversation is in the list again.",
        "%(n)s conversations are in the list again.",
        len(ids),
    )
    return Outcome(sentence % {"n": len(ids)}, "archive", ids)


def _update(changed: Selected, **columns: Any) -> list[UUID]:
    """The public ids of those that were changed."""
    rows = dict(changed.values_list("pk", "public_id"))
    Conversation.objects.filter(pk__in=rows).update(**columns)
    return list(rows.values())


def _tag(user: User, selected: Selected, tag: str) -> Outcome:
    row = own_tag(user, tag)
    new = dict(selected.exclude(tags=row).values_list("pk", "public_id"))
    _refuse_many_tags(new)
    row.conversations.add(*new)
    sentence = ngettext(
        "%(n)s conversation tagged “%(tag)s”.", "%(n)s conversations tagged “%(tag)s”.", len(new)
    )
    return Outcome(sentence % {"n": len(new), "tag": row.name}, "untag", list(new.values()))


def _untag(user: User, selected: Selected, tag: str) -> Outcome:
    name = tag_name(tag)
    row = Tag.objects.for_user(user).filter(name=name).first()
    rows = dict(selected.filter(tags=row).values_list("pk", "public_id")) if row else {}
    if row is not None:
        row.conversations.remove(*rows)
        forget_unused_tags(user)
    sentence = ngettext(
        "Tag “%(tag)s” removed from %(n)s conversation.",
        "Tag “%(tag)s” removed from %(n)s conversations.",
        len(rows),
    )
    return Outcome(sentence % {"n": len(rows), "tag": name}, "tag", list(rows.values()))


def _move(user: User, selected: Selected, project: str) -> Outcome:
    """Into the project, or out of theirs. Temporary ones stay where nobody finds them."""
    target = _own_project(user, project)
    if not selected.filter(is_temporary=False).exists() and selected.exists():
        raise Rejected(_("A temporary conversation cannot be in a project. Keep it first."))
    if target and selected.filter(is_shared_to_write=True).exists():
        raise Rejected(
            _(
                "Others write in a conversation that you chose. Share it to read only before you "
                "move it: a project's instructions and files are yours alone."
            )
        )
    moved = selected.filter(is_temporary=False)
    moved = moved.exclude(project=target) if target else moved.filter(project__isnull=False)
    before = set(moved.values_list("project__public_id", flat=True)[:MAX_SELECTED])
    ids = _update(moved, project=target)
    [back] = before if len(before) == 1 else [None]
    undo = "move" if len(before) == 1 else ""
    return Outcome(_moved_sentence(target, len(ids)), undo, ids, str(back or ""))


def _own_project(user: User, public_id: str) -> Project | None:
    """None for "". Raises `Rejected` if the user has no such project."""
    if not public_id:
        return None
    parsed = parse_public_id(public_id)
    found = Project.objects.for_user(user).filter(public_id=parsed).first() if parsed else None
    if found is None:
        raise Rejected(_("This project does not exist. It may have been deleted."))
    return found


def _moved_sentence(target: Project | None, count: int) -> str:
    if target is None:
        sentence = ngettext(
            "%(n)s conversation is in no project any more.",
            "%(n)s conversations are in no project any more.",
            count,
        )
        return sentence % {"n": count}
    sentence = ngettext(
        "%(n)s conversation moved to “%(project)s”.",
        "%(n)s conversations moved to “%(project)s”.",
        count,
    )
    return sentence % {"n": count, "project": target.name}


def _delete(user: User, selected: Selected, tag: str) -> Outcome:
    count = selected.count()
    conversations.delete(selected)
    forget_unused_tags(user)
    sentence = ngettext(
        "%(n)s conversation and its traces are deleted.",
        "%(n)s conversations and their traces are deleted.",
        count,
    )
    return Outcome(sentence % {"n": count})


def forget_unused_tags(user: User) -> None:
    Tag.objects.for_user(user).filter(conversations=None).delete()


def tag_name(text: str) -> str:
    """The name of a tag as it is stored. Raises `Rejected`."""
    name = " ".join(storable(text).replace(",", " ").split()).removeprefix("#").strip()
    if not name:
        raise Rejected(_("A tag needs a name."))
    if len(name) > MAX_TAG:
        raise Rejected(_("A tag has at most %(count)s characters.") % {"count": MAX_TAG})
    return name


def own_tag(user: User, text: str) -> Tag:
    """The user's tag, made if it is new; upper and lower case are the same tag. Raises
    `Rejected`."""
    name = tag_name(text)
    own = Tag.objects.for_user(user)
    known = own.filter(name__iexact=name).first()
    if known is None and own.count() >= MAX_USER_TAGS:
        raise Rejected(
            _("You have %(count)s tags, which is the limit. Remove one first.")
            % {"count": MAX_USER_TAGS}
        )
    return known or Tag.objects.get_or_create(owner=user, name=name)[0]


def _refuse_many_tags(conversation_ids: Collection[int]) -> None:
    chosen = Conversation.objects.filter(pk__in=conversation_ids)
    if chosen.annotate(count=Count("tags")).filter(count__gte=MAX_TAGS).exists():
        raise Rejected(
            _("A conversation has at most %(count)s tags. Remove one first.") % {"count": MAX_TAGS}
        )


_ACTIONS: Mapping[str, Callable[[User, Selected, str], Outcome]] = {
    "pin": _pin,
    "unpin": _unpin,
    "archive": _archive,
    "unarchive": _unarchive,
    "tag": _tag,
    "untag": _untag,
    "move": _move,
    "delete": _delete,
}
