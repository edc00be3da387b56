"""What carries a session's bytes: one contract, a module for each transport.

A carrier is entered and left by the task that owns the session, once. Entering gives the streams
that the SDK's `Client` reads and writes.
"""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mcp.client._transport import TransportStreams

from tools.mcp.stderr import Stderr

FRAME_BYTES = 8 * 1024 * 1024  # the longest message that is taken from a server


class Carrier(AbstractAsyncContextManager[TransportStreams], Protocol):
    stderr: Stderr

    def ending(self) -> str:
        """Why the connection ended, as a sentence's part (`exited with code 1`), if known."""
        ...
