"""The two protocols that the stub speaks, each as one value."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.stub import chat, messages, wire
from benchmarks.stub.chat import Answer, ChatRequest
from benchmarks.stub.grammar import Behaviour
from benchmarks.stub.wire import Script

Write = Callable[[Answer, str, Behaviour], Script]


@dataclass(frozen=True)
class Protocol:
    """How requests are read and answers written. `zero` is a stream that says nothing, the other
    bytes are one event each that cannot be read; `error_event` is an error in mid-stream."""

    read: Callable[[bytes], ChatRequest]
    events: Write
    document: Write
    error: Callable[[int, str], bytes]
    error_event: Callable[[str], bytes]
    models: Callable[[tuple[str, ...]], bytes]
    zero: bytes
    bad_json: bytes
    bad_utf8: bytes


CHAT = Protocol(
    chat.read_request,
    wire.events,
    wire.document,
    wire.error,
    wire.error_event,
    wire.models,
    wire.DONE,
    wire.BAD_JSON,
    wire.BAD_UTF8,
)
MESSAGES = Protocol(
    messages.read_request,
    messages.events,
    messages.document,
    messages.error,
    messages.error_event,
    messages.models,
    messages.PING,
    messages.BAD_JSON,
    messages.BAD_UTF8,
)
PATHS = {"/v1/chat/completions": CHAT, "/v1/messages": MESSAGES}
