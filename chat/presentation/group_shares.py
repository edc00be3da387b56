"""The panel in which the owner of a conversation shares it with groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import Group, User

from chat.models import Conversation, ConversationShare
from limits.chat import MAX_SHOWN_MEMBERS
from tracing.formatting.text import visible


@dataclass(frozen=True)
class GroupView:
    """A group and its members without the owner: the first names, and how many more there are.
    `share` is there if the conversation is shared with it."""

    group: Group
    members: Sequence[str]
    more: int = 0
    share: ConversationShare | None = None

    @property
    def name(self) -> str:
        return visible(self.group.name)


@dataclass(frozen=True)
class SharePanel:
    """`others`: the groups of the owner that it can be shared with."""

    shared: Sequence[GroupView]
    others: Sequence[GroupView]

    @property
    def has_writers(self) -> bool:
        return any(one.share.may_write for one in self.shared if one.share)


def share_panel(user: User, conversation: Conversation) -> SharePanel:
    shares = ConversationShare.objects.filter(conversation=conversation).select_related("group")
    by_group = {share.group_id: share for share in shares}
    own = Group.objects.filter(user=user.pk).exclude(pk__in=by_group)
    ordered = sorted(by_group.values(), key=lambda share: share.group.name)
    return SharePanel(
        [_group_view(user, share.group, share) for share in ordered],
        [_group_view(user, group) for group in own.order_by("name")],
    )


def _group_view(user: User, group: Group, share: ConversationShare | None = None) -> GroupView:
    members = User.objects.filter(groups=group, is_active=True).exclude(pk=user.pk)
    names = list(members.order_by("username").values_list("username", flat=True))
    shown = [visible(name) for name in names[:MAX_SHOWN_MEMBERS]]
    return GroupView(group, shown, len(names) - len(shown), share)
