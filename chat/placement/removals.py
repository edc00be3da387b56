"""Removing the files of deleted conversations where they are. The rows are written with the
deletion (`chat.workspaces.remove_after_commit`), and stay until the files are gone."""

import logging

from django.conf import settings

from chat.models import WorkspaceRemoval
from chat.placement import machines, manifests, stored
from chat.placement.routing import is_shared
from db.threads import in_database
from tools.errors import ToolError

logger = logging.getLogger(__name__)

_AT_ONCE = 100


def go_on() -> None:
    """Removes what this machine can remove. Periodic work of the `tools` worker."""
    if is_shared():
        return
    for removal in in_database(_waiting):
        try:
            stored.forget(removal.workspace)
            if settings.WORKSPACES_KIND == "stored":
                manifests.store().remove_all(removal.workspace)
        except (ToolError, OSError) as error:
            logger.warning("The workspace %s is not removed yet: %s", removal.workspace, error)
            continue
        in_database(removal.delete)


def _waiting() -> list[WorkspaceRemoval]:
    """Those of this machine; those in object storage also of machines that are gone."""
    rows = WorkspaceRemoval.objects.order_by("pk")
    own = rows.filter(machine=machines.name())
    if settings.WORKSPACES_KIND == "stored":
        present = machines.present().exclude(name=machines.name()).values("name")
        own = rows.exclude(machine__in=present)
    return list(own[:_AT_ONCE])
