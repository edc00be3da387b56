"""Where workspaces are, if the machines do not share a folder (`chat.placement`). With a shared
folder these tables are empty."""

import uuid

from django.db import models
from django.utils import timezone

from chat.models.conversations import Conversation


class ToolsMachine(models.Model):
    """A `tools` worker and its home. `seen` is renewed every two seconds; `leaving` while it ends.

    Not a process: a worker that is started again on the same home has the same name.
    """

    name = models.CharField(max_length=64, unique=True)
    seen = models.DateTimeField(default=timezone.now)
    leaving = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class WorkspacePlace(models.Model):
    """The machine that has a conversation's workspace, and what is in object storage of it.

    `machine` is changed by compare-and-set only; "": the next one that has to do with it takes it.
    `manifest` lists the files of this `version` (`tools.workspace.manifests`), and is replaced with
    the version by compare-and-set. `dropped` are names of contents that the version before had and
    this one has not: they are removed when the next version is stored, so that who still reads the
    older version finds them.
    """

    conversation = models.OneToOneField(
        Conversation, on_delete=models.CASCADE, related_name="workspace_place"
    )
    machine = models.CharField(max_length=64, default="", blank=True)
    version = models.PositiveBigIntegerField(default=0)
    manifest = models.BinaryField(default=b"")
    dropped = models.JSONField(default=list)
    bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        indexes = (
            # The places of a machine that leaves, or is moved.
            models.Index(fields=["machine"], name="workspace_place_machine"),
        )

    def __str__(self) -> str:
        return f"{self.conversation_id} on {self.machine or 'no machine'}"


class WorkspaceRemoval(models.Model):
    """A workspace whose conversation was deleted, until its files are, too."""

    workspace = models.UUIDField(default=uuid.uuid4)
    machine = models.CharField(max_length=64, default="", blank=True)

    def __str__(self) -> str:
        return str(self.workspace)
