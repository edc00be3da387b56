"""`python -m config.web`: the web process, on the supervisor's socket or on HOST and PORT."""

import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any

import django
import uvicorn
from django.conf import settings

from config import home, readiness
from config.supervisor import ports
from config.websocket import WebSocketProtocol
from host import interpreter
from limits.web import MAX_SOCKET_FRAME_BYTES

SOCKET_VARIABLE = "ROUNDTRIP_SOCKET_FD"


class Server(uvicorn.Server):
    """Uvicorn's server, which announces that it is ready once it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        from config.asgi import recorder  # has to come after the settings

        recorder.start()
        interpreter.favour_event_loop()
        interpreter.freeze()
        readiness.announce()


def main() -> None:
    # By machine and port: processes of several machines may share a home.
    name = f"{socket.gethostname()}-{os.environ.get('PORT') or 8000}"
    _use_temporary_folder(home.path() / "tmp" / name)
    _wait_for_database()
    with _listener() as listener:
        Server(uvicorn.Config("config.asgi:application", **_uvicorn_options())).run(
            sockets=[listener]
        )


def _wait_for_database() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from config import database_state  # has to come after the settings

    database_state.wait_until_usable()


def _use_temporary_folder(folder: Path) -> None:
    """Make `folder` the place of temporary files, such as long request bodies, and empty it of
    what a killed process left."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    tempfile.tempdir = str(folder)


def _listener() -> socket.socket:
    inherited = os.environ.get(SOCKET_VARIABLE)
    if inherited:
        return socket.socket(fileno=int(inherited))
    host = os.environ.get("HOST") or "127.0.0.1"
    return ports.listen(host, int(os.environ.get("PORT") or 8000))


def _uvicorn_options() -> dict[str, Any]:
    return {
        "lifespan": "off",
        # Django's LOGGING is used. An access log would contain the secrets of sign-in links.
        "log_config": None,
        "access_log": False,
        # allauth reads X-Forwarded-For, with the number of proxies (TRUSTED_PROXY_COUNT).
        "proxy_headers": False,
        "server_header": False,
        "ws": WebSocketProtocol,
        "ws_max_size": MAX_SOCKET_FRAME_BYTES,
        # Frames with deltas are short: compression costs more than it saves.
        "ws_per_message_deflate": False,
        # Seconds for requests. Websockets are closed at once with 1012, and clients reconnect.
        "timeout_graceful_shutdown": int(settings.DRAIN_SECONDS),
    }


if __name__ == "__main__":
    main()
