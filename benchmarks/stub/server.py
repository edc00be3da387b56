"""The routes of the stub: models, chat completions, messages and its own log."""

import asyncio
import json
import time
from collections import OrderedDict
from dataclasses import replace
from email.utils import formatdate
from urllib.parse import parse_qs, urlsplit

from benchmarks.stub.chat import BadRequest, ChatRequest, answer
from benchmarks.stub.faults import Cutter, broken, compressed
from benchmarks.stub.grammar import Behaviour, Fault, UnknownModel, parse
from benchmarks.stub.http import Connection, Exchange
from benchmarks.stub.journal import Journal
from benchmarks.stub.pacing import Pacer, Stream
from benchmarks.stub.protocols import CHAT, MESSAGES, PATHS, Protocol

EXAMPLES = ("stub-r50-n200", "stub-n20", "stub-t3-n20", "stub-nous-t3-n20", "stub-s7-c-n100")
ATTEMPTS_KEPT = 20_000
# How long a body is said to be that is shorter, or longer.
LENGTHS = {Fault.SHORT: 10**6, Fault.TAIL: 10**6, Fault.LONG: 900}
# Nobody is there: who goes there has followed a redirect.
ELSEWHERE = "http://127.0.0.1:9/v1/chat/completions"


class StubServer:
    """A stub listening on 127.0.0.1. `log` False keeps nothing, for load runs."""

    def __init__(self, log: bool = True) -> None:
        self.journal = Journal(log)
        self._attempts: OrderedDict[str, int] = OrderedDict()
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> str:
        """Listen, and return the URL (without `/v1`)."""
        loop = asyncio.get_running_loop()
        self._pacer = Pacer(loop)
        self._server = await loop.create_server(self._connection, "127.0.0.1", port, backlog=1024)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        if self._server:
            self._server.close()

    def _connection(self) -> Connection:
        return Connection(self._answer, self.journal, self._pacer)

    def _answer(self, exchange: Exchange) -> None:
        url = urlsplit(exchange.entry.path)
        match exchange.entry.method, url.path:
            case "POST", path if path in PATHS:
                self._chat(exchange, PATHS[path])
            case "GET", "/v1/models":
                _reply(exchange, 200, _asked_in(exchange).models(EXAMPLES))
            case "GET", "/log":
                since = int(parse_qs(url.query).get("since", ["0"])[0])
                _reply(exchange, 200, self._log(since))
            case method, path:
                _reply(
                    exchange,
                    404,
                    _asked_in(exchange).error(404, f"There is no {method} {path} here."),
                )

    def _log(self, since: int) -> bytes:
        requests = [request.to_json() for request in self.journal.since(since)]
        return json.dumps({"requests": requests, "dropped": self.journal.dropped}).encode()

    def _chat(self, exchange: Exchange, protocol: Protocol) -> None:
        try:
            request = replace(protocol.read(exchange.entry.body), key=_key(exchange))
            behaviour = self._behaviour_now(request)
        except UnknownModel as error:
            _reply(exchange, 404, protocol.error(404, str(error)))
        except BadRequest as error:
            _reply(exchange, 400, protocol.error(400, str(error)))
        else:
            self._complete(exchange, request, behaviour, protocol)

    def _behaviour_now(self, request: ChatRequest) -> Behaviour:
        """The model's behaviour at this attempt of the request: without its fault after x."""
        behaviour = parse(request.model)
        if behaviour.plain and request.has_tools:
            return replace(behaviour, fault=None)
        if behaviour.failures is None:
            return behaviour
        attempt = self._attempts.pop(request.fingerprint, 0) + 1
        self._attempts[request.fingerprint] = attempt
        if len(self._attempts) > ATTEMPTS_KEPT:
            self._attempts.popitem(last=False)
        return replace(behaviour, fault=None) if attempt > behaviour.failures else behaviour

    def _complete(
        self,
        exchange: Exchange,
        request: ChatRequest,
        behaviour: Behaviour,
        protocol: Protocol,
    ) -> None:
        if behaviour.window is not None and request.size // 4 > behaviour.window:
            _reply(exchange, 400, protocol.error(400, _too_long(request, behaviour.window)))
            return
        if behaviour.fault is Fault.STATUS:
            _fail(exchange, behaviour, protocol, request.key if behaviour.leaks else "")
            return
        streams = request.stream and behaviour.streams
        write = protocol.events if streams else protocol.document
        script = write(answer(behaviour, request), request.model, behaviour)
        script = broken(script, behaviour, protocol)
        if behaviour.gzip:
            script = compressed(script)
        if behaviour.cut_seed is not None:
            script = Cutter(behaviour.cut_seed).cut(script)
        if behaviour.fault not in (Fault.SILENT, Fault.DROP):
            _begin(exchange, behaviour, streams, request.key if behaviour.leaks else "")
        start = time.monotonic() + behaviour.delay_ms / 1000
        exchange.stream = Stream(script, exchange, behaviour.rate, start)
        self._pacer.add(exchange.stream)


def _asked_in(exchange: Exchange) -> Protocol:
    """The protocol of a request whose path does not tell it."""
    names = {name.lower() for name, _ in exchange.entry.headers}
    return MESSAGES if "anthropic-version" in names else CHAT


def _key(exchange: Exchange) -> str:
    headers = {name.lower(): value for name, value in exchange.entry.headers}
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


def _begin(exchange: Exchange, behaviour: Behaviour, stream: bool, leaked: str) -> None:
    status = 500 if behaviour.fault is Fault.BABBLE else 200
    packed = behaviour.gzip or behaviour.fault is Fault.BAD_GZIP
    extra = [("Content-Encoding", "gzip")] if packed else []
    extra += [("X-Leaked", leaked)] if leaked else []
    length = LENGTHS.get(behaviour.fault) if behaviour.fault else None
    exchange.begin(status, _content_type(behaviour, stream), *extra, length=length)


def _content_type(behaviour: Behaviour, stream: bool) -> str:
    if behaviour.fault is Fault.HTML:
        return "text/html; charset=utf-8"
    if behaviour.fault in (Fault.ERROR_DOCUMENT, Fault.BABBLE):
        return "application/json"
    return "text/event-stream; charset=utf-8" if stream else "application/json"


def _fail(exchange: Exchange, behaviour: Behaviour, protocol: Protocol, leaked: str) -> None:
    extra = _retry_header(behaviour)
    if behaviour.status < 400:
        extra.append(("Location", ELSEWHERE))
    sentence = f"The stub fails with {behaviour.status} as it was told. {leaked}".rstrip()
    _reply(exchange, behaviour.status, protocol.error(behaviour.status, sentence), *extra)


def _too_long(request: ChatRequest, window: int) -> str:
    tokens = request.size // 4
    return f"This model's maximum context length is {window} tokens; you asked for {tokens}."


def _retry_header(behaviour: Behaviour) -> list[tuple[str, str]]:
    count = behaviour.retry_after
    if count is None and behaviour.status == 429:
        count = 1
    if count is None:
        return []
    if behaviour.retry_form == "ms":
        return [("retry-after-ms", str(count))]
    date = formatdate(time.time() + count, usegmt=True)
    return [("Retry-After", date if behaviour.retry_form == "date" else str(count))]


def _reply(exchange: Exchange, status: int, body: bytes, *extra: tuple[str, str]) -> None:
    exchange.begin(status, "application/json", *extra)
    exchange.write(body)
    exchange.end()
