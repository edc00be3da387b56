"""A browser tab's websocket, as tests use it."""

import json
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from chat.models import Turn
from tests import patience

Frame = dict[str, Any]


class Tab:
    """An open socket, read frame by frame; notices of Redis coming and going are left out."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._waiting: list[Frame] = []

    def write(self, text: str | bytes) -> None:
        self.socket.send(text)

    def tell(self, **frame: Any) -> None:
        self.write(json.dumps(frame))

    def ask(self, **frame: Any) -> Frame:
        """Sends a frame; the next one without a number answers it."""
        self.tell(**frame)
        return self.next(lambda answer: "id" not in answer)

    def next(self, wanted: Callable[[Frame], bool] = lambda frame: True) -> Frame:
        """The next frame that is wanted; the others are dropped. Raises TimeoutError."""
        deadline = time.monotonic() + patience.SECONDS
        while True:
            while self._waiting:
                frame = self._waiting.pop(0)
                if wanted(frame) and frame["type"] != "notice":
                    return frame
            message = json.loads(self.socket.recv(max(0.0, deadline - time.monotonic())))
            self._waiting = message if isinstance(message, list) else [message]

    def events(self, last: Callable[[Frame], bool]) -> list[Frame]:
        """The numbered frames up to the one for which `last` holds."""
        found = [self.next(lambda frame: "id" in frame)]
        while not last(found[-1]):
            found.append(self.next(lambda frame: "id" in frame))
        return found

    def close_code(self) -> int:
        """How the server closes the socket."""
        with suppress(ConnectionClosed):
            while True:
                self.socket.recv(patience.SECONDS)
        return int(self.socket.close_code or 0)


Open = Callable[..., Tab]
Model = Callable[[str], str]


def connect_to(server: str, cookie: str, headers: dict[str, str]) -> ClientConnection:
    given = {"Origin": server, "Cookie": cookie} | headers
    url = server.replace("http", "ws") + "/ws/chat/"
    return connect(
        url,
        additional_headers={name: value for name, value in given.items() if value},
        compression=None,
        proxy=None,
        max_size=None,
        max_queue=None,
    )


def is_over(frame: Frame) -> bool:
    return frame["type"] == "turn" and frame["state"] in ("done", "failed", "stopped")


def sent(tab: Tab, model: str, text: str = "hello", conversation: str | None = None) -> Turn:
    """The turn of a message that was sent and accepted."""
    answer = tab.ask(
        type="send", key=str(uuid.uuid4()), conversation=conversation, model=model, text=text
    )
    return Turn.objects.get(public_id=answer["turn"])


def text_of(events: list[Frame], text: str = "") -> str:
    """The content that the deltas make up, each at the offset that it says."""
    for event in events:
        if event["type"] == "text":
            text = event["parts"]["content"]
        if event["type"] == "delta" and event["part"] == "content":
            assert event["offset"] == len(text.encode("utf-16-le")) // 2
            text += event["text"]
    return text
