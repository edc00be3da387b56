"""When a worker took a turn up for a step: the trace page shows it between rounds
(`tracing.page.timeline.overhead`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import timezone


@dataclass(frozen=True)
class TakenUp:
    """When the turn was rung, if this is the first step after that, and when the step began."""

    rung: datetime | None
    step: datetime

    @classmethod
    def now(cls, rung: float | None = None) -> "TakenUp":
        """`rung` in seconds since 1970, as in the ring."""
        return cls(datetime.fromtimestamp(rung, UTC) if rung else None, timezone.now())

    def described(self) -> dict[str, str | None]:
        """The attribute `taken_up` of a round's span."""
        return {"rung": self.rung.isoformat() if self.rung else None, "step": self.step.isoformat()}
