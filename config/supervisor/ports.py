"""Taking the port before anything starts.

The supervisor keeps the listening socket and the web process inherits it: while that one is started
again, connections wait for it in the kernel's queue instead of being refused.
"""

import errno
import socket

from config import origins

BACKLOG = 2048


class CannotListen(Exception):
    """The message says why, and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises CannotListen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            sentence = f"Port {port} is in use. Choose another one: PORT={port + 1} make run"
        else:
            sentence = f"Roundtrip cannot listen on {host}, port {port}: {error.strerror}."
        raise CannotListen(sentence) from error


def reserve() -> socket.socket:
    """A port of the loopback interface that is kept for a child, who has to ask to share it.

    Only processes of the same user can (socket(7)); connections go to who listens.
    """
    kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    kept.bind(("127.0.0.1", 0))
    return kept


def url_of(listener: socket.socket) -> str:
    """Where a browser on this machine reaches it."""
    host, port = listener.getsockname()[:2]
    return origins.internal_url(host, port)


def free_port(preferred: int = 0) -> int:
    """A free port of the loopback interface: the preferred one if it is."""
    try:
        with socket.create_server(("127.0.0.1", preferred)) as probe:
            return int(probe.getsockname()[1])
    except OSError:
        return free_port() if preferred else 0
