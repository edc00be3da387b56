"""A receiver of webhooks, over real HTTP."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Webhook
from chat.tests.builders import a_model, a_user
from chat.webhooks import commands, known
from tests import patience


@dataclass
class Receiver:
    """What it got, and what it answers: a status, headers and a body; `hangs` for ever."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hangs: bool = False
    url: str = ""
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)


def handler_of(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.got.append((self.path, headers, body))
            if receiver.hangs:
                receiver.released.wait(patience.SECONDS)
                return
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            if receiver.status != 204:
                self.send_header("content-length", str(len(receiver.body)))
            self.end_headers()
            self.wfile.write(receiver.body)

        def handle(self) -> None:
            with suppress(OSError):  # the sender has left, as it may
                super().handle()

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_PRIVATE_NETWORKS = ["127.0.0.0/8"]
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(receiver))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    yield receiver
    receiver.released.set()
    server.shutdown()
    server.server_close()
    thread.join(patience.SECONDS)


@pytest.fixture
def ada(transactional_db: None) -> Iterator[User]:
    known.forget()
    a_model(is_default=True)
    yield a_user("ada")
    known.forget()


@pytest.fixture
def webhook(ada: User, receiver: Receiver) -> Webhook:
    return commands.make(ada, Webhook(owner=ada, url=receiver.url, events=["turn.ended"]))
