"""The trace of a tool that was tried from its page: an archive of its own, one round, one call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from db.fields import dump_json
from tools.models import ServerTool, Trial
from tools.values.call import ToolResult
from tools.values.timing import CallTiming
from tracing.models import Archive, Span, Trace
from tracing.models.attributes import CallAttributes
from tracing.store import payloads

Status = Span.Status


@dataclass(frozen=True)
class TrialTrace:
    """The spans of a call that is being tried."""

    trace: Trace
    spans: Sequence[Span]

    @classmethod
    def begin(cls, trial: Trial, tool: ServerTool) -> "TrialTrace":
        assert trial.user is not None  # who asked
        now = timezone.now()
        name = f"Trial of {tool.offered_name}"[:200]
        archive = Archive.objects.create(owner=trial.user)
        trace = Trace.objects.create(
            archive=archive,
            owner=trial.user,
            kind=Trace.Kind.TRIAL,
            name=name,
            attributes={"trial": str(trial.public_id)},
        )
        root = Span.objects.create(trace=trace, kind=Span.Kind.TURN, name=name, started=now)
        opened = Span.objects.create(
            trace=trace, parent=root, kind=Span.Kind.ROUND, name="round 1", started=now
        )
        call = Span.objects.create(
            trace=trace,
            parent=opened,
            kind=Span.Kind.TOOL,
            name=tool.offered_name,
            status=Status.SENT,
            started=now,
            attributes=_described(trial, tool),
        )
        payloads.store_all(archive, [(call, "arguments", trial.arguments.encode(), {})])
        Trial.objects.filter(pk=trial.pk).update(trace=trace)
        return cls(trace, (root, opened, call))

    def finish(
        self,
        result: ToolResult,
        frames: Sequence[dict[str, Any]],
        stderr: Sequence[str],
        timing: CallTiming,
    ) -> None:
        """Closes all spans and keeps what came back."""
        self._store(result, frames, stderr)
        now = timezone.now()
        root, opened, call = self.spans
        failed = result.is_error
        settled = Status.FAILED if failed else Status.SUCCEEDED
        call.attributes |= {
            "is_error": failed,
            "result_bytes": len(result.text.encode(errors="surrogatepass")),
            **timing.as_attributes(),
        }
        Span.objects.filter(pk=call.pk).update(
            status=Status.OUTCOME_UNKNOWN if result.unknown else settled,
            ended=now,
            attributes=call.attributes,
        )
        Span.objects.filter(pk__in=[root.pk, opened.pk]).update(status=settled, ended=now)
        ended = Trace.Status.FAILED if failed else Trace.Status.SUCCEEDED
        Trace.objects.filter(pk=self.trace.pk).update(status=ended, ended=now)

    def _store(
        self, result: ToolResult, frames: Sequence[dict[str, Any]], stderr: Sequence[str]
    ) -> None:
        call = self.spans[-1]
        full: dict[str, Any] = {"content": result.content, "is_error": result.is_error}
        if result.structured is not None:
            full["structured"] = result.structured
        records: list[payloads.Record] = [
            (call, "result", dump_json(full).encode(), {}),
            (call, "shown", result.shown.encode(errors="surrogatepass"), {}),
        ]
        if frames:
            records.append((call, "frames", dump_json(list(frames)).encode(), {}))
        if stderr:
            records.append((call, "stderr", "\n".join(stderr).encode(), {}))
        payloads.store_all(self.trace.archive, records)


def _described(trial: Trial, tool: ServerTool) -> CallAttributes:
    return {
        "call_id": str(trial.public_id),
        "server": tool.server.name,
        "tool": tool.name,
        "tool_hash": tool.hash,
        "sent": timezone.now().isoformat(),
    }
