"""Sockets of the supervisor.

It keeps the listening socket, which the web process inherits: while the web process restarts,
connections wait in the kernel's queue instead of being refused.
"""

import errno
import socket

from config import origins

# Connections in the kernel's queue.
BACKLOG = 2048


class CannotListen(Exception):
    """The port cannot be used; the message says why, and what to do."""


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
    """A loopback port reserved for a child process, which binds it with SO_REUSEPORT too.

    Only processes of the same user can bind it (socket(7)); this socket never listens, so
    connections go to the child's.
    """
    reserved = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved


def url_of(listener: socket.socket) -> str:
    """URL of the listener for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    return origins.internal_url(host, port)


def free_port(preferred: int = 0) -> int:
    """A free loopback port: `preferred` if that one is free."""
    try:
        with socket.create_server(("127.0.0.1", preferred)) as probe:
            return int(probe.getsockname()[1])
    except OSError:
        return free_port() if preferred else 0
