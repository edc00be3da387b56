"""The load client over `/v1/chat/completions`: each turn is a request, whose stream is read as it
comes. A connection of its own, without a library's cost, as the websocket client has.

    python -m benchmarks.v1_load --url http://127.0.0.1:8000 --token rt_… \\
        --model stub/stub-r50-n3 --tokens 3 --turns 40
"""

import argparse
import asyncio
import json
from urllib.parse import urlsplit

from benchmarks.figures import Figures, Outcome
from benchmarks.measuring import Plan, measure_clients, read_plan, report
from benchmarks.stub.text import now_us
from benchmarks.tokens import TokenTally

DATA, DONE = b"data: ", b"data: [DONE]"


class V1Client:
    """One connection, kept alive."""

    def __init__(self, url: str, token: str, model: str, plan: Plan) -> None:
        self._site = urlsplit(url)
        self._tokens = plan.tokens
        messages = [{"role": "user", "content": "Please count."}]
        body = json.dumps({"model": model, "messages": messages, "stream": True}).encode()
        self._request = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: {self._site.netloc}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    async def open(self) -> None:
        address = self._site.hostname or "", self._site.port or 80
        self._reader, self._writer = await asyncio.open_connection(*address)

    async def turn(self, timeout: float) -> Outcome:
        outcome = Outcome(TokenTally(self._tokens), began_us=now_us())
        self._writer.write(self._request)
        try:
            async with asyncio.timeout(timeout):
                await self._read(outcome)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            outcome.error = repr(error)
        return outcome

    def close(self) -> None:
        self._writer.close()

    async def _read(self, outcome: Outcome) -> None:
        head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise OSError(head.decode("latin-1"))
        is_over = False
        while size := int(await self._reader.readline(), 16):
            chunk = await self._reader.readexactly(size + 2)
            received_us = now_us()
            for line in chunk.split(b"\n"):
                is_over = is_over or line.startswith(DONE)
                if line.startswith(DATA) and not is_over:
                    _take(json.loads(line[len(DATA) :]), outcome, received_us)
        await self._reader.readline()
        if not is_over:
            raise OSError("the stream has no end")


def _take(event: dict[str, list[dict[str, dict[str, str]]]], outcome: Outcome, at_us: int) -> None:
    if "error" in event:
        raise OSError(str(event["error"]))
    text = event["choices"][0]["delta"].get("content")
    if not text:
        return
    if outcome.first_token_us is None:
        outcome.first_token_us = at_us - outcome.began_us
    outcome.tally.feed(text, at_us)


async def load(url: str, token: str, model: str, plan: Plan) -> Figures:
    """The figures of `plan.streams` concurrent connections."""
    return await measure_clients(
        plan, [V1Client(url, token, model, plan) for _ in range(plan.streams)]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Load a running product over /v1.")
    parser.add_argument("--url", required=True, help="of the site, without a slash at the end")
    parser.add_argument("--token", required=True, help="with the scope chat")
    parser.add_argument("--model", required=True, help="its id in /v1/models")
    options, plan = read_plan(parser)
    report(load(options.url, options.token, options.model, plan))


if __name__ == "__main__":
    main()
