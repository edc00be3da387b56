"""How a process reports to systemd (`Type=notify`): sd_notify(3) over the socket in NOTIFY_SOCKET.

Does nothing where systemd has not set the variable. A report that cannot be sent is not repeated:
the service goes on, and systemd acts by its own time-outs.
"""

import asyncio
import logging
import os
import socket

logger = logging.getLogger(__name__)

READY = "READY=1"
STOPPING = "STOPPING=1"
ALIVE = "WATCHDOG=1"
SOCKET, WATCHDOG, WATCHDOG_PROCESS = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
VARIABLES = {SOCKET, WATCHDOG, WATCHDOG_PROCESS}


def notify(*assignments: str) -> bool:
    """Sends assignments, such as `READY` or `STATUS=text`; whether there was somebody to tell."""
    address = os.environ.get(SOCKET, "")
    if not address.startswith(("/", "@")):
        return False
    # An abstract socket is written with "@" in place of the NUL.
    name = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to_systemd:
            # The loop of the supervisor does not wait for a reader that is busy.
            to_systemd.setblocking(False)
            to_systemd.sendto("\n".join(assignments).encode(), name)
    except OSError as error:
        logger.warning("systemd could not be told %s: %s", assignments[0], error)
        return False
    return True


def watchdog_interval() -> float | None:
    """Seconds between two signs of life: half of what systemd waits for; None if it does not."""
    value = os.environ.get(WATCHDOG, "")
    meant_for = os.environ.get(WATCHDOG_PROCESS, "")
    if not value.isdecimal() or int(value) == 0 or meant_for not in ("", str(os.getpid())):
        return None
    return int(value) / 1_000_000 / 2


async def keep_alive() -> None:
    """Tells systemd that this loop runs, as often as it wants to hear it; returns at once where it
    does not."""
    interval = watchdog_interval()
    while interval is not None:
        notify(ALIVE)
        await asyncio.sleep(interval)
