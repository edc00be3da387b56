"""The folder that the tools of a conversation work in: `{workspace}` in a server's settings."""

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from tools.workspace.removal import remove_workspace

logger = logging.getLogger(__name__)


def folder(conversation: UUID) -> Path:
    """The path of the folder; the first call creates it."""
    return Path(settings.WORKSPACES) / str(conversation)


def remove_after_commit(conversations: Iterable[UUID]) -> None:
    """Removes the folders with their content once the transaction has committed."""
    for workspace in [folder(conversation) for conversation in conversations]:
        transaction.on_commit(partial(_remove, workspace))


def _remove(workspace: Path) -> None:
    try:
        remove_workspace(workspace)
    except OSError:
        logger.exception("the workspace %s could not be removed as a whole", workspace)
