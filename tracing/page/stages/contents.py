"""What a column of the stage ladder shows: one class for each content, with its template.

A template is included as `{% include stage.content.template with content=stage.content %}`.
"""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.safestring import SafeString

from tracing.formatting.text import Clip
from tracing.models import Payload
from tracing.page.payload.reader import Reader
from tracing.page.stages.request import RequestView
from tracing.page.stages.response import OutputView, ResponseView
from tracing.page.stages.response_events import ResponseEvents
from tracing.page.stages.side_by_side import SideBySide


@dataclass(frozen=True)
class Missing:
    """The stage has no payload."""

    template: ClassVar[str] = "tracing/stages/_missing.html"


@dataclass(frozen=True)
class Damaged:
    """The payload is corrupt, for this reason."""

    template: ClassVar[str] = "tracing/stages/_damaged.html"

    reason: str


@dataclass(frozen=True)
class RawBytes:
    """The bytes of the payload, by parts."""

    template: ClassVar[str] = "tracing/stages/_raw_bytes.html"

    reader: Reader


@dataclass(frozen=True)
class PromptSlot:
    """Space for the rendered prompt, which another view makes."""

    template: ClassVar[str] = "tracing/stages/_prompt.html"


@dataclass(frozen=True)
class StageText:
    """Text, with a `tree` or coloured `markup` if it is JSON.

    `is_folded`: unchanged messages are left out. `event_count` is the number of events that the
    JSON lists. `is_broken`: it should be JSON and is none.
    """

    template: ClassVar[str] = "tracing/stages/_text.html"

    text: Clip | None = None
    markup: SafeString | str = ""
    tree: SafeString | None = None
    event_count: int = 0
    is_folded: bool = False
    is_broken: bool = False


StageContent = (
    Missing
    | Damaged
    | RawBytes
    | PromptSlot
    | RequestView
    | SideBySide
    | ResponseView
    | ResponseEvents
    | OutputView
    | StageText
)


@dataclass(frozen=True)
class Stage:
    """A column of the ladder: one of the four stages of a generation, in one view."""

    name: str
    view: str
    payload: Payload | None
    content: StageContent

    @property
    def message_count(self) -> int | None:
        """Messages of a request; None for any other content."""
        return self.content.messages if isinstance(self.content, RequestView) else None

    @property
    def event_count(self) -> int | None:
        """Events of a response that is shown part by part; None for any other content."""
        return self.content.events if isinstance(self.content, ResponseView) else None

    @property
    def error_count(self) -> int:
        """Parse errors of an output."""
        return len(self.content.errors) if isinstance(self.content, OutputView) else 0
