"""What addresses name, found among the rows of a database: the latest row of each kind."""

from typing import Any

from chat.models import Conversation, LanguageModel, Preset, Provider
from tests.pages.table import Arguments
from tracing.models import Payload, Trace

NAMED: dict[str, Any] = {
    "conversation": Conversation,
    "model": LanguageModel,
    "provider": Provider,
    "preset": Preset,
}


def examples() -> Arguments:
    """By the names of `tests.pages.seeding`; without those of which there is no row."""
    found: Arguments = {}
    for name, model in NAMED.items():
        rows = model.objects.order_by("pk")
        if name == "conversation":
            rows = rows.filter(owner__is_superuser=True)
        if (row := rows.last()) is not None:
            found[name] = {"public_id": row.public_id}
    for name, model in (("chat_preset", Preset), ("chat_provider", Provider)):
        if (row := model.objects.order_by("pk").last()) is not None:
            found[name] = {"object_id": row.pk}
    trace = Trace.objects.filter(kind="turn").order_by("pk").first()
    request = Payload.objects.filter(stage="request").order_by("pk").first()
    if trace is not None and request is not None:
        found["trace"] = {"trace_id": trace.public_id, "number": 1}
        found["archive"] = {"archive_id": trace.archive.public_id}
        found["payload"] = {
            "trace_id": request.span.trace.public_id,
            "span_id": request.span.public_id,
            "stage": "request",
            "number": 0,
        }
    return found
