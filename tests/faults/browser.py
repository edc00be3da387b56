"""A client of the websocket after docs/protocol.md: it keeps what a browser's tab keeps.

It applies what came only while `until` runs.
"""

import json
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

SECONDS = 60.0
PAUSE = 0.1
FINAL = ("done", "failed", "stopped")
Frame = dict[str, Any]


class Round:
    """The text shown of one round of a turn."""

    def __init__(self, generation: str = "") -> None:
        self.generation = generation
        self.parts = {"content": "", "reasoning": "", "calls": ""}


class Shown:
    """What is shown of one turn."""

    def __init__(self) -> None:
        self.state = "queued"
        self.error: str | None = None
        self.epoch = 0
        self.rounds: dict[int, Round] = {}
        self.calls: dict[str, str] = {}

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def texts(self) -> list[str]:
        return [shown.parts["content"] for _, shown in sorted(self.rounds.items())]


class Browser:
    """One tab. `reopened` counts how often it had to ask again because something did not fit."""

    def __init__(self, url: str, cookie: str) -> None:
        self.conversation: str | None = None
        self.cursor: str | None = None
        self.turns: dict[str, Shown] = {}
        self.accepted: dict[str, Frame] = {}
        self.frames: list[Frame] = []
        self.reopened = 0
        self.close_code: int | None = None
        self._url = url.replace("http", "ws", 1) + "/ws/chat/"
        self._origin = url
        self._cookie = cookie
        self._pending: dict[str, Frame] = {}
        self._socket: ClientConnection | None = None

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def send(self, model: str, text: str = "Go on.", key: str = "", **more: Any) -> str:
        """Sends a message and waits until it is accepted; answers its key."""
        key = self.post(model, text, key, **more)
        self.until(lambda: key in self.accepted)
        return key

    def post(self, model: str, text: str, key: str = "", **more: Any) -> str:
        """Sends a message, again after every reconnect, until it is accepted."""
        key = key or str(uuid.uuid4())
        self._pending[key] = {
            "type": "send",
            "key": key,
            "conversation": self.conversation,
            "model": model,
            "text": text,
            **more,
        }
        if self._socket is not None:
            self.write(self._pending[key])
        return key

    def stop(self, key: str) -> None:
        self.write({"type": "stop", "turn": self.accepted[key]["turn"]})

    def follow(self, conversation: str) -> None:
        self.conversation = conversation
        self.write(self._open())

    def shown(self, key: str) -> Shown:
        return self.turns.setdefault(self.accepted[key]["turn"], Shown())

    def until_over(self, key: str, seconds: float = SECONDS) -> float:
        return self.until(lambda: self.shown(key).state in FINAL, seconds)

    def until_text(self, key: str, length: int, seconds: float = SECONDS) -> float:
        return self.until(lambda: len(self.shown(key).text) >= length, seconds)

    def until(self, condition: Callable[[], Any], seconds: float = SECONDS) -> float:
        """Reads, and connects where it has to, until the condition holds; answers when that was.

        Raises TimeoutError.
        """
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"not within {seconds:g} s; the last frames: {self.frames[-5:]}")
            self._read_some()
        return time.monotonic()

    def cut(self) -> None:
        """The network is gone: no farewell, and what was not read is lost."""
        if self._socket is not None:
            self._socket.socket.close()
            self._socket = None

    def _read_some(self) -> None:
        try:
            message = self._connected().recv(timeout=PAUSE)
        except TimeoutError:
            return
        except ConnectionClosed as closed:
            self._socket = None
            self.close_code = closed.rcvd.code if closed.rcvd else None
            return
        except (OSError, InvalidHandshake):
            time.sleep(PAUSE)
            return
        read = json.loads(message)
        for frame in read if isinstance(read, list) else [read]:
            self.frames.append(frame)
            self._take(frame)

    def _connected(self) -> ClientConnection:
        if self._socket is None:
            self._socket = connect(
                self._url,
                origin=Origin(self._origin),
                additional_headers={"Cookie": self._cookie},
                compression=None,
                max_size=None,
                max_queue=None,
                open_timeout=5,
                proxy=None,
                legacy=True,  # no context, whose end would say farewell
            )
        return self._socket

    def write(self, frame: Frame) -> None:
        with suppress(ConnectionClosed):
            self._connected().send(json.dumps(frame))

    def _open(self) -> Frame:
        return {"type": "open", "conversation": self.conversation, "cursor": self.cursor}

    def _reopen(self) -> None:
        self.reopened += 1
        self.cursor = None
        self.write(self._open())

    # Frames, by their type.

    def _take(self, frame: Frame) -> None:
        if "id" in frame and not self._is_next(frame["id"]):
            return
        handler = getattr(self, f"_on_{frame['type']}", None)
        if handler is not None:
            handler(frame)

    def _is_next(self, event_id: str) -> bool:
        """Takes the number of an event. False: it is old, or one is missing."""
        incarnation, n = map(int, event_id.split("-"))
        if self.cursor is None:
            self.cursor = event_id
            return True
        before = tuple(map(int, self.cursor.split("-")))
        if (incarnation, n) <= before:
            return False
        if (incarnation, n - 1) != before:
            self._reopen()
            return False
        self.cursor = event_id
        return True

    def _on_hello(self, frame: Frame) -> None:
        if self.conversation is not None:
            self.write(self._open())
        for pending in self._pending.values():
            self.write(pending)

    def _on_accepted(self, frame: Frame) -> None:
        self._pending.pop(frame["key"], None)
        self.accepted[frame["key"]] = frame
        self.conversation = frame["conversation"]

    def _on_snapshot(self, frame: Frame) -> None:
        self.cursor = frame["cursor"]
        for turn in frame["turns"]:
            self._on_turn(turn)
            if turn["running"]:
                self._on_text({"turn": turn["turn"], **turn["running"]})

    def _on_turn(self, frame: Frame) -> None:
        shown = self._turn(frame)
        shown.state, shown.error = frame["state"], frame["error"]

    def _on_generation(self, frame: Frame) -> None:
        shown = self._turn(frame)
        if frame["state"] == "running" and frame["epoch"] == shown.epoch:
            shown.rounds[frame["round"]] = Round(frame["generation"])

    def _on_text(self, frame: Frame) -> None:
        shown = self._turn(frame)
        if frame["epoch"] == shown.epoch:
            whole = shown.rounds[frame["round"]] = Round(frame["generation"])
            whole.parts = dict(frame["parts"])

    def _on_delta(self, frame: Frame) -> None:
        shown = self._turn(frame)
        if frame["epoch"] < shown.epoch:
            return
        rounds = [r for r in shown.rounds.values() if r.generation == frame["generation"]]
        if not rounds or _units(rounds[0].parts[frame["part"]]) != frame["offset"]:
            self._reopen()
            return
        rounds[0].parts[frame["part"]] += frame["text"]

    def _on_call(self, frame: Frame) -> None:
        self._turn(frame).calls[frame["call"]] = frame["state"]

    def _turn(self, frame: Frame) -> Shown:
        shown = self.turns.setdefault(frame["turn"], Shown())
        shown.epoch = max(shown.epoch, frame.get("epoch", 0))
        return shown


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
