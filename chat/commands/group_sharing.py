"""Sharing a conversation with a group of people, to read or to write in; ending that.

Only the owner does either, with groups that they are in themselves. While a group may write,
requests have nothing that is personal to anybody (`Conversation.is_shared_to_write`), and what the
owner allowed for the whole conversation before that is asked anew. See
docs/decisions/shared-conversations.md.
"""

import uuid
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from audit.models import Action
from audit.recording import record
from chat.errors import Rejected
from chat.models import Conversation, ConversationShare
from languages.later import later
from limits.chat import MAX_SHARES

NOT_IN_GROUP = later("You are not in this group any more. Choose another one.")


def share(user: User, conversation: Conversation, group_id: int, *, to_write: bool) -> None:
    """Shares the user's conversation with a group, or changes whether the group may write. Raises
    `Rejected`."""
    group = Group.objects.filter(pk=group_id, user=user.pk).first()
    if group is None:
        raise Rejected(str(NOT_IN_GROUP))
    with transaction.atomic():
        _lock(conversation)
        _check(conversation, group, to_write=to_write)
        ConversationShare.objects.update_or_create(
            conversation=conversation, group=group, defaults={"may_write": to_write}
        )
        _note_writers(conversation)
        record(Action.SHARED_WITH_GROUP, user, conversation, group=group.name, may_write=to_write)


def end(conversation: Conversation, share_id: uuid.UUID | None) -> None:
    """Ends a share of the conversation; nothing if it has ended."""
    with transaction.atomic():
        _lock(conversation)
        shares = ConversationShare.objects.filter(conversation=conversation)
        ended = shares.filter(public_id=share_id or uuid.UUID(int=0))
        groups = list(ended.values_list("group__name", flat=True))
        ended.delete()
        _note_writers(conversation)
        for name in groups:
            record(Action.GROUP_SHARE_ENDED, conversation.owner, conversation, group=name)


def forget_ended() -> None:
    """Conversations whose last group that might write was deleted are their owners' alone."""
    writing = ConversationShare.objects.filter(conversation=OuterRef("pk"), may_write=True)
    rows = Conversation.objects.filter(is_shared_to_write=True)
    rows.exclude(Exists(writing)).update(is_shared_to_write=False)


def _lock(conversation: Conversation) -> None:
    """Raises `Rejected` if it was deleted."""
    if not Conversation.objects.lock(conversation.pk):
        raise Rejected(_("This conversation was deleted."))
    conversation.refresh_from_db()


def _check(conversation: Conversation, group: Group, *, to_write: bool) -> None:
    if conversation.is_temporary:
        raise Rejected(_("This conversation is temporary. Keep it before you share it."))
    if to_write and conversation.project_id is not None:
        raise Rejected(
            _(
                "This conversation is in a project, whose instructions and files are yours alone. "
                "Take it out of the project before others write in it, or share it to read."
            )
        )
    others = ConversationShare.objects.filter(conversation=conversation).exclude(group=group)
    if others.count() >= MAX_SHARES:
        raise Rejected(
            _("A conversation can be shared with %(most)s groups. End another share first.")
            % {"most": MAX_SHARES}
        )


def _note_writers(conversation: Conversation) -> None:
    """Sets `is_shared_to_write`. Permissions that the owner gave when nobody else wrote end."""
    shares = ConversationShare.objects.filter(conversation=conversation, may_write=True)
    is_shared = shares.exists()
    if is_shared == conversation.is_shared_to_write:
        return
    columns: dict[str, Any] = {"granted": []} if is_shared else {}
    conversation.is_shared_to_write = is_shared
    rows = Conversation.objects.filter(pk=conversation.pk)
    rows.update(is_shared_to_write=is_shared, **columns)
