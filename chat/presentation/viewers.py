"""Who looks at a conversation: its owner, or a member of a group that it is shared with."""

from dataclasses import dataclass

from django.utils.translation import gettext

from chat.models import Conversation, Turn
from db.users import AnyUser
from tracing.formatting.text import visible


@dataclass(frozen=True)
class Viewer:
    """What this person may do there. `user` is a primary key, 0 for the owner without one."""

    user: int = 0
    is_owner: bool = True
    may_write: bool = True

    def may_change(self, turn: Turn) -> bool:
        """Whether they may stop it, decide about its calls, and change it while it waits."""
        return self.is_owner or (self.may_write and turn.author_id == self.user)

    def author(self, turn: Turn) -> str:
        """The name of who wrote its question; "" of one's own. Of turns that were read
        `with_names`."""
        if turn.is_of_member:
            is_own = turn.author_id == self.user
            name = visible(getattr(turn, "author_name", None) or "")
            return "" if is_own else name or gettext("Former member")
        return "" if self.is_owner else visible(getattr(turn, "owner_name", None) or "")


OWNER = Viewer()


def viewer_of(user: AnyUser, conversation: Conversation) -> Viewer:
    """Of a conversation that the user may read, or a subagent's in it. No query for the owner."""
    if conversation.owner_id == user.pk:
        return Viewer(user.pk or 0)
    writable = Conversation.objects.writable_by(user)
    top = conversation.top
    return Viewer(user.pk or 0, False, writable.filter(pk=top.pk).exists())
