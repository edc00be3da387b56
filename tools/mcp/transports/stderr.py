"""A server's output beside the protocol: the end of it, and the part of one call."""

import asyncio
from collections.abc import Sequence

from limits.mcp import MAX_STDERR_BYTES

MASK = "[secret]"


class Stderr:
    """The last `MAX_STDERR_BYTES` of a server's stderr, and of lines on stdout that are no
    messages. Secrets of the configuration are masked when it is read.
    """

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        # A longer secret may contain a shorter one.
        self._secrets = sorted(secrets, key=len, reverse=True)
        self._kept = bytearray()
        self.written = 0  # bytes in all: a call notes it, to read later what was written since
        self.fresh = asyncio.Event()  # set when something is written

    def hide(self, secrets: Sequence[str]) -> None:
        """Masks these secrets too from now on."""
        self._secrets = sorted({*self._secrets, *secrets}, key=len, reverse=True)

    def write(self, chunk: bytes) -> None:
        self.written += len(chunk)
        self._kept += chunk
        del self._kept[:-MAX_STDERR_BYTES]
        self.fresh.set()

    def since(self, mark: int = 0) -> str:
        """The output since `written` was `mark`, as far as it is still kept."""
        fresh = min(self.written - mark, len(self._kept))
        return self.masked(bytes(self._kept[len(self._kept) - fresh :]).decode(errors="replace"))

    def masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text
