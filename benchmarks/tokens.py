"""Counts the timed tokens of a stream: received, lost, duplicated, reordered, and their latency."""

from benchmarks.stub.text import TIMED_TOKEN

# Characters.
LONGEST_TOKEN = 40


class TokenTally:
    """Counts the timed tokens of one text as its chunks arrive.

    `latencies_us` has an entry per token: time of receipt minus the send time in the token, which
    is the entry of `sent_us` at the same place. A token is duplicated if its index has come
    before, and reordered if a higher one has come before.
    """

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.latencies_us: list[int] = []
        self.sent_us: list[int] = []
        self.duplicated = 0
        self.reordered = 0
        self._indices: set[int] = set()
        self._measured: set[int] = set()
        self._next = 0
        self._rest = ""

    @property
    def lost(self) -> int:
        return self.expected - len(self._indices & set(range(self.expected)))

    def feed(self, text: str, received_us: int) -> None:
        """Count the tokens that this chunk completes; chunks may end within a token."""
        text, end = self._rest + text, 0
        for match in TIMED_TOKEN.finditer(text):
            end = match.end()
            self._count(int(match[1]), int(match[2]), received_us)
        self._rest = text[end:][-LONGEST_TOKEN:]

    def restart(self, text: str, received_us: int) -> None:
        """Replace the text so far by `text`; a token's latency counts once."""
        self._indices.clear()
        self._next, self._rest = 0, ""
        self.feed(text, received_us)

    def _count(self, index: int, sent_us: int, received_us: int) -> None:
        if index in self._indices:
            self.duplicated += 1
            return
        self._indices.add(index)
        if index < self._next:
            self.reordered += 1
        self._next = max(self._next, index + 1)
        if index not in self._measured:
            self._measured.add(index)
            self.sent_us.append(sent_us)
            self.latencies_us.append(received_us - sent_us)
