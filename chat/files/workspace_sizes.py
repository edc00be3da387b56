"""How many bytes lie in the workspaces: counted when something may have changed, and kept on the
rows of their conversations, so that a sum tells what a user has (`chat.storage`).
"""

import threading
from pathlib import Path
from uuid import UUID

from django.db.models import F, QuerySet

from chat import workspaces
from chat.files.walking import total
from chat.models import Conversation, WorkspacePlace
from chat.placement import copies, machines
from chat.placement.routing import is_shared
from db.threads import in_database
from tools.workspace.disk import measure
from tools.workspace.limits import configured

_touched: set[UUID] = set()
_lock = threading.Lock()


def touch(workspace: Path) -> None:
    """Marks a workspace for `count_touched`, after a call that may have written to it."""
    with _lock:
        _touched.add(UUID(workspace.name))


def count_touched() -> None:
    """Counts the marked workspaces. Periodic work of the `tools` worker."""
    with _lock:
        waiting = list(_touched)
        _touched.clear()
    for conversation in waiting:
        in_database(_keep, conversation, _bytes(conversation))


def count(conversation: UUID) -> None:
    """Counts the bytes of a workspace, and stores them if they have changed."""
    if is_shared():
        _keep(conversation, _bytes(conversation))
        return
    files = total(copies.names(conversation), configured().workspace_files)
    _keep(conversation, files.bytes)


def grow(conversation: UUID, size: int) -> None:
    """Adds the bytes of an upload."""
    _rows(conversation).update(workspace_bytes=F("workspace_bytes") + size)


def count_all() -> None:
    """Counts all workspaces, for files that were written without a call, as by a server."""
    public_ids = in_database(lambda: list(Conversation.objects.values_list("public_id", flat=True)))
    if not is_shared():  # a folder of this machine may be an older copy
        public_ids = in_database(_placed_here)
    for conversation in public_ids:
        if workspaces.folder(conversation).is_dir():
            in_database(_keep, conversation, _bytes(conversation))


def _placed_here() -> list[UUID]:
    rows = WorkspacePlace.objects.filter(machine=machines.name())
    return list(rows.values_list("conversation__public_id", flat=True))


def _keep(conversation: UUID, size: int) -> None:
    changed = _rows(conversation).exclude(workspace_bytes=size)
    if changed.exists():
        changed.update(workspace_bytes=size)


def _rows(conversation: UUID) -> QuerySet[Conversation]:
    return Conversation.objects.filter(public_id=conversation)


def _bytes(conversation: UUID) -> int:
    try:
        return measure(workspaces.folder(conversation), configured().workspace_files).bytes
    except FileNotFoundError:  # nobody wrote to it yet, or it was removed
        return 0
