"""The record of one call while it runs: the bytes of both directions as they pass, and the times.

It is filled on the event loop and costs no I/O there; `api.gateway.recorder` writes it.
"""

import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.utils import timezone

from api.gateway.budget import Budget
from api.gateway.callers import Caller, Route
from api.gateway.operations import Operation
from chat.quotas.admission import Admission
from limits.gateway import MAX_GATEWAY_CHUNKS, MAX_GATEWAY_RECORD_BYTES

Pairs = list[tuple[str, str]]
MASK = "••••"


class CutBy(StrEnum):
    """Who ended a call before its end."""

    CALLER = "caller"
    PROVIDER = "provider"
    GATEWAY = "gateway"


class Loss(StrEnum):
    """Why a call is not recorded."""

    TOO_LARGE = "too_large"
    BACKLOG = "backlog"
    DATABASE = "database"
    DEFECT = "defect"


@dataclass
class Call:
    """`chunks`: (milliseconds since the request was sent, length) of each arrival. `target` is the
    path below the provider's base URL, `url` the whole of it. `session` is what groups the caller's
    traces, "" if it named none."""

    caller: Caller
    route: Route
    secret: str = field(repr=False)
    method: str
    url: str
    target: str
    session: str
    client: str
    budget: Budget
    request_headers: Pairs
    # By which its body is judged before it is sent, None if it is passed on unread.
    operation: Operation | None = None
    started: datetime = field(default_factory=timezone.now)
    began: float = field(default_factory=time.perf_counter)
    request: list[bytes] = field(default_factory=list)
    sent_at: float | None = None
    headers_at: float | None = None
    ended_at: float | None = None
    status: int | None = None
    response_headers: Pairs = field(default_factory=list)
    response: list[bytes] = field(default_factory=list)
    chunks: list[tuple[float, int]] = field(default_factory=list)
    size: int = 0
    # Bytes of both directions, also of those that are not kept.
    request_bytes: int = 0
    response_bytes: int = 0
    cut: CutBy | None = None
    error: str = ""
    # A part of the request had not been sent when the call ended.
    is_request_whole: bool = False
    # There was no connection to the provider.
    is_unreached: bool = False
    # The provider's key was masked in what the caller got.
    is_masked: bool = False
    loss: Loss | None = None
    # By which it counts towards the limits of its caller, None where there are none.
    admission: Admission | None = None
    # Done when the call is written or given up, and what it used counts.
    counted: Future[None] = field(default_factory=Future)

    def add_request(self, piece: bytes) -> None:
        self.request_bytes += len(piece)
        if piece and self._has_room(len(piece)):
            self.request.append(piece)

    def add_response(self, piece: bytes) -> None:
        """Appends what arrived now."""
        self.response_bytes += len(piece)
        since = (time.perf_counter() - (self.sent_at or self.began)) * 1000
        if not self._has_room(len(piece)):
            return
        self.response.append(piece)
        if len(self.chunks) < MAX_GATEWAY_CHUNKS:
            self.chunks.append((since, len(piece)))
        else:
            self.chunks[-1] = (since, self.chunks[-1][1] + len(piece))

    def release(self) -> None:
        """Frees the bytes; to be called when they are written or given up."""
        self.budget.give_back(self.size)
        self.request, self.response, self.chunks, self.size = [], [], [], 0

    def lose(self, loss: Loss) -> None:
        """It is not recorded; its bytes are freed at once."""
        self.loss = self.loss or loss
        self.release()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What stands in no row: the provider's key, and the caller's token."""
        return (self.route.key, self.secret)

    def _has_room(self, size: int) -> bool:
        if self.loss is not None:
            return False
        if self.size + size > MAX_GATEWAY_RECORD_BYTES:
            self.lose(Loss.TOO_LARGE)
            return False
        if not self.budget.take(size):
            self.lose(Loss.BACKLOG)
            return False
        self.size += size
        return True
