"""What a user keeps here, in bytes, and the most that they may (`USER_STORAGE_BYTES`); and whether
the disk has room for more, whoever asks (`disk_free_bytes` of `SANDBOX_LIMITS`).

What is counted are files in workspaces, attachments, and messages; traces are not, whose age the
operator limits, nor skills and cassettes, which admins keep for everybody.
"""

import os
import time
from dataclasses import dataclass, replace
from functools import partial

from django.conf import settings
from django.db.models import Sum
from django.db.models.functions import Length

from chat.errors import Rejected
from chat.models import Attachment, Conversation, Message
from db.threads import after_commit, in_database
from tools.workspace.limits import configured
from tracing.figures import size

# Messages are the many small ones: their sum, which is the dear one, may be so old.
MESSAGES_S = 600.0
MOST_KNOWN = 10_000
# Where a moment counts, so old may be what is known of all.
USAGE_S = 30.0
DISK_FULL = (
    "The server's disk is nearly full, so nothing was kept. Tell an admin, and try again when "
    "there is room."
)


@dataclass(frozen=True)
class Usage:
    """Bytes that a user keeps; of messages about as many. `at`, `messages_at`: when they were
    counted, by the monotonic clock."""

    files: int
    attachments: int
    messages: int
    at: float
    messages_at: float

    @property
    def total(self) -> int:
        return self.files + self.attachments + self.messages

    @property
    def sentence(self) -> str:
        """Of what they are, and how to have fewer."""
        return (
            f"You keep {size(self.total)}; the limit is {size(settings.USER_STORAGE_BYTES)}. Files "
            f"of conversations have {size(self.files)}, attachments {size(self.attachments)}, "
            f"messages {size(self.messages)}. Delete conversations or files that you no longer "
            "need, and try again."
        )


_known: dict[int, Usage] = {}


def usage(user_id: int, within_s: float = 0.0) -> Usage:
    """What the user keeps, as it was counted at most `within_s` seconds ago in this process."""
    now = time.monotonic()
    before = _known.get(user_id)
    if before is not None and now - before.at < within_s:
        return before
    if before is not None and now - before.messages_at < MESSAGES_S:
        messages, messages_at = before.messages, before.messages_at
    else:
        messages, messages_at = _messages(user_id), now
    attached = Attachment.objects.filter(owner=user_id).aggregate(sum=Sum("size"))["sum"] or 0
    owned = Conversation.objects.filter(owner=user_id)
    files = owned.aggregate(sum=Sum("workspace_bytes"))["sum"] or 0
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[user_id] = counted = Usage(files, attached, messages, now, messages_at)
    return counted


def check(user_id: int, more: int = 0, within_s: float = 0.0) -> None:
    """Raises `Rejected` if the user may not keep so many bytes more; without `more`, if they keep
    as much as they may already."""
    limit = settings.USER_STORAGE_BYTES
    if not limit:
        return
    kept = usage(user_id, within_s)
    if kept.total + max(more, 1) > limit:
        what = f"There is no room for {size(more)}." if more else "Your storage is full."
        raise Rejected(f"{what} {kept.sentence}")


def check_soon(user_id: int, more: int) -> None:
    """The same for a message, which waits for no database: by what is known. It is counted when
    that is old, and before anything is refused; who is not known yet goes on."""
    kept = _known.get(user_id)
    limit = settings.USER_STORAGE_BYTES
    if not limit:
        return
    if kept is not None and kept.total + more > limit:
        check(user_id, more)
    if kept is None or time.monotonic() - kept.at > USAGE_S:
        after_commit(partial(in_database, usage, user_id))


def grew(user_id: int, *, attachments: int = 0, messages: int = 0) -> None:
    """The user keeps so many bytes more than is known."""
    kept = _known.get(user_id)
    if kept is not None:
        attached, written = kept.attachments + attachments, kept.messages + messages
        _known[user_id] = replace(kept, attachments=attached, messages=written)


def check_disk(more: int = 0) -> None:
    """Raises `Rejected` if the disk of the home would have less room than is to stay free."""
    home = settings.HOME
    disk = os.statvfs(next(folder for folder in (home, *home.parents) if folder.exists()))
    if disk.f_bavail * disk.f_frsize - more < configured().disk_free_bytes:
        raise Rejected(DISK_FULL)


def check_upload(user_id: int, more: int) -> None:
    """Both, for a file that somebody uploads."""
    check_disk(more)
    check(user_id, more)


def _messages(user_id: int) -> int:
    written = Message.objects.filter(conversation__owner=user_id)
    return written.aggregate(sum=Sum(Length("body")))["sum"] or 0
