"""A server's output beside the protocol: the end of it, and the part of one call."""

import asyncio

from limits.mcp import MAX_STDERR_BYTES
from tools.mcp.masking import Masking


class Stderr:
    """The last `MAX_STDERR_BYTES` of a server's stderr, and of lines on stdout that are no
    messages. Secrets of the session are masked when it is read.
    """

    def __init__(self, masking: Masking) -> None:
        self.masking = masking
        self._kept = bytearray()
        self.written = 0  # bytes in all: a call notes it, to read later what was written since
        self.fresh = asyncio.Event()  # set when something is written

    def write(self, chunk: bytes) -> None:
        self.written += len(chunk)
        self._kept += chunk
        del self._kept[:-MAX_STDERR_BYTES]
        self.fresh.set()

    def since(self, mark: int = 0) -> str:
        """The output since `written` was `mark`, in whole lines, as far as it is still kept."""
        begin = max(len(self._kept) - (self.written - mark), 0)
        # From the beginning of a line: a secret that is cut is not recognised.
        line = self._kept.rfind(b"\n", 0, begin) + 1
        if line == 0 and self.written > len(self._kept):
            line = self._kept.find(b"\n") + 1
        return self.masking.text(bytes(self._kept[line:]).decode(errors="replace"))
