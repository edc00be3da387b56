"""The payloads and attributes of a tool call: what it was given, and what came back."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from db.fields import dump_json
from tracing.models import Span
from tracing.models.attributes import CallAttributes
from tracing.store.payloads import Record


class CallResult(Protocol):
    """What came back from a tool: content blocks as MCP writes them, and all of it as text."""

    @property
    def content(self) -> list[dict[str, Any]]: ...
    @property
    def structured(self) -> Any: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def text(self) -> str: ...


def arguments_record(call: Span, arguments: str) -> Record:
    """What the model wrote: JSON text, or what was to be that."""
    return call, "arguments", arguments.encode(errors="surrogatepass"), {}


def result_records(call: Span, result: CallResult, shown: str | None) -> list[Record]:
    """The whole result, and what the model is shown of it; None: nothing, it came too late."""
    whole: dict[str, Any] = {"content": result.content, "is_error": result.is_error}
    if result.structured is not None:
        whole["structured"] = result.structured
    records: list[Record] = [(call, "result", dump_json(whole).encode(), {})]
    if shown is not None:
        records.append(shown_record(call, shown))
    return records


def shown_record(call: Span, text: str) -> Record:
    """What the model is shown of a result."""
    return call, "shown", text.encode(errors="surrogatepass"), {}


def traffic_records(
    call: Span, frames: Sequence[Mapping[str, Any]], stderr: Sequence[str]
) -> list[Record]:
    """The frames of the call's MCP session and the lines that its server wrote, if there are
    any."""
    records: list[Record] = []
    if frames:
        records.append((call, "frames", dump_json(list(frames)).encode(), {}))
    if stderr:
        records.append((call, "stderr", "\n".join(stderr).encode(), {}))
    return records


def result_attributes(result: CallResult) -> CallAttributes:
    size = len(result.text.encode(errors="surrogatepass"))
    return {"is_error": result.is_error, "result_bytes": size}
