"""Uvicorn's websocket, which offers the application to write to it without a wait."""

import struct
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from chat.live.writing import WRITE_TEXT

# First byte of an unfragmented text frame; lengths that begin a longer head (RFC 6455, 5.2).
_TEXT = 0x81
_TWO_BYTES, _EIGHT_BYTES = 126, 127


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """`ws` of uvicorn's configuration, for sockets without compression.

    A message of the application passes Channels' layers, uvicorn's state machine and that of
    `websockets`; a delta needs none of them, and there are thousands a second.
    """

    async def run_asgi(self) -> None:
        scope: Any = self.scope
        if not self.config.ws_per_message_deflate:
            scope["extensions"][WRITE_TEXT] = self.write_text
        await super().run_asgi()

    def write_text(self, text: bytes) -> bool:
        """Sends a text message, in UTF-8, if the client keeps pace. False: its buffer is full, or
        it is leaving; nothing was sent."""
        if not self.writable.is_set() or self.conn.state is not State.OPEN or self.close_sent:
            return False
        if not self.handshake_complete or self.transport.is_closing():
            return False
        self.transport.write(text_head(len(text)) + text)
        return True


def text_head(length: int) -> bytes:
    """The head of a server's text frame of so many bytes."""
    if length < _TWO_BYTES:
        return bytes((_TEXT, length))
    if length < 1 << 16:
        return struct.pack(">BBH", _TEXT, _TWO_BYTES, length)
    return struct.pack(">BBQ", _TEXT, _EIGHT_BYTES, length)
