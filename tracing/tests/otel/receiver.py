"""A collector that keeps what it is sent, and answers as it is told to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`status` and `headers` are those of the next answers; while `hangs` is set, there are none.
    `refused` is a text that no request may have in it."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    refused: bytes = b""
    hangs: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    requests: list[Received] = field(default_factory=list)

    def release(self) -> None:
        """Whoever waits is answered, and nobody waits from now on."""
        self.hangs.clear()
        self.released.set()

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self._of("/v1/traces")
            for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self) -> dict[str, Any]:
        """The last state of each."""
        return {
            metric.name: metric
            for request in self._of("/v1/metrics")
            for resource in ExportMetricsServiceRequest.FromString(request.body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    @property
    def resource(self) -> dict[str, Any]:
        request = ExportTraceServiceRequest.FromString(self._of("/v1/traces")[-1].body)
        return attributes(request.resource_spans[0].resource)

    def named(self, name: str) -> Any:
        """The only span of this name."""
        (span,) = [span for span in self.spans if span.name == name]
        return span

    def _of(self, path: str) -> list[Received]:
        return [request for request in self.requests if request.path == path]


def attributes(owner: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in owner.attributes}


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.requests.append(Received(self.path, dict(self.headers), body))
            if receiver.hangs.is_set():
                receiver.released.wait(30)
            is_refused = receiver.refused and receiver.refused in body
            self.send_response(400 if is_refused else receiver.status)
            for name, value in {**receiver.headers, "Content-Length": "0"}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.release()
        server.shutdown()
        server.server_close()


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind or "string_value")
