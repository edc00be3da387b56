"""An ASGI application behind a real server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests import patience
from tests.ports import free_port


@contextmanager
def served(application: Any, port: int = 0, **options: Any) -> Iterator[str]:
    """Its URL, at which a thread serves it as `config.web` does until the block ends."""
    port = port or free_port()
    settings: dict[str, Any] = {"port": port, "lifespan": "off", "log_config": None} | options
    server = uvicorn.Server(uvicorn.Config(application, **settings))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    pause = threading.Event()
    while not server.started:
        assert thread.is_alive() and not pause.wait(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(patience.SECONDS)
        assert not thread.is_alive(), "the server goes on, and takes time from all later tests"
