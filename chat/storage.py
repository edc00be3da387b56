"""What a user keeps here, in bytes, and the most that they may (`USER_STORAGE_BYTES`); and whether
the disk has room for more, whoever asks (`disk_free_bytes` of `SANDBOX_LIMITS`).

What is counted are files in workspaces, attachments, messages, the texts of assistants and
playgrounds, and the skills and cassettes that the user uploaded for everybody. Traces are not,
whose age the operator limits; servers of one's own have a number (`limits.tools.MAX_OWN_SERVERS`).
"""

import os
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.db.models.functions import Length

from chat.errors import Rejected
from chat.models import (
    Attachment,
    CassetteFile,
    Conversation,
    Message,
    Playground,
    PlaygroundRun,
    Preset,
    Skill,
)
from db.threads import after_commit, in_database
from limits.chat import MAX_KNOWN_USAGES
from tools.workspace.limits import configured
from tracing.formatting.figures import size

# Messages are the many small ones: their sum, which is the dear one, may be so old.
MESSAGES_S = 600.0
# Where a moment counts, so old may be what is known of all.
USAGE_S = 30.0
# Those of an assistant that have no narrow limit of their own.
_ASSISTANT_TEXTS = ("system_prompt", "tools", "servers", "policies", "skills", "starters")
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
    texts: int
    uploads: int
    at: float
    messages_at: float

    @property
    def total(self) -> int:
        return self.files + self.attachments + self.messages + self.texts + self.uploads

    @property
    def sentence(self) -> str:
        """Of what they are, and how to have fewer."""
        return (
            f"You keep {size(self.total)}; the limit is {size(settings.USER_STORAGE_BYTES)}. Files "
            f"of conversations have {size(self.files)}, attachments {size(self.attachments)}, "
            f"messages {size(self.messages)}, assistants and playgrounds {size(self.texts)}, "
            f"uploaded skills and cassettes {size(self.uploads)}. Delete what you no longer need, "
            "and try again."
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
    attached = _sum(Attachment.objects.filter(owner=user_id), "size")
    files = _sum(Conversation.objects.filter(owner=user_id), "workspace_bytes")
    texts, uploads = _texts(user_id), _uploads(user_id)
    if len(_known) >= MAX_KNOWN_USAGES:
        _known.clear()
    _known[user_id] = counted = Usage(files, attached, messages, texts, uploads, now, messages_at)
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


def check_upload(user_id: int, more: int = 0) -> None:
    """Both, for what somebody uploads or writes."""
    check_disk(more)
    check(user_id, more)


def _messages(user_id: int) -> int:
    return _sum(Message.objects.filter(conversation__owner=user_id), Length("body"))


def _texts(user_id: int) -> int:
    """Of assistants and of what was typed into playgrounds, in characters."""
    owned = Preset.objects.filter(owner=user_id)
    playgrounds = Playground.objects.filter(archive__owner=user_id)
    runs = PlaygroundRun.objects.filter(playground__archive__owner=user_id)
    assistants = sum(_sum(owned, Length(field)) for field in _ASSISTANT_TEXTS)
    return assistants + _sum(playgrounds, Length("draft")) + _sum(runs, Length("draft"))


def _uploads(user_id: int) -> int:
    """What this user uploaded for everybody, as the files had it."""
    skills = _sum(Skill.objects.filter(uploader=user_id), "size")
    return skills + _sum(CassetteFile.objects.filter(uploader=user_id), "size")


def _sum(rows: QuerySet[Any], of: str | Length) -> int:
    return rows.aggregate(sum=Sum(of))["sum"] or 0
