"""The bytes that a user stores, their limit (a rule of `chat.quotas`, else `USER_STORAGE_BYTES`),
and the free space of the disk (`disk_free_bytes` of `SANDBOX_LIMITS`).

Files in workspaces and of projects, attachments, snapshots of shared links, messages, texts of
assistants and playgrounds, and skills and cassettes that the user uploaded for everybody count.
Traces do not, because the operator limits their age; a user's own servers are limited by number
(`limits.tools.MAX_OWN_SERVERS`).
"""

import logging
import os
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext

from chat.errors import Rejected
from chat.models import (
    Attachment,
    CassetteFile,
    Conversation,
    Draft,
    Message,
    Playground,
    PlaygroundRun,
    Preset,
    Project,
    ProjectFile,
    PromptTemplate,
    QuotaRule,
    SharedLink,
    Skill,
)
from chat.quotas import refusals, rules
from db.threads import after_commit, in_database
from languages.later import later
from limits.chat import MAX_KNOWN_USAGES
from tools.workspace.limits import configured
from tracing.formatting.figures import size

logger = logging.getLogger(__name__)

# Maximum age in seconds of the sum of messages, which is slow to compute.
MESSAGES_S = 600.0
# Maximum age in seconds of a usage for checks that have to be quick.
USAGE_S = 30.0
# Seconds before such a usage is counted: turns that begin together use the database first.
COUNT_DELAY_S = 2.0
# Texts of an assistant that have no small limit of their own.
_ASSISTANT_TEXTS = ("system_prompt", "tools", "servers", "policies", "skills", "starters")
DISK_FULL = later(
    "The server's disk is nearly full, so nothing was kept. Tell an admin, and try again when "
    "there is room."
)


@dataclass(frozen=True)
class Usage:
    """Bytes that a user stores; those of messages are approximate. `at` and `messages_at` are the
    times of counting, by the monotonic clock."""

    files: int
    attachments: int
    messages: int
    texts: int
    uploads: int
    projects: int
    at: float
    messages_at: float

    @property
    def total(self) -> int:
        kept = self.files + self.attachments + self.messages + self.texts
        return kept + self.uploads + self.projects

    def sentence(self, limit: int) -> str:
        """The usage by kind beside the limit in bytes, and what to do."""
        return gettext(
            "You keep %(total)s; the limit is %(user_storage_bytes)s. Files of "
            "conversations have %(files)s, attachments %(attachments)s, messages "
            "%(messages)s, assistants and playgrounds %(texts)s, uploaded skills and "
            "cassettes %(uploads)s, projects %(projects)s. Delete what you no longer need, and try "
            "again."
        ) % {
            "total": size(self.total),
            "user_storage_bytes": size(limit),
            "files": size(self.files),
            "attachments": size(self.attachments),
            "messages": size(self.messages),
            "texts": size(self.texts),
            "uploads": size(self.uploads),
            "projects": size(self.projects),
        }


_cache: dict[int, Usage] = {}
# Users whose usage is to be counted.
_uncounted: set[int] = set()
_lock = threading.Lock()


def usage(user_id: int, within_s: float = 0.0) -> Usage:
    """The user's usage, at most `within_s` seconds old."""
    now = time.monotonic()
    before = _cache.get(user_id)
    if before is not None and now - before.at < within_s:
        return before
    if before is not None and now - before.messages_at < MESSAGES_S:
        messages, messages_at = before.messages, before.messages_at
    else:
        messages, messages_at = _messages(user_id), now
    attached = _sum(Attachment.objects.filter(owner=user_id), "size")
    attached += _sum(SharedLink.objects.filter(owner=user_id), "size")
    files = _sum(Conversation.objects.filter(owner=user_id), "workspace_bytes")
    texts, uploads, projects = _texts(user_id), _uploads(user_id), _projects(user_id)
    if len(_cache) >= MAX_KNOWN_USAGES:
        _cache.clear()
    current = Usage(files, attached, messages, texts, uploads, projects, now, messages_at)
    _cache[user_id] = current
    return current


def limit_of(user_id: int) -> int | None:
    """The bytes that a user may store: by a rule for the user, else `USER_STORAGE_BYTES`; None
    without a limit."""
    rule = rules.amount_of(user_id, QuotaRule.Kind.STORED_BYTES)
    return rule.amount if rule is not None else settings.USER_STORAGE_BYTES or None


