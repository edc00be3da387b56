"""The workspace before and after a tool call that uses it, on the machine that has it."""

import logging
from uuid import UUID

from django.conf import settings

from chat import workspaces
from chat.models import Conversation, WorkspacePlace
from chat.placement import pins, stored
from db.threads import in_database
from tools.errors import ToolError
from tracing.formatting.text import with_full_stop

logger = logging.getLogger(__name__)

EMPTIED = (
    "The files of this conversation were on the machine that runs this call, and are not there any "
    "more. The call was not run. Tell the user that an admin has to bring them back."
)
NOT_FETCHED = "The files of this conversation cannot be read: {why} The call was not run."
NOT_STORED = (
    "The call has run, but the files that it changed could not be stored: {why} They are kept on "
    "the machine that ran it, and are stored with the next call."
)


def enter(conversation: Conversation) -> str:
    """Before a call: the folder is there and current. Returns "", or why the call cannot be run."""
    if settings.WORKSPACES_KIND == "pinned":
        return in_database(_enter_pinned, conversation)
    try:
        stored.make_current(conversation.public_id)
    except (ToolError, OSError) as error:
        return NOT_FETCHED.format(why=_why(error))
    return ""


def leave(workspace: UUID) -> str:
    """After a call: what it changed is stored. Returns "", or why it is not."""
    if settings.WORKSPACES_KIND == "pinned":
        return ""
    try:
        stored.store_changes(workspace)
    except (ToolError, OSError) as error:
        logger.warning("Changes of the workspace %s are not stored: %s", workspace, error)
        return NOT_STORED.format(why=_why(error))
    return ""


def _enter_pinned(conversation: Conversation) -> str:
    """A folder that was there and is missing is an error: nobody gets an empty one for it."""
    place = pins.place_of(conversation.pk)
    folder = workspaces.folder(conversation.public_id)
    if place.version and not folder.exists():
        return EMPTIED
    if not place.version:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        WorkspacePlace.objects.filter(pk=place.pk, version=0).update(version=1)
    return ""


def _why(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return with_full_stop(text)
