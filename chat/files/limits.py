"""The limits of a workspace, for commands and people alike, as the operator set them."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext

from tools.workspace.limits import configured
from tracing.formatting.figures import size


@dataclass(frozen=True)
class Limits:
    """`file_bytes` limits one upload; the others limit the workspace as a whole."""

    file_bytes: int
    total_bytes: int
    files: int

    @property
    def sentence(self) -> str:
        return gettext("Up to %(file_bytes)s a file.") % {"file_bytes": size(self.file_bytes)}


def limits() -> Limits:
    most = configured()
    return Limits(settings.WORKSPACE_UPLOAD_BYTES, most.workspace_bytes, most.workspace_files)
