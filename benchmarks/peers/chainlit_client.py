"""The load client for Chainlit: sockets of its socket.io protocol, each with a session."""

import argparse
import asyncio
import json
import urllib.request
import uuid
from datetime import UTC, datetime
from typing import Any

from benchmarks.figures import Figures, Outcome
from benchmarks.measuring import Plan, measure_clients, read_plan, report
from benchmarks.stub.text import now_us
from benchmarks.tokens import TokenTally
from benchmarks.websocket import WebSocket, connect

PATH = "/ws/socket.io/?EIO=4&transport=websocket"
# Packets of engine.io and socket.io.
PING, PONG, CONNECTED, EVENT = b"2", "3", b"40", b"42"

OPEN_SECONDS = 30


class ChainlitClient:
    """One socket with a session of its own; a new one for each turn if the plan wants that."""

    def __init__(self, url: str, cookie: str, model: str, plan: Plan) -> None:
        self._url, self._cookie, self._model = url, cookie, model
        self._plan = plan
        self._socket: WebSocket | None = None

    async def open(self) -> None:
        self._connected, self._over = asyncio.Event(), asyncio.Event()
        self._outcome = Outcome(TokenTally(0))
        self._socket = await connect(self._url, PATH, self._cookie, self._on_message)
        session = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "userEnv": "{}"}
        self._socket.send(f"40{json.dumps(session)}")
        await asyncio.wait_for(self._connected.wait(), OPEN_SECONDS)

    async def turn(self, timeout: float) -> Outcome:
        if self._plan.fresh:
            self.close()
            await self.open()
        assert self._socket
        self._outcome = Outcome(TokenTally(self._plan.tokens))
        self._over.clear()
        # The application takes the text for the model's name.
        message = {
            "id": str(uuid.uuid4()),
            "name": "load",
            "type": "user_message",
            "output": self._model,
            "createdAt": datetime.now(UTC).isoformat(),
        }
        self._outcome.began_us = now_us()
        self._emit("client_message", {"message": message, "fileReferences": []})
        try:
            await asyncio.wait_for(self._over.wait(), timeout)
        except TimeoutError:
            self._outcome.error = f"not over after {timeout:.0f} s"
        return self._outcome

    def close(self) -> None:
        if self._socket and not self._socket.closed.done():
            self._socket.close()

    def _emit(self, event: str, value: Any) -> None:
        assert self._socket
        self._socket.send(f"42{json.dumps([event, value])}")

    def _on_message(self, message: bytes) -> None:
        received_us = now_us()
        if message.startswith(EVENT):
            event, value, *_ = json.loads(message[len(EVENT) :])
            self._on_event(event, value, received_us)
        elif message.startswith(CONNECTED):
            self._emit("connection_successful", None)
            self._connected.set()
        elif message == PING and self._socket:
            self._socket.send(PONG)

    def _on_event(self, event: str, value: Any, received_us: int) -> None:
        outcome = self._outcome
        match event:
            case "stream_start":
                self._take(value["output"], received_us)
            case "stream_token":
                self._take(value["token"], received_us)
            case "task_end" if outcome.began_us:
                self._over.set()
            case "new_message" if value.get("isError"):
                outcome.error = value["output"]

    def _take(self, text: str, received_us: int) -> None:
        if not text:
            return
        if self._outcome.first_token_us is None:
            self._outcome.first_token_us = received_us - self._outcome.began_us
        self._outcome.tally.feed(text, received_us)


def cookie_of(url: str, user: str) -> str:
    """The Cookie header of a user who has signed in."""
    request = urllib.request.Request(f"{url}/auth/header", method="POST", headers={"X-User": user})
    with urllib.request.urlopen(request, timeout=30) as response:
        cookies: list[str] = response.headers.get_all("Set-Cookie")
    return "; ".join(cookie.partition(";")[0] for cookie in cookies)


async def load(url: str, cookies: list[str], model: str, plan: Plan) -> Figures:
    clients = [ChainlitClient(url, cookie, model, plan) for cookie in cookies]
    return await measure_clients(plan, clients)


def main() -> None:
    parser = argparse.ArgumentParser(description="Load Chainlit over socket.io.")
    parser.add_argument("--url", required=True, help="of the site, without a slash at the end")
    parser.add_argument("--model", required=True, help="the model's name")
    options, plan = read_plan(parser)
    cookies = [cookie_of(options.url, f"load-{number}") for number in range(plan.streams)]
    report(load(options.url, cookies, options.model, plan))


if __name__ == "__main__":
    main()
