"""`python -m config.web`: the web process, on the supervisor's socket or on HOST and PORT."""

import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import uvicorn

from config import home, readiness
from config.supervisor import ports
from limits.web import MAX_SOCKET_FRAME_BYTES

SOCKET_VARIABLE = "ROUNDTRIP_SOCKET_FD"


class Server(uvicorn.Server):
    """Says so when it answers."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        readiness.announce()


def main() -> None:
    _keep_temporary_files(home.path() / "tmp")
    with _listener() as listener:
        Server(uvicorn.Config("config.asgi:application", **_options())).run(sockets=[listener])


def _keep_temporary_files(folder: Path) -> None:
    """Long request bodies lie there while they come; what a killed process left is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    tempfile.tempdir = str(folder)


def _listener() -> socket.socket:
    inherited = os.environ.get(SOCKET_VARIABLE)
    if inherited:
        return socket.socket(fileno=int(inherited))
    host = os.environ.get("HOST") or "127.0.0.1"
    return ports.listen(host, int(os.environ.get("PORT") or 8000))


def _options() -> dict[str, Any]:
    return {
        "lifespan": "off",
        # Django's LOGGING is set up by then. Request lines would have the sign-in link in them.
        "log_config": None,
        "access_log": False,
        # X-Forwarded-For is allauth's business, which counts the proxies (TRUSTED_PROXY_COUNT).
        "proxy_headers": False,
        "server_header": False,
        "ws": "websockets-sansio",
        "ws_max_size": MAX_SOCKET_FRAME_BYTES,
        # Deltas are short: compressing them costs more than it saves.
        "ws_per_message_deflate": False,
        # Sockets stay open for hours, and clients come back.
        "timeout_graceful_shutdown": 2,
    }


if __name__ == "__main__":
    main()
