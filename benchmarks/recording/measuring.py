"""The figures of one conversation that is recorded."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import connection

from benchmarks.recording.conversation import Conversation
from benchmarks.recording.growth import compact, growth, sizes
from benchmarks.recording.writing import Totals, write

# Rounds of a conversation that is written first: imports, prepared statements, connections.
WARM_UP = 5


@dataclass(frozen=True)
class Figures:
    """Of a conversation of `rounds` rounds. Sizes are in bytes, `cpu_s` in seconds for 1,000
    spans; `grown` is before the database is compacted, `compacted` after it, `tables` by table."""

    database: str
    rounds: int
    spans: int
    cpu_s: float
    digest_cpu_ms: float
    message_bytes: int
    response_bytes: int
    grown: int
    compacted: int
    tables: dict[str, int] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Growth of the compacted database by the bytes of the messages."""
        return self.compacted / self.message_bytes

    @property
    def ratio_with_responses(self) -> float:
        return self.compacted / (self.message_bytes + self.response_bytes)

    def line(self) -> str:
        return (
            f"{self.database:10} {self.rounds:>4} rounds: growth / messages {self.ratio:.2f}, with "
            f"responses {self.ratio_with_responses:.2f} (before VACUUM "
            f"{self.grown / (self.message_bytes + self.response_bytes):.2f}); CPU s / 1,000 spans "
            f"{self.cpu_s:.3f}; digest {self.digest_cpu_ms:.0f} ms; messages "
            f"{self.message_bytes:,} B, responses {self.response_bytes:,} B"
        )


def measure(rounds: int) -> Figures:
    """Records a conversation of this length in the present database."""
    owner, _ = User.objects.get_or_create(username="recording")
    write(owner, Conversation(WARM_UP, seed=rounds))
    compact()
    before = sizes()
    totals = write(owner, Conversation(rounds))
    after = sizes()
    compact()
    compacted = growth(before, sizes())
    return _figures(rounds, totals, sum(growth(before, after).values()), compacted)


def _figures(rounds: int, totals: Totals, grown: int, tables: dict[str, int]) -> Figures:
    return Figures(
        database=connection.vendor,
        rounds=rounds,
        spans=totals.spans,
        cpu_s=totals.cpu_s * 1000 / totals.spans,
        digest_cpu_ms=totals.digest_cpu_s * 1000,
        message_bytes=totals.message_bytes,
        response_bytes=totals.response_bytes,
        grown=grown,
        compacted=sum(tables.values()),
        tables=tables,
    )
