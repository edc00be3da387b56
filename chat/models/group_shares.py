"""Conversations that their owners share with groups of people."""

import uuid

from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.users import AnyUser


class ConversationShareQuerySet(models.QuerySet["ConversationShare"]):
    def reaching(self, user: AnyUser, *, to_write: bool = False) -> "ConversationShareQuerySet":
        """The shares with groups that this user is in; `to_write`: of those that allow writing."""
        # A key of nobody's: None would match groups without members.
        reaching = self.filter(group__user=user.pk or 0)
        return reaching.filter(may_write=True) if to_write else reaching


class ConversationShare(models.Model):
    """A conversation that its owner shares with a group, to read or to write in.

    Made and ended by `chat.commands.group_sharing` alone, which keeps
    `Conversation.is_shared_to_write`. Groups and their members are a matter of admins.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    conversation = models.ForeignKey(
        "chat.Conversation", on_delete=models.CASCADE, related_name="shares", db_index=False
    )
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="conversation_shares")
    may_write = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)

    objects = ConversationShareQuerySet.as_manager()

    class Meta:
        constraints = (
            # The shares of a conversation.
            models.UniqueConstraint(
                fields=["conversation", "group"], name="conversation_share_once_a_group"
            ),
        )

    def __str__(self) -> str:
        return f"share of {self.conversation_id} with {self.group_id}"


def own_or_shared(user: AnyUser, path: str = "", *, to_write: bool = False) -> Q:
    """The condition that the conversation at this path ("": the row itself) is the user's own, or
    shared with a group that the user is in."""
    owner = f"{path}__owner_id" if path else "owner_id"
    return Q(**{owner: user.pk}) | shared(user, path, to_write=to_write)


def shared(user: AnyUser, path: str = "", *, to_write: bool = False) -> Q:
    """The condition that the conversation at this path is shared with a group of the user's."""
    shares = ConversationShare.objects.reaching(user, to_write=to_write)
    key = f"{path}__in" if path else "pk__in"
    return Q(**{key: shares.values("conversation")})
