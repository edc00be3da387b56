"""Keeps the provider's key out of the answers: a provider may repeat it anywhere.

A mask has the length of the key, so that `Content-Length` stays true. Bytes at the end of a chunk
that may be the beginning of the key wait for the next chunk; nothing else is held back. What comes
compressed is passed on as it is, while it is read along: a chunk is passed on once it is known not
to hold the key, and an answer with the key in it is cut.
"""

import zlib

from chat.llm.redaction import MIN_SECRET_LENGTH, mask_of

_ANY_WINDOW = 47  # gzip or zlib, by the header of the data


class KeyInAnswer(Exception):
    """A compressed answer has the provider's key in it."""


class PlainFilter:
    """For a body without compression. `found`: the key was in it."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._mask = mask_of(key).encode()
        self._held = b""
        self.found = False

    def feed(self, piece: bytes) -> bytes:
        """What of the body can be passed on now."""
        data = self._held + piece if self._held else piece
        if self._key in data:
            self.found = True
            data = data.replace(self._key, self._mask)
        length = prefix_length(data, self._key)
        if not length:
            self._held = b""
            return data
        self._held = data[-length:]
        return data[:-length]

    def finish(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held


class CompressedFilter:
    """For a body that is compressed with gzip or deflate."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._read = zlib.decompressobj(wbits=_ANY_WINDOW)
        self._tail = b""
        self._held: list[bytes] = []
        self.found = False

    def feed(self, piece: bytes) -> bytes:
        """What of the compressed body can be passed on now. Raises KeyInAnswer."""
        self._look_into(piece)
        self._held.append(piece)
        if prefix_length(self._tail, self._key):
            return b""
        return self.finish()

    def finish(self) -> bytes:
        held, self._held = b"".join(self._held), []
        return held

    def _look_into(self, piece: bytes) -> None:
        """Reads on by 64 KB at a time: a small piece may unpack to very much."""
        data = piece
        while data:
            try:
                text = self._tail + self._read.decompress(data, 65536)
            except zlib.error:  # not compressed as its header says: the key may stand there plainly
                text, data = self._tail + data, b""
            else:
                data = self._read.unconsumed_tail
                if self._read.eof:  # gzip may have several members
                    data = self._read.unused_data
                    self._read = zlib.decompressobj(wbits=_ANY_WINDOW)
            if self._key in text:
                self.found = True
                raise KeyInAnswer
            self._tail = text[-len(self._key) :]


Filter = PlainFilter | CompressedFilter


def filter_for(key: str, encoding: str) -> Filter | None:
    """None if there is no key to be kept out."""
    if len(key) < MIN_SECRET_LENGTH:
        return None
    is_plain = encoding.strip().lower() in ("", "identity")
    return PlainFilter(key) if is_plain else CompressedFilter(key)


def prefix_length(data: bytes, secret: bytes) -> int:
    """The length of the longest end of the data that is a proper prefix of the secret."""
    at = data.find(secret[:1], max(0, len(data) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(data[at:]):
            return len(data) - at
        at = data.find(secret[:1], at + 1)
    return 0
