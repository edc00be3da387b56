"""What became of a stream's timed tokens on their way: the load client's and the floor's count."""

from benchmarks.stub.text import TIMED_TOKEN

LONGEST_TOKEN = 40


class TokenTally:
    """Counts the timed tokens of one text as its pieces arrive.

    `latencies_us` has one entry a token: receipt minus the send time inside the token. A token
    is duplicated if its index came before, and reordered if a higher index came before it.
    """

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.latencies_us: list[int] = []
        self.duplicated = 0
        self.reordered = 0
        self._seen: set[int] = set()
        self._measured: set[int] = set()
        self._next = 0
        self._held = ""

    @property
    def lost(self) -> int:
        return self.expected - len(self._seen & set(range(self.expected)))

    def feed(self, text: str, received_us: int) -> None:
        """Count what a piece of the text completes; tokens may be cut between pieces."""
        text, end = self._held + text, 0
        for match in TIMED_TOKEN.finditer(text):
            end = match.end()
            self._count(int(match[1]), received_us - int(match[2]))
        self._held = text[end:][-LONGEST_TOKEN:]

    def restart(self, text: str, received_us: int) -> None:
        """The whole text so far, in place of what came before; no latency counts twice."""
        self._seen.clear()
        self._next, self._held = 0, ""
        self.feed(text, received_us)

    def _count(self, index: int, latency_us: int) -> None:
        if index in self._seen:
            self.duplicated += 1
            return
        self._seen.add(index)
        if index < self._next:
            self.reordered += 1
        self._next = max(self._next, index + 1)
        if index not in self._measured:
            self._measured.add(index)
            self.latencies_us.append(latency_us)
