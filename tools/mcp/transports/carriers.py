"""What carries a session's bytes: one contract, a module for each transport.

A carrier is entered and left by the task that owns the session, once. Entering gives the streams
that the SDK's `Client` reads and writes.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from tools.errors import Failure
from tools.mcp.masking import Masking
from tools.mcp.sdk import TransportStreams
from tools.mcp.transports.stderr import Stderr


@dataclass(frozen=True)
class Refusal:
    """A request that was answered with an HTTP status of 300 and more.

    `is_answer` says that the body is the JSON-RPC error of this very request, by its id: so the
    server has read the request.
    """

    status: int
    failure: Failure
    is_answer: bool = False


class Carrier(AbstractAsyncContextManager[TransportStreams], Protocol):
    masking: Masking  # knows what this session has sent as a secret
    stderr: Stderr

    def ending(self) -> Failure | None:
        """Why the connection ended, if known."""
        ...

    def refusal(self, request: str) -> Refusal | None:
        """How the request with this JSON-RPC id was refused, if the transport has a status."""
        ...
