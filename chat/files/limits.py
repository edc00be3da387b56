"""How much a workspace may hold, as its operator has set it."""

from dataclasses import dataclass

from django.conf import settings

from tracing.figures import size


@dataclass(frozen=True)
class Limits:
    """Of the files that people put into a workspace."""

    file_bytes: int
    total_bytes: int
    files: int

    @property
    def sentence(self) -> str:
        one, all_ = size(self.file_bytes), size(self.total_bytes)
        return f"Up to {one} a file; {self.files:,} files and {all_} together."


def limits() -> Limits:
    return Limits(
        settings.WORKSPACE_UPLOAD_BYTES, settings.WORKSPACE_BYTES, settings.WORKSPACE_FILES
    )
