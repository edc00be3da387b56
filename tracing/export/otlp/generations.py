"""The attributes of a model call, `chat {model}`: OpenInference's kind LLM."""

from collections.abc import Mapping
from typing import Any

from db.fields import dump_json
from tracing.export.otlp import messages, providers
from tracing.export.otlp.content import Asked, Contents
from tracing.export.otlp.limits import cut, cut_all
from tracing.export.otlp.mapped import Attributes, Value
from tracing.journal.cost import cost
from tracing.models import Span
from tracing.models.attributes import generation_attributes

# Canonical parameters (`chat.llm.parameters`) and what OpenAI calls the same.
_PARAMETERS: dict[str, tuple[str, type]] = {
    "max_tokens": ("gen_ai.request.max_tokens", int),
    "max_completion_tokens": ("gen_ai.request.max_tokens", int),
    "temperature": ("gen_ai.request.temperature", float),
    "top_p": ("gen_ai.request.top_p", float),
    "top_k": ("gen_ai.request.top_k", float),
    "seed": ("gen_ai.request.seed", int),
    "frequency_penalty": ("gen_ai.request.frequency_penalty", float),
    "presence_penalty": ("gen_ai.request.presence_penalty", float),
}
# Of the usage as it is recorded: OpenAI's names, and those that others have beside them.
_USAGE = {
    "input": ("prompt_tokens", "input_tokens"),
    "output": ("completion_tokens", "output_tokens"),
    "total": ("total_tokens",),
    "cache_read": (
        "prompt_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",
        "cache_read_input_tokens",
    ),
    "cache_write": (
        "prompt_tokens_details.cache_creation_tokens",
        "prompt_tokens_details.cache_write_tokens",
        "cache_creation_input_tokens",
    ),
    "reasoning": ("completion_tokens_details.reasoning_tokens",),
}
_TOKENS = {
    "input": ("gen_ai.usage.input_tokens", "llm.token_count.prompt"),
    "output": ("gen_ai.usage.output_tokens", "llm.token_count.completion"),
    "total": ("llm.token_count.total",),
    "cache_read": (
        "gen_ai.usage.cache_read.input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
    "cache_write": (
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning": (
        "gen_ai.usage.reasoning.output_tokens",
        "llm.token_count.completion_details.reasoning",
    ),
}


def attributes(span: Span, contents: Contents) -> Attributes:
    noted = generation_attributes(span)
    return {
        **called(noted),
        **_wanted(noted.get("parameters")),
        **_came_back(noted),
        **{name: count for key, count in usage(noted).items() for name in _TOKENS[key]},
        "openinference.span.kind": "LLM",
        "llm.model_name": _text(noted.get("answering_model") or noted.get("model")),
        "llm.provider": providers.provider_name(noted),
        "llm.system": providers.system_name(noted),
        "llm.invocation_parameters": dump_json(cut_all(noted.get("parameters") or {})),
        **_cost(noted),
        "roundtrip.attempt": span.number,
        **(_content(span, contents) if contents.allowed else {}),
    }


def called(noted: Mapping[str, Any]) -> Attributes:
    """Who was asked for what: on the span, and on what is measured of it."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providers.provider_name(dict(noted)),
        "gen_ai.request.model": _text(noted.get("model")),
        **providers.server(str(noted.get("base_url") or "")),
    }


def usage(noted: Mapping[str, Any]) -> dict[str, int]:
    """Tokens by kind: input, output, total, cache_read, cache_write, reasoning; what is known."""
    said = noted.get("usage")
    if not isinstance(said, dict):
        return {}
    found = {kind: _count(said, names) for kind, names in _USAGE.items()}
    known = {kind: count for kind, count in found.items() if count is not None}
    if "total" not in known and {"input", "output"} <= known.keys():
        known["total"] = known["input"] + known["output"]
    return known


def first_chunk(noted: Mapping[str, Any]) -> float | None:
    """Seconds from the request to the first bytes of the answer, if it was streamed."""
    timings = noted.get("timings")
    first = timings.get("first_byte_ms") if isinstance(timings, dict) else None
    if not isinstance(first, int | float) or not _is_streamed(noted.get("parameters")):
        return None
    return round(first / 1000, 6)


def _cost(noted: Mapping[str, Any]) -> Attributes:
    """OpenInference's, in US dollars: receivers do not know our prices."""
    dollars = cost(noted.get("usage"), noted.get("prices"))
    return {} if dollars is None else {"llm.cost.total": float(dollars)}


def _wanted(parameters: Any) -> Attributes:
    flat = parameters if isinstance(parameters, dict) else {}
    extra = flat.get("extra")
    flat = {**flat, **(extra if isinstance(extra, dict) else {})}
    found: Attributes = {"gen_ai.request.stream": _is_streamed(parameters)}
    for key, (name, kind) in _PARAMETERS.items():
        value = flat.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = kind(value)
    stop = flat.get("stop") or flat.get("stop_sequences")
    if isinstance(stop, str | list):
        ends = [stop] if isinstance(stop, str) else stop
        found["gen_ai.request.stop_sequences"] = [cut(str(end)) for end in ends]
    return found


def _is_streamed(parameters: Any) -> bool:
    """A model is always asked for a stream, unless its parameters say otherwise."""
    flat = parameters if isinstance(parameters, dict) else {}
    extra = flat.get("extra")
    return not any(one.get("stream") is False for one in (flat, extra) if isinstance(one, dict))


def _came_back(noted: Mapping[str, Any]) -> Attributes:
    found: dict[str, Value | None] = {
        "gen_ai.response.id": _text(noted.get("response_id")),
        "gen_ai.response.model": _text(noted.get("answering_model")),
        "gen_ai.response.finish_reasons": _reasons(noted),
        "gen_ai.response.time_to_first_chunk": first_chunk(noted),
        "http.response.status_code": noted.get("status_code"),
    }
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _reasons(noted: Mapping[str, Any]) -> list[str]:
    reason = noted.get("finish_reason")
    return [_text(reason)] if reason else []


def _content(span: Span, contents: Contents) -> Attributes:
    asked = contents.asked(span)
    answer = contents.answered(span)
    return {
        **_input(
            messages.Said.of(asked.messages, contents.room),
            str(generation_attributes(span).get("dialect")),
        ),
        **_tools(asked),
        **(_output(answer, span) if answer else {}),
    }


def _input(said: messages.Said, dialect: str) -> Attributes:
    if not said.messages:
        return {}
    # Instructions that travel apart from the history stand apart only.
    apart = dialect == "anthropic"
    history = messages.without_system(said.messages) if apart else said.messages
    found: Attributes = {
        "gen_ai.input.messages": messages.in_parts(history),
        "input.value": dump_json(cut_all({"messages": _readable(said.messages)})),
        "input.mime_type": "application/json",
        **dict(messages.flattened("llm.input_messages", said.messages)),
    }
    if instructions := messages.instructions(said.messages):
        found["gen_ai.system_instructions"] = instructions
    if said.left_out:
        found["roundtrip.messages_left_out"] = said.left_out
    return found


def _tools(asked: Asked) -> Attributes:
    if not asked.tools:
        return {}
    definitions = dump_json(messages.definitions(asked.tools))
    return {"gen_ai.tool.definitions": definitions, **messages.tools_of(asked.tools)}


def _output(answer: dict[str, Any], span: Span) -> Attributes:
    reason = _text(generation_attributes(span).get("finish_reason"))
    return {
        "gen_ai.output.messages": messages.in_parts([answer], reason),
        **dict(messages.flattened("llm.output_messages", [answer])),
        **output_value(answer),
    }


def output_value(answer: dict[str, Any]) -> Attributes:
    """The text that was said, or the whole message if it is more than text."""
    text = messages.text_of(answer)
    if text and not answer.get("tool_calls"):
        return {"output.value": cut(text), "output.mime_type": "text/plain"}
    value = dump_json(cut_all(_readable([answer])[0]))
    return {"output.value": value, "output.mime_type": "application/json"}


def _readable(said: Any) -> list[dict[str, Any]]:
    """Messages for people: the content as text, no bytes."""
    kept = ("reasoning_content", "tool_calls", "tool_call_id")
    return [
        {
            "role": messages.role(message),
            "content": messages.text_of(message),
            **{key: message[key] for key in kept if message.get(key)},
        }
        for message in said
    ]


def _count(said: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        outer, _, inner = name.partition(".")
        value = said.get(outer)
        if inner:
            value = value.get(inner) if isinstance(value, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _text(value: Any) -> str:
    return cut(value) if isinstance(value, str) else ""
