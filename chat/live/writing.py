"""Writing frames to a socket, as one message for all that are due."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

# In the `extensions` of a socket's scope: sends a text message, in UTF-8, if the server can at
# once, and says whether it did (`config.websocket`).
WRITE_TEXT = "roundtrip.write_text"

Message = Callable[[Sequence[bytes]], bytes]


class SocketWriter:
    """Frames of one conversation, made a message by `message`.

    They go straight to the server where it offers that, and through the consumer otherwise: its
    layers cost several times what writing does. None goes before `answered` is set: the frame that
    accepts a message comes before the events of its turn.
    """

    def __init__(
        self,
        scope: Mapping[str, Any],
        send: Callable[[str], Awaitable[None]],
        answered: asyncio.Event,
        message: Message,
    ) -> None:
        self._write_text = (scope.get("extensions") or {}).get(WRITE_TEXT)
        self._send = send
        self._answered = answered
        self._message = message

    def write(self, frames: Sequence[bytes]) -> bool:
        """False if the socket does not take them at once: nothing was sent."""
        if self._write_text is None or not self._answered.is_set():
            return False
        return bool(self._write_text(self._message(frames)))

    async def send(self, frames: Sequence[bytes]) -> None:
        """Returns when the socket has taken them. Raises OSError if the client has left."""
        await self._answered.wait()
        await self._send(self._message(frames).decode())


def message(frames: Sequence[bytes]) -> bytes:
    """One frame as it is, several as an array."""
    return frames[0] if len(frames) == 1 else b"[%b]" % b",".join(frames)


def nested_message(conversation: uuid.UUID, frames: Sequence[bytes]) -> bytes:
    """Frames of a subagent's conversation, which is watched beside the socket's own."""
    head = f'"type":"nested","conversation":"{conversation}"'.encode()
    return b'{%b,"frames":[%b]}' % (head, b",".join(frames))
