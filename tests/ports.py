"""Ports for servers that tests and benchmarks start.

Between the choice of a port and the server's `listen`, another process could take it. So ports lie
below the range from which the system serves clients, and each belongs to the process that chose it
until that ends: a name in Linux's abstract namespace of sockets is the lock.
"""

import random
import socket
from contextlib import closing

PORTS = range(12_000, 32_000)
ATTEMPTS = 200

# Open as long as this process runs.
_locks: list[socket.socket] = []
# Hypothesis seeds the module's own generator, in every process alike.
_random = random.SystemRandom()


class NoFreePort(OSError):
    """None was found in ATTEMPTS attempts."""


def free_port() -> int:
    """A port of the loopback interface that nobody listens on and no other process was given."""
    for port in _random.sample(PORTS, ATTEMPTS):
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"\0roundtrip-port-{port}")
            with closing(socket.socket()) as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return port
    raise NoFreePort(f"no free port between {PORTS.start} and {PORTS.stop}")
