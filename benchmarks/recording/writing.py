"""A conversation through the recorder: the calls, transactions and attributes of the engine."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.recording.conversation import Call, Round, wire
from benchmarks.recording.conversation import Conversation as Dialogue
from benchmarks.recording.events import stream
from chat.models import Conversation, Message
from tracing import recorder
from tracing.models import Archive, Span, Trace
from tracing.models.attributes import CallAttributes, GenerationAttributes
from tracing.stats.aggregates.ended_traces import aggregate
from tracing.store import payloads

_HEADERS = [
    ["host", "models.example"],
    ["accept-encoding", "identity"],
    ["connection", "keep-alive"],
    ["authorization", "••••"],
    ["accept", "application/json"],
    ["content-type", "application/json"],
    ["user-agent", "AsyncOpenAI/Python 3.54.0"],
    ["x-stainless-lang", "python"],
    ["x-stainless-package-version", "3.54.0"],
    ["x-stainless-os", "Linux"],
    ["x-stainless-arch", "x64"],
    ["x-stainless-runtime", "CPython"],
    ["x-stainless-runtime-version", "3.11.7"],
    ["x-stainless-async", "async:asyncio"],
    ["x-stainless-raw-response", "stream"],
    ["x-stainless-retry-count", "0"],
    ["x-stainless-read-timeout", "60.0"],
]


@dataclass
class Totals:
    """Counts and sizes of what was written; `cpu_s` is that of the calling thread in the recorder,
    `digest_cpu_s` that of counting and indexing the ended trace."""

    spans: int = 1
    cpu_s: float = 0.0
    digest_cpu_s: float = 0.0
    message_bytes: int = 0
    response_bytes: int = 0
    bodies: dict[int, bytes] = field(default_factory=dict)

    @contextmanager
    def measured(self) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.cpu_s += time.thread_time() - began


def write(owner: User, dialogue: Dialogue) -> Totals:
    """Stores a conversation with its trace and its messages."""
    archive = Archive.objects.create(owner=owner)
    conversation = Conversation.objects.create(owner=owner, archive=archive, title="A benchmark")
    attributes = {"conversation": str(conversation.public_id), "model": "qwen3-32b"}
    root = recorder.begin_trace(archive.pk, owner.pk, "数据库有几张表", attributes)  # type: ignore[arg-type]
    # As the engine has it: the archive is a part of the conversation that is loaded.
    root.trace.archive = archive
    return _Writer(conversation, root, dialogue).run()


class _Writer:
    def __init__(self, conversation: Conversation, root: Span, dialogue: Dialogue) -> None:
        self.conversation, self.root, self.dialogue = conversation, root, dialogue
        self.archive = conversation.archive
        self.totals = Totals()
        self.messages: list[dict[str, Any]] = []
        self.parent: Message | None = None
        self.random = Random(1)

    def run(self) -> Totals:
        for message in self.dialogue.opening:
            self._append(message, self.root)
        for one in self.dialogue:
            self._round(one)
        now = timezone.now()
        with transaction.atomic(), self.totals.measured():
            recorder.end_turn_trace(self.root.trace_id, Trace.Status.SUCCEEDED, "", now)
        began = time.thread_time()
        aggregate(Trace.objects.get(pk=self.root.trace_id))
        self.totals.digest_cpu_s = time.thread_time() - began
        return self.totals

    def _append(self, message: dict[str, Any], span: Span) -> None:
        """A message of the conversation, whose row is not the recorder's."""
        self.messages.append(message)
        self.totals.message_bytes += len(wire(message))
        self.parent = Message.objects.insert(
            conversation=self.conversation, parent=self.parent, span=span,
            role=message["role"], body=message,
        )  # fmt: skip

    def _round(self, one: Round) -> None:
        with transaction.atomic(), self.totals.measured():
            taken_up = {"rung": None, "step": timezone.now().isoformat()}
            round_span = recorder.open_round(self.root, one.number, {"taken_up": taken_up})
            opening = _opening(one.number)
            generation = recorder.open_generation(round_span, "qwen3-32b", opening)
        records = self._stages(one, generation)
        with transaction.atomic():
            with self.totals.measured():
                succeeded = Span.Status.SUCCEEDED
                recorder.close_span(generation, succeeded, attributes=self._closing(one))
                payloads.store_all(self.archive, records)
            self._append(one.answer, generation)
            if one.call is not None:
                with self.totals.measured():
                    call = recorder.open_call(
                        round_span, one.call.name, self._call(one.call), status=Span.Status.APPROVED
                    )
                    arguments = recorder.arguments_record(call, one.call.arguments)
                    payloads.store_all(self.archive, [arguments])
        self.totals.spans += 2
        if one.call is not None:
            self._finish_call(one, one.call, call)
        with transaction.atomic(), self.totals.measured():
            recorder.close_spans(Span.objects.filter(pk=round_span.pk), Span.Status.SUCCEEDED)

    def _finish_call(self, one: Round, made: Call, call: Span) -> None:
        records = _call_records(call, made)
        call.attributes |= self._facts(made)
        with transaction.atomic():
            with self.totals.measured():
                open_calls = Span.objects.filter(pk=call.pk, status=Span.Status.APPROVED)
                assert recorder.settle_call(open_calls, call, Span.Status.SUCCEEDED)
                payloads.store_all(self.archive, records)
            assert one.result is not None
            self._append(one.result, call)
        self.totals.spans += 1

    def _stages(self, one: Round, span: Span) -> list[payloads.Record]:
        meant = wire(
            {"messages": self.messages, "tools": self.dialogue.tools, "parameters": {"seed": 7}}
        )
        sent = wire(
            {
                "messages": self.messages, "model": "qwen3-32b", "seed": 7, "stream": True,
                "stream_options": {"include_usage": True}, "tools": self.dialogue.tools,
            }
        )  # fmt: skip
        received, chunks = stream(one)
        self.totals.response_bytes += len(received)
        self.totals.bodies[span.pk] = sent
        output = {"message": one.answer, "errors": [], "origins": _origins(one), "reissued": []}
        headers = [*_HEADERS, ["content-length", str(len(sent))]]
        url = "https://models.example/v1/chat/completions"
        request = {"method": "POST", "url": url, "headers": headers}
        head = [["content-type", "text/event-stream"], ["x-request-id", self._id(32)]]
        return [
            (span, "input", meant, {}),
            (span, "request", sent, {"attributes": request}),
            (span, "response", received,
             {"attributes": {"status": 200, "headers": head}, "chunks": chunks}),
            (span, "output", wire(output), {}),
        ]  # fmt: skip

    def _closing(self, one: Round) -> GenerationAttributes:
        names = ("pre", "open", "send", "connect", "first_byte", "first_token", "stream", "post")
        timings = {f"{name}_ms": round(self.random.uniform(0.5, 90), 3) for name in names}
        tokens = 800 + 400 * one.number
        usage = {"prompt_tokens": tokens, "completion_tokens": 60, "total_tokens": tokens + 60}
        return {
            "status_code": 200,
            "usage": usage,
            "finish_reason": "tool_calls" if one.call else "stop",
            "answering_model": "qwen3-32b",
            "response_id": f"chatcmpl-{one.number:08x}",
            "notes": [],
            "errors": [],
            "timings": timings,
            "cut": None,
            "error_kind": None,
            "error_evidence": None,
            "error_bytes": None,
        }

    def _call(self, made: Call) -> CallAttributes:
        assert self.parent is not None
        return {
            "call_id": made.id,
            "message": str(self.parent.public_id),
            "server": made.name.split("-")[0],
            "tool": made.name.split("-")[1],
            "idempotent": True,
            "tool_hash": "5f" * 32,
        }

    def _facts(self, made: Call) -> CallAttributes:
        timing = {"wait_ms": 1.25, "call_ms": round(self.random.uniform(1, 90), 3)}
        session = {"session": "c0ffee" * 5, "request": made.id[-4:], "transport": "pipe"}
        return {
            "task_id": self._id(36),
            "sent": timezone.now().isoformat(),
            "is_error": False,
            "result_bytes": len(made.text.encode()),
            "timing": {**timing, "protocol": "2025-11-25"},
            "mcp": session,
        }

    def _id(self, digits: int) -> str:
        return f"{self.random.getrandbits(4 * digits):0{digits}x}"


