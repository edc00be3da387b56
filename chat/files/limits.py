"""How much a workspace may hold, as its operator has set it for commands and for people alike."""

from dataclasses import dataclass

from django.conf import settings

from tools.workspace.limits import configured
from tracing.formatting.figures import size


@dataclass(frozen=True)
class Limits:
    """`file_bytes` is of one upload; the others are of all that lies in the workspace."""

    file_bytes: int
    total_bytes: int
    files: int

    @property
    def sentence(self) -> str:
        return f"Up to {size(self.file_bytes)} a file."


def limits() -> Limits:
    most = configured()
    return Limits(settings.WORKSPACE_UPLOAD_BYTES, most.workspace_bytes, most.workspace_files)