def check(user_id: int, more: int = 0, within_s: float = 0.0) -> None:
    """Raises `QuotaExceeded` if `more` bytes would exceed the user's limit; without `more`, if the
    limit is reached."""
    limit = limit_of(user_id)
    if limit is None:
        return
    current = usage(user_id, within_s)
    if current.total + max(more, 1) > limit:
        problem = (
            gettext("There is no room for %(more)s.") % {"more": size(more)}
            if more
            else gettext("Your storage is full.")
        )
        raise refusals.full_storage(f"{problem} {current.sentence(limit)}", limit, current.total)


def check_soon(user_id: int, more: int) -> None:
    """The same for a message, without waiting for the database: by the cached usage. A new count is
    made before a refusal, and by `grew` if the cached one is old or missing."""
    cached = _cache.get(user_id)
    limit = limit_of(user_id)
    if limit is not None and cached is not None and cached.total + more > limit:
        check(user_id, more)


def grew(user_id: int, *, attachments: int = 0, messages: int = 0) -> None:
    """Adds bytes to the cached usage after a commit, and has it counted if it is old or missing:
    after what else follows the commit, which people wait for."""
    cached = _cache.get(user_id)
    is_old = cached is None or time.monotonic() - cached.at > USAGE_S
    if is_old and limit_of(user_id) is not None:
        after_commit(partial(_count_later, user_id))
    if cached is not None:
        _cache[user_id] = replace(
            cached,
            attachments=cached.attachments + attachments,
            messages=cached.messages + messages,
        )


def check_disk(more: int = 0) -> None:
    """Raises `Rejected` if `more` bytes would leave too little free space on the home's disk."""
    home = settings.HOME
    disk = os.statvfs(next(folder for folder in (home, *home.parents) if folder.exists()))
    if disk.f_bavail * disk.f_frsize - more < configured().disk_free_bytes:
        raise Rejected(DISK_FULL)


def check_upload(user_id: int, more: int = 0) -> None:
    """Both checks, for uploads and texts."""
    check_disk(more)
    check(user_id, more)


def forget() -> None:
    """Forgets all usages, and whose usage is to be counted."""
    with _lock:
        _uncounted.clear()
    _cache.clear()


def _count_later(user_id: int) -> None:
    with _lock:
        is_first = not _uncounted
        _uncounted.add(user_id)
    if is_first:
        timer = threading.Timer(COUNT_DELAY_S, _count)
        timer.daemon = True
        timer.start()


def _count() -> None:
    """Counts what is to be counted, one user after another."""
    with _lock:
        users = sorted(_uncounted)
        _uncounted.clear()
    for user_id in users:
        try:
            in_database(usage, user_id)
        except Exception:
            # The user's next message asks again.
            logger.info("The usage of user %s could not be counted", user_id, exc_info=True)


def _messages(user_id: int) -> int:
    return _sum(Message.objects.filter(conversation__owner=user_id), Length("body"))


def _texts(user_id: int) -> int:
    """Characters of assistants, prompts, and drafts of messages and in playgrounds."""
    owned = Preset.objects.filter(owner=user_id)
    playgrounds = Playground.objects.filter(archive__owner=user_id)
    runs = PlaygroundRun.objects.filter(playground__archive__owner=user_id)
    prompts = _sum(PromptTemplate.objects.filter(owner=user_id), Length("text"))
    drafts = _sum(Draft.objects.filter(owner=user_id), Length("text"))
    assistants = sum(_sum(owned, Length(field)) for field in _ASSISTANT_TEXTS)
    assistants += prompts + drafts
    return assistants + _sum(playgrounds, Length("draft")) + _sum(runs, Length("draft"))


def _uploads(user_id: int) -> int:
    """Bytes of the files that this user uploaded for everybody."""
    skills = _sum(Skill.objects.filter(uploader=user_id), "size")
    return skills + _sum(CassetteFile.objects.filter(uploader=user_id), "size")


def _projects(user_id: int) -> int:
    """Bytes of the files of this user's projects, and characters of their instructions."""
    instructions = _sum(Project.objects.filter(owner=user_id), Length("instructions"))
    return instructions + _sum(ProjectFile.objects.filter(project__owner=user_id), "size")


def _sum(rows: QuerySet[Any], column: str | Length) -> int:
    return rows.aggregate(sum=Sum(column))["sum"] or 0
