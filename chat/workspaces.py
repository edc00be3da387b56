"""The folder that the tools of a conversation work in: `{workspace}` in a server's settings."""

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import transaction

from tools.workspace.removal import remove_workspace

logger = logging.getLogger(__name__)


def folder(conversation: UUID) -> Path:
    """The path of the folder; the first call creates it."""
    return Path(settings.WORKSPACES) / str(conversation)


def remove_after_commit(conversations: Iterable[UUID]) -> None:
    """Removes the folders with their content once the transaction has committed; where machines
    share no folder, whoever has the files removes them (`chat.placement.removals`)."""
    if settings.WORKSPACES_KIND != "shared":
        _note_removals(list(conversations))
        return
    for workspace in [folder(conversation) for conversation in conversations]:
        transaction.on_commit(partial(_remove, workspace))


def _note_removals(conversations: list[UUID]) -> None:
    places = apps.get_model("chat", "WorkspacePlace").objects
    removals = apps.get_model("chat", "WorkspaceRemoval")
    rows = places.filter(conversation__public_id__in=conversations)
    removals.objects.bulk_create(
        removals(workspace=workspace, machine=machine)
        for workspace, machine in rows.values_list("conversation__public_id", "machine")
    )


def _remove(workspace: Path) -> None:
    try:
        remove_workspace(workspace)
    except OSError:
        logger.exception("the workspace %s could not be removed as a whole", workspace)
