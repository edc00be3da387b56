"""What a server writes beside the protocol: the end of it, and what came during a call."""

SPACE = 64 * 1024


class Stderr:
    """The last `SPACE` bytes of a server's stderr, and of lines on stdout that are no messages."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self.written = 0  # bytes ever, so that a call can ask for what came since it began

    def write(self, chunk: bytes) -> None:
        self.written += len(chunk)
        self._kept += chunk
        del self._kept[:-SPACE]

    def since(self, mark: int = 0) -> str:
        """What was written after `written` stood at `mark`, as far as it is still kept."""
        fresh = min(self.written - mark, len(self._kept))
        return bytes(self._kept[len(self._kept) - fresh :]).decode(errors="replace")
