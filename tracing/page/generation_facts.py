"""What is known of a generation beside its stages, as names and values for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from db.fields import dump_json
from languages.later import later
from tracing.formatting.figures import duration
from tracing.journal.cost import is_estimated
from tracing.models import Span
from tracing.models.attributes import call_attributes, generation_attributes
from tracing.page.calls import sandbox_facts

_NAMES = {
    "provider": later("Provider"),
    "base_url": later("Base URL"),
    "model": later("Model asked for"),
    "answering_model": later("Model that answered"),
    "dialect": later("Dialect"),
    "parameters": later("Parameters"),
    "status_code": later("HTTP status"),
    "finish_reason": later("Finish reason"),
    "response_id": later("Response id"),
    "cut": later("Cut off by"),
    "error_kind": later("Error"),
    "error_evidence": later("System error"),
}
_TIMINGS = {
    "pre_ms": later("Pre-processing"),
    "send_ms": later("Until it was sent"),
    "connect_ms": later("Connecting"),
    "first_byte_ms": later("First byte after"),
    "first_token_ms": later("First token after"),
    "stream_ms": later("Streaming"),
    "reasoning_ms": later("Reasoning"),
    "post_ms": later("Post-processing"),
}
# Labels of the providers' names for tokens, outer and nested.
_TOKENS = {
    "prompt_tokens": later("Tokens in"),
    "completion_tokens": later("Tokens out"),
    "total_tokens": later("Tokens in all"),
    "input_tokens": later("Tokens in"),
    "output_tokens": later("Tokens out"),
    "prompt_tokens_details: cached_tokens": later("Tokens in, from the cache"),
    "completion_tokens_details: reasoning_tokens": later("Tokens out, of reasoning"),
    "prompt_cache_hit_tokens": later("Tokens in, from the cache"),
    "prompt_cache_miss_tokens": later("Tokens in, not from the cache"),
    "cache_read_input_tokens": later("Tokens in, from the cache"),
    "cache_creation_input_tokens": later("Tokens in, put into the cache"),
    "prompt_tokens_details: cache_creation_tokens": later("Tokens in, put into the cache"),
}


def generation_facts(span: Span) -> list[tuple[str, str]]:
    """Facts of a generation, pairs of label and value; unknown ones are left out."""
    attributes = generation_attributes(span)
    return [
        *((name, _worded(value)) for name, value in _known(attributes, _NAMES)),
        *_durations(attributes.get("timings"), _TIMINGS),
        *_usage(attributes.get("usage")),
        *_tools(attributes.get("tools")),
        *_wait(attributes.get("retry_in_ms")),
        ("Span", str(span.public_id)),
    ]


_CALL_NAMES = {
    "server": later("Server"),
    "tool": later("Tool"),
    "call_id": later("Call id"),
    "result_bytes": later("Bytes of the result"),
    "task_id": later("Task"),
    "tool_hash": "Definition's hash",
    "denied_by": later("Denied by"),
    "skill": later("Skill"),
    "focus": later("Focus"),
    "activated": later("Tools activated"),
}
_CALL_TIMINGS = {
    "room_ms": later("Waiting for a session"),
    "start_ms": later("Starting the server"),
    "connect_ms": later("Connecting"),
    "answer_ms": later("Waiting for the answer"),
}


def call_facts(span: Span) -> list[tuple[str, str]]:
    """Facts of a tool call."""
    attributes = call_attributes(span)
    timing = attributes.get("timing")
    known = timing if isinstance(timing, dict) else {}
    return [
        (gettext("Offered as"), span.name),
        *((name, _listed(value)) for name, value in _known(attributes, _CALL_NAMES)),
        *sandbox_facts.facts(span),
        *_waited(span),
        *_durations(known, _CALL_TIMINGS),
        *([(gettext("Protocol"), f"MCP {known['protocol']}")] if known.get("protocol") else []),
        ("Span", str(span.public_id)),
    ]


def _known(
    attributes: Mapping[str, object], names: Mapping[str, str]
) -> Iterator[tuple[str, object]]:
    """Pairs of label and value, without missing and empty ones."""
    return ((label, attributes[key]) for key, label in names.items() if attributes.get(key))


def _tools(value: Any) -> Iterator[tuple[str, str]]:
    """How many of the available tools were sent."""
    known = value if isinstance(value, dict) else {}
    available, sent = known.get("available"), known.get("sent")
    if isinstance(available, int) and isinstance(sent, int):
        yield (
            gettext("Tools"),
            gettext("%(sent)s of %(available)s tools sent")
            % {"sent": f"{sent:,}", "available": f"{available:,}"},
        )


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else _worded(value)


def _waited(span: Span) -> Iterator[tuple[str, str]]:
    if span.started is not None:
        yield gettext("Wait before the start"), duration(span.started - span.created)
        if span.ended is not None:
            yield gettext("Run time"), duration(span.ended - span.started)


def generation_notes(span: Span) -> list[str]:
    """Notes of the dialect on parameters that the request cannot express."""
    notes = generation_attributes(span).get("notes")
    return [note for note in notes if isinstance(note, str)] if isinstance(notes, list) else []


def _wait(ms: Any) -> Iterator[tuple[str, str]]:
    if isinstance(ms, int | float):
        yield gettext("Wait until the next attempt"), duration(ms)


def _durations(timings: Any, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    known = timings if isinstance(timings, dict) else {}
    for key, name in names.items():
        if isinstance(known.get(key), int | float):
            yield name, duration(known[key])


def _usage(usage: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Figures under the provider's names; nested ones with both names."""
    figures = usage if isinstance(usage, dict) else {}
    about = "≈ " if is_estimated(figures) else ""
    if about:
        yield gettext("Usage"), gettext("estimated: the provider did not report all of it")
    for key, figure in figures.items():
        name = _TOKENS.get(f"{above}{key}") or f"{above}{key}".replace("_", " ")
        if key == "raw" and isinstance(figure, dict):
            yield (
                gettext("Usage as reported"),
                ", ".join(f"{k} {_worded(v)}" for k, v in figure.items()),
            )
        elif isinstance(figure, dict) and not above:
            yield from _usage(figure, f"{key}: ")
        elif isinstance(figure, int | float) and not isinstance(figure, bool):
            yield name, f"{about}{figure:,}"


def _worded(value: Any) -> str:
    return value if isinstance(value, str) else dump_json(value)
