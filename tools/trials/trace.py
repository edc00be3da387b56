"""The trace of a tool that was tried from its page: an archive of its own, one round, one call."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from tools.models import ServerTool, Trial
from tools.values.call import Frame, ToolResult
from tools.values.timing import CallTiming
from tracing import recorder
from tracing.models import Archive, Span, Trace
from tracing.models.attributes import CallAttributes
from tracing.store import payloads

Status = Span.Status


@dataclass(frozen=True)
class TrialTrace:
    """The spans of a call that is being tried."""

    archive: Archive
    root: Span
    round: Span
    call: Span

    @classmethod
    def begin(cls, trial: Trial, tool: ServerTool) -> "TrialTrace":
        assert trial.user is not None  # who asked
        name = f"Trial of {tool.offered_name}"
        archive = Archive.objects.create(owner=trial.user)
        root = recorder.begin_trace(
            archive.pk,
            trial.user.pk,
            name,
            {"trial": str(trial.public_id)},
            kind=Trace.Kind.TRIAL,
            root_name=name,
        )
        round_ = recorder.open_round(root)
        call = recorder.open_call(
            round_, tool.offered_name, _described(trial, tool), status=Status.SENT
        )
        payloads.store_all(archive, [recorder.arguments_record(call, trial.arguments)])
        Trial.objects.filter(pk=trial.pk).update(trace=root.trace)
        return cls(archive, root, round_, call)

    def finish(
        self,
        result: ToolResult,
        frames: Sequence[Frame],
        stderr: Sequence[str],
        timing: CallTiming,
    ) -> None:
        """Stores the result and the traffic, and closes all spans."""
        records = recorder.result_records(self.call, result, result.shown)
        traffic = recorder.traffic_records(self.call, frames, stderr)
        payloads.store_all(self.archive, [*records, *traffic])
        status = Status.FAILED if result.is_error else Status.SUCCEEDED
        recorder.close_span(
            self.call,
            Status.OUTCOME_UNKNOWN if result.unknown else status,
            attributes={**recorder.result_attributes(result), **timing.as_attributes()},
        )
        parents = Span.objects.filter(pk__in=[self.root.pk, self.round.pk])
        recorder.close_spans(parents, status)
        trace_status = Trace.Status.FAILED if result.is_error else Trace.Status.SUCCEEDED
        Trace.objects.end(self.root.trace_id, trace_status, timezone.now())


def _described(trial: Trial, tool: ServerTool) -> CallAttributes:
    return {
        "call_id": str(trial.public_id),
        "server": tool.server.name,
        "tool": tool.name,
        "tool_hash": tool.hash,
        "sent": timezone.now().isoformat(),
    }
