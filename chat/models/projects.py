"""Projects: conversations that belong together, with instructions and files of their own."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat.models.agent import Preset
from db import prepared
from db.fields import LabelField, SentenceField
from db.prepared import PreparedQuerySet
from db.users import AnyUser
from limits.projects import MAX_PROJECT_NAME


class ProjectQuerySet(PreparedQuerySet["Project"]):
    def for_user(self, user: AnyUser) -> "ProjectQuerySet":
        """The user's own projects; nobody else sees or changes them."""
        return self.filter(owner_id=user.pk)

    def listed_for(self, user: AnyUser) -> "ProjectQuerySet":
        """Those that are not archived, by name."""
        return self.for_user(user).filter(archived=None).order_by("name", "id")

    def to_begin_in(self, user: AnyUser) -> "ProjectQuerySet":
        """The user's own, each with its preset, and whether the user may still choose that."""
        usable = Preset.objects.for_user(user).filter(pk=OuterRef("preset"))
        rows = self.for_user(user).select_related("preset")
        return rows.annotate(has_usable_preset=Exists(usable.order_by()))

    @prepared.first
    def files_state(self, project: int) -> "models.QuerySet[Project, Any]":
        """Public id, and revision of the files."""
        return self.filter(pk=project).values_list("public_id", "files_revision")

    @prepared.rows
    def said_in_requests(self, project: int) -> "models.QuerySet[Project, Any]":
        """Name and instructions, once for each file, with the name of the file and what document it
        is; with None, None for no file."""
        rows = self.filter(pk=project).order_by("files__name")
        return rows.values_list("name", "instructions", "files__name", "files__document")


class Project(models.Model):
    """A folder of conversations (`Conversation.project`).

    Each request of a conversation in it says its `instructions` (`chat.agent.own_settings`), a new
    conversation begins with its `preset`, and the tools of the workspace see its files below
    `project/`, read-only (`chat.project_folders`).

    `revision` counts the changes of the instructions, which are made by compare-and-set of the
    revision that a form had read. `files_revision` counts the changes of files.
    """

    class Colour(models.TextChoices):
        NONE = "", _("No colour")
        RED = "red", _("Red")
        ORANGE = "orange", _("Orange")
        GREEN = "green", _("Green")
        TEAL = "teal", _("Teal")
        BLUE = "blue", _("Blue")
        VIOLET = "violet", _("Violet")
        PINK = "pink", _("Pink")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="projects"
    )
    name = LabelField(max_length=MAX_PROJECT_NAME)
    colour = models.CharField(max_length=8, choices=Colour.choices, blank=True, default=Colour.NONE)
    instructions = SentenceField(blank=True, default="")
    preset = models.ForeignKey(
        Preset, on_delete=models.SET_NULL, null=True, blank=True, related_name="projects"
    )
    revision = models.PositiveIntegerField(default=0, editable=False)
    files_revision = models.PositiveIntegerField(default=0, editable=False)
    created = models.DateTimeField(default=timezone.now)
    archived = models.DateTimeField(null=True, blank=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        indexes = (
            # The projects of a user, by name.
            models.Index(fields=["owner", "name"], name="project_by_name"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    colour__in=["", "red", "orange", "green", "teal", "blue", "violet", "pink"]
                ),
                name="project_colour_known",
            ),
        )

    def __str__(self) -> str:
        return str(self.name)

    def get_absolute_url(self) -> str:
        return reverse("projects:project", args=[self.public_id])

    @property
    def usable_preset(self) -> Preset | None:
        """The assistant of new conversations, if it may be chosen. Of a row of `to_begin_in`."""
        has_it: bool = getattr(self, "has_usable_preset")  # noqa: B009  # an annotation
        return self.preset if has_it else None


class ProjectFileQuerySet(models.QuerySet["ProjectFile"]):
    def for_user(self, user: AnyUser) -> "ProjectFileQuerySet":
        """The files of the user's projects."""
        return self.filter(project__owner_id=user.pk)


class ProjectFile(models.Model):
    """A file of a project, kept as attachments are: an image unchanged, a text in UTF-8, of a PDF
    or Word file (`document`) its text. `revision` counts how often it was replaced."""

    class Document(models.TextChoices):
        NONE = "", "no document"
        PDF = "pdf", "PDF"
        DOCX = "docx", "DOCX"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="files")
    # As it was uploaded; unique in the project.
    name = models.CharField(max_length=255)
    document = models.CharField(
        max_length=4, choices=Document.choices, blank=True, default=Document.NONE
    )
    media_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField(help_text="Bytes of the content.")
    content = models.BinaryField()
    revision = models.PositiveIntegerField(default=0, editable=False)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)

    objects = ProjectFileQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (
            # The files of a project, by name.
            models.UniqueConstraint(fields=["project", "name"], name="project_file_once_a_name"),
            models.CheckConstraint(
                condition=Q(document__in=["", "pdf", "docx"]), name="project_file_document_known"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_text(self) -> bool:
        return self.media_type == "text/plain"

    @property
    def workspace_name(self) -> str:
        return name_in_workspace(self.name, self.document)


def name_in_workspace(name: str, document: str) -> str:
    """The name of a file in workspaces: what is the text of a document says so."""
    return f"{name}.txt" if document else name
