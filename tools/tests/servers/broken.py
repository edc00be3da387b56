"""Listeners that answer every connection with the same bytes, which mostly are no MCP."""

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests import patience

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: the end of the connection is a reset


@contextmanager
def answering(
    reply: bytes, *, resets: bool = False, tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """The port of a listener that reads once, sends `reply` and hangs up, until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):  # closed: the block has ended
            while True:
                accepted, _ = listener.accept()
                with suppress(OSError), _wrapped(accepted, tls) as peer:
                    peer.settimeout(5)
                    peer.recv(65536)
                    peer.sendall(reply)
                    if resets:
                        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(patience.SECONDS)


def _wrapped(accepted: socket.socket, tls: ssl.SSLContext | None) -> socket.socket:
    return tls.wrap_socket(accepted, server_side=True) if tls else accepted


def http(status: str, body: bytes = b"", kind: str = "text/plain", *headers: str) -> bytes:
    """A whole response, after which the connection closes."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}"]
    head = [*lines, "connection: close", *headers, "", ""]
    return "\r\n".join(head).encode() + body
