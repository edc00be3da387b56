"""Archives, traces and spans for the tests, built as the engine builds them."""

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from tracing.models import Archive, Span, Trace
from tracing.store import payloads


def a_user(**fields: Any) -> User:
    return User.objects.create_user(username=f"user-{uuid.uuid4().hex[:8]}", **fields)


def an_archive(owner: User | None = None) -> Archive:
    return Archive.objects.create(owner=owner or a_user())


def a_span(archive: Archive, kind: str = "generation", number: int = 1) -> Span:
    trace = Trace.objects.create(archive=archive, owner=archive.owner, name="A question")
    return Span.objects.create(trace=trace, kind=kind, name="A step", number=number)


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class ATurn:
    """A trace that grows as the engine lets it grow: rounds, generations, tool calls."""

    def __init__(self, owner: User | None = None, name: str = "数据库有几张表") -> None:
        self.archive = an_archive(owner)
        self.begin(name)

    def begin(self, name: str) -> None:
        """Another turn of the same conversation."""
        self.trace = Trace.objects.create(
            archive=self.archive,
            owner=self.archive.owner,
            name=name,
            attributes={"conversation": str(uuid.uuid4())},
        )
        self.start = self.trace.started
        self.root = Span.objects.create(
            trace=self.trace, kind="turn", name="turn", started=self.start
        )
        self.round: Span | None = None

    def a_subagent(self, call: Span, name: str = "Find the bug") -> "ATurn":
        """The turn that this call began, in an archive of its own. Its times are this turn's."""
        nested = ATurn(self.archive.owner, name)
        Archive.objects.filter(pk=nested.archive.pk).update(parent=self.archive)
        kind = {"kind": Trace.Kind.SUBAGENT, "parent": call}
        Trace.objects.filter(pk=nested.trace.pk).update(**kind, started=self.start)
        nested.trace.refresh_from_db()
        nested.start = self.start
        call.attributes["subagent"] = nested.trace.attributes["conversation"]
        call.save(update_fields=["attributes"])
        return nested

    def at(self, ms: float) -> datetime:
        return self.start + timedelta(milliseconds=ms)

    def span(self, kind: str, number: int, at: tuple[float, float | None], **fields: Any) -> Span:
        begin, end = at
        ended = None if end is None else self.at(end)
        fields = {"name": f"{kind} {number}", "status": "succeeded", **fields}
        return Span.objects.create(
            trace=self.trace,
            kind=kind,
            number=number,
            created=self.at(begin),
            started=self.at(begin),
            ended=ended,
            **fields,
        )

    def a_round(self, number: int, at: tuple[float, float | None], **fields: Any) -> Span:
        self.round = self.span("round", number, at, parent=self.root, **fields)
        return self.round

    def a_generation(
        self,
        stages: dict[str, bytes],
        at: tuple[float, float | None],
        number: int = 1,
        details: dict[str, payloads.Details] | None = None,
        **fields: Any,
    ) -> Span:
        span = self.span("generation", number, at, parent=self.round, **fields)
        self.store(span, stages, details or {})
        return span

    def a_call(
        self, stages: dict[str, bytes], at: tuple[float, float | None], number: int, **fields: Any
    ) -> Span:
        span = self.span("tool", number, at, parent=self.round, **fields)
        self.store(span, stages, {})
        return span

    def end(self, ms: float, status: str = "succeeded") -> None:
        Trace.objects.filter(pk=self.trace.pk).update(status=status, ended=self.at(ms))
        self.trace.refresh_from_db()

    def store(
        self, span: Span, stages: dict[str, bytes], details: dict[str, payloads.Details]
    ) -> None:
        none: payloads.Details = {}
        records: list[payloads.Record] = [
            (span, stage, body, details.get(stage, none)) for stage, body in stages.items()
        ]
        payloads.store_all(self.archive, records)
