"""When a turn was taken up for a step: what a trace tells between rounds
(`tracing.page.timeline.overhead`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import timezone


@dataclass(frozen=True)
class TakenUp:
    """The moment of the ring that was answered, if this is the first step since, and that at which
    the step began."""

    rung: datetime | None
    step: datetime

    @classmethod
    def now(cls, rung: float | None = None) -> "TakenUp":
        """`rung` in seconds since 1970, as the ring says it."""
        return cls(datetime.fromtimestamp(rung, UTC) if rung else None, timezone.now())

    def described(self) -> dict[str, str | None]:
        """As a round's span notes it, in `taken_up`."""
        return {"rung": self.rung.isoformat() if self.rung else None, "step": self.step.isoformat()}
