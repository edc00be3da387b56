"""The load client: websockets, each of which sends one message after another and reads the answers.

Run by `benchmarks.run`, or alone against a running product:

    python -m benchmarks.load --url http://127.0.0.1:8000 --cookies cookies.txt \\
        --model UUID --tokens 250 --streams 50

`cookies.txt` has a Cookie header per line, of one or several users. The model must be a stub model
with the same number of tokens, each of which contains its index and send time.
"""

import argparse
import asyncio
import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Figures, Outcome
from benchmarks.measuring import Plan, measure_clients, read_plan, report
from benchmarks.stub.text import now_us
from benchmarks.tokens import TokenTally
from benchmarks.websocket import WebSocket, connect

FINAL = {"done", "failed", "stopped"}


@dataclass(frozen=True)
class Target:
    """The site's URL, Cookie headers of users, the UUID of the model, and the message's text."""

    url: str
    cookies: list[str]
    model: str
    text: str = "Please count."


class LoadClient:
    """One websocket and its conversation."""

    def __init__(self, target: Target, number: int, plan: Plan) -> None:
        self._target = target
        self._cookie = target.cookies[number % len(target.cookies)]
        self._tokens = plan.tokens
        self._fresh = plan.fresh
        self._conversation: str | None = None
        self._socket: WebSocket | None = None
        self._hello = asyncio.Event()

    async def open(self) -> None:
        """Connect and wait for the server's hello."""
        self._socket = await connect(self._target.url, "/ws/chat/", self._cookie, self._on_message)
        await self._hello.wait()

    async def turn(self, timeout: float) -> Outcome:
        """Send a message and read until the turn is over, for at most `timeout` seconds."""
        assert self._socket
        if self._fresh:
            self._conversation = None
        self._outcome = Outcome(TokenTally(self._tokens))
        self._over = asyncio.Event()
        self._turn: str | None = None
        self._epoch = 0
        self._length = 0
        self._key = str(uuid.uuid4())
        frame = {
            "type": "send",
            "key": self._key,
            "conversation": self._conversation,
            "model": self._target.model,
            "text": self._target.text,
        }
        self._outcome.began_us = now_us()
        self._socket.send(json.dumps(frame))
        await self._wait_for_end(timeout)
        return self._outcome

    @property
    def conversation(self) -> str | None:
        """The UUID of the conversation, once the first message was accepted."""
        return self._conversation

    def close(self) -> None:
        if self._socket and not self._socket.closed.done():
            self._socket.close()

    async def _wait_for_end(self, timeout: float) -> None:
        assert self._socket
        over = asyncio.create_task(self._over.wait())
        done, _ = await asyncio.wait(
            (over, self._socket.closed), timeout=timeout, return_when=asyncio.FIRST_COMPLETED
        )
        over.cancel()
        if not done:
            self._outcome.error = f"not over after {timeout:.0f} s"
        elif not self._over.is_set():
            self._outcome.error = f"the socket closed with {self._socket.close_code}"

    # Frames of the server

    def _on_message(self, message: bytes) -> None:
        received_us = now_us()
        frames = json.loads(message)
        for frame in frames if isinstance(frames, list) else (frames,):
            self._on_frame(frame, received_us)

    def _on_frame(self, frame: dict[str, Any], received_us: int) -> None:
        match frame["type"]:
            case "delta":
                self._on_delta(frame, received_us)
            case "turn":
                self._on_turn(frame)
            case "text":
                self._on_text(frame, frame["parts"]["content"], received_us)
            case "generation" if frame["state"] == "running" and frame["attempt"] > 1:
                self._on_text(frame, "", received_us)
            case "snapshot":
                self._on_snapshot(frame, received_us)
            case "accepted":
                self._conversation, self._turn = frame["conversation"], frame["turn"]
            case "rejected":
                self._end(f"rejected: {frame['error']}")
            case "error":
                self._end(f"error {frame['code']}: {frame['error']}")
            case "hello":
                self._hello.set()

    def _on_delta(self, frame: dict[str, Any], received_us: int) -> None:
        if frame["part"] != "content" or frame["epoch"] < self._epoch:
            return
        if self._outcome.first_token_us is None:
            self._outcome.first_token_us = received_us - self._outcome.began_us
        # Tokens are ASCII, so offsets in UTF-16 code units are offsets in characters. A real client
        # would reconnect at a gap; here a gap is an error, and its tokens count as lost.
        if frame["offset"] != self._length:
            self._outcome.error = f"a delta at {frame['offset']}, not {self._length}"
        self._length = frame["offset"] + len(frame["text"])
        self._outcome.tally.feed(frame["text"], received_us)

    def _on_text(self, frame: dict[str, Any], text: str, received_us: int) -> None:
        if frame["epoch"] >= self._epoch:
            self._epoch = frame["epoch"]
            self._length = len(text)
            self._outcome.tally.restart(text, received_us)

    def _on_turn(self, frame: dict[str, Any]) -> None:
        self._epoch = max(self._epoch, frame["epoch"])
        if frame["state"] in FINAL and self._turn in (None, frame["turn"]):
            state, error = frame["state"], frame["error"]
            self._end(None if state == "done" else f"{state}: {error}")

    def _on_snapshot(self, frame: dict[str, Any], received_us: int) -> None:
        for turn in frame["turns"]:
            if turn["turn"] != self._turn:
                continue
            if turn["running"]:
                self._on_text(turn["running"], turn["running"]["parts"]["content"], received_us)
            self._on_turn(turn)

    def _end(self, error: str | None) -> None:
        self._outcome.error = self._outcome.error or error
        self._over.set()


async def load(target: Target, plan: Plan) -> Figures:
    """The figures of `plan.streams` concurrent websockets."""
    clients = [LoadClient(target, number, plan) for number in range(plan.streams)]
    return await measure_clients(plan, clients)


def main() -> None:
    parser = argparse.ArgumentParser(description="Load a running product over websockets.")
    parser.add_argument("--url", required=True, help="of the site, without a slash at the end")
    parser.add_argument("--cookies", required=True, type=Path, help="a Cookie header a line")
    parser.add_argument("--model", required=True, help="the model's UUID")
    options, plan = read_plan(parser)
    target = Target(options.url, options.cookies.read_text().splitlines(), options.model)
    report(load(target, plan))


if __name__ == "__main__":
    main()
