"""The files of a project as its page and the panel of files list them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.attachments import uploads
from chat.models import Project, ProjectFile
from limits.projects import MAX_PROJECT_BYTES, MAX_PROJECT_FILES
from tracing.formatting.figures import size


@dataclass(frozen=True)
class Listed:
    """`most_bytes` is the size of the largest file that can be uploaded."""

    rows: Sequence[ProjectFile]
    most_bytes: int

    @property
    def bytes(self) -> int:
        return sum(row.size for row in self.rows)

    @property
    def sentence(self) -> str:
        """The limits."""
        return _(
            "Images, text files, and PDF and DOCX as text: up to %(files)s files, %(bytes)s "
            "together."
        ) % {"files": MAX_PROJECT_FILES, "bytes": size(MAX_PROJECT_BYTES)}


def listed(project: Project) -> Listed:
    """By name, without their contents. One query."""
    rows = project.files.defer("content").order_by("name")
    return Listed(list(rows), uploads.max_bytes())