def _opening(number: int) -> GenerationAttributes:
    return {
        "provider": "Qwen",
        "base_url": "https://models.example/v1",
        "model": "qwen3-32b",
        "dialect": "native",
        "parameters": {"seed": 7},
        "attempt": 1,
        "prices": {"in": "0.4", "out": "1.2"},
        "context_window": 128_000,
        "context_window_source": "assumed",
        "settings": {
            "service": "", "returns_reasoning": "never", "usage_in_streams": None,
            "takes_tools": True, "takes_images": False,
        },
        "guessed": 800 + 410 * number,
    }  # fmt: skip


def _origins(one: Round) -> list[dict[str, Any]]:
    origins: list[dict[str, Any]] = [{"path": "content", "became": "content"}]
    if one.call is not None:
        origins.append({"path": "tool_calls[0]", "became": "tool_call", "call_id": one.call.id})
    return origins


def _call_records(call: Span, made: Call) -> list[payloads.Record]:
    """Of an MCP call: the result, what the model is shown, and the frames."""
    content = [{"type": "text", "text": made.text}]
    whole = {"content": content, "is_error": False}
    request = {"name": made.name.split("-")[1], "arguments": {}, "_meta": {"traceparent": made.id}}
    sent = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": request}
    received = {"jsonrpc": "2.0", "id": 7, "result": {"content": content, "isError": False}}
    at = time.time()
    frames = [
        {"direction": "sent", "at": at, "message": sent},
        {"direction": "received", "at": at + 0.004, "message": received},
    ]
    return [
        (call, "result", wire(whole), {}),
        recorder.shown_record(call, made.text),
        *recorder.traffic_records(call, frames, []),
    ]
