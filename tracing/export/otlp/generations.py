"""The attributes of a model call, `chat {model}`: OpenInference's kind LLM."""

from collections.abc import Mapping
from typing import Any

from db.fields import dump_json
from tracing.export.otlp import messages, providers
from tracing.export.otlp.content import Contents, GenerationInput
from tracing.export.otlp.limits import cut, cut_all
from tracing.export.otlp.otlp_span import Attributes, Value
from tracing.journal.cost import cost
from tracing.models import Span
from tracing.models.attributes import generation_attributes

# Canonical parameters (`chat.llm.parameters`) and other names of OpenAI.
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
# Keys of the recorded usage: OpenAI's names first, then those of other providers.
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


def model_call_attributes(span: Span, contents: Contents) -> Attributes:
    recorded = generation_attributes(span)
    return {
        **request_labels(recorded),
        **_request_parameters(recorded.get("parameters")),
        **_response_attributes(recorded),
        **{name: count for key, count in usage(recorded).items() for name in _TOKENS[key]},
        "openinference.span.kind": "LLM",
        "llm.model_name": _text(recorded.get("answering_model") or recorded.get("model")),
        "llm.provider": providers.provider_name(recorded),
        "llm.system": providers.system_name(recorded),
        "llm.invocation_parameters": dump_json(cut_all(recorded.get("parameters") or {})),
        **_cost(recorded),
        "roundtrip.attempt": span.number,
        **(_content(span, contents) if contents.allowed else {}),
    }


def request_labels(recorded: Mapping[str, Any]) -> Attributes:
    """Operation, provider, model and server: attributes of the span and labels of its metrics."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providers.provider_name(dict(recorded)),
        "gen_ai.request.model": _text(recorded.get("model")),
        **providers.server(str(recorded.get("base_url") or "")),
    }


def usage(recorded: Mapping[str, Any]) -> dict[str, int]:
    """Tokens by kind, as far as they are known: input, output, total, cache_read, cache_write,
    reasoning."""
    figures = recorded.get("usage")
    if not isinstance(figures, dict):
        return {}
    counts = {kind: _count(figures, names) for kind, names in _USAGE.items()}
    known = {kind: count for kind, count in counts.items() if count is not None}
    if "total" not in known and {"input", "output"} <= known.keys():
        known["total"] = known["input"] + known["output"]
    return known


def first_chunk(recorded: Mapping[str, Any]) -> float | None:
    """Seconds from the request to the first bytes of the response; None if it was not streamed."""
    timings = recorded.get("timings")
    first = timings.get("first_byte_ms") if isinstance(timings, dict) else None
    if not isinstance(first, int | float) or not _is_streamed(recorded.get("parameters")):
        return None
    return round(first / 1000, 6)


def _cost(recorded: Mapping[str, Any]) -> Attributes:
    """In US dollars, by OpenInference's name: receivers do not know our prices."""
    dollars = cost(recorded.get("usage"), recorded.get("prices"))
    return {} if dollars is None else {"llm.cost.total": float(dollars)}


def _request_parameters(parameters: Any) -> Attributes:
    flat = parameters if isinstance(parameters, dict) else {}
    extra = flat.get("extra")
    flat = {**flat, **(extra if isinstance(extra, dict) else {})}
    result: Attributes = {"gen_ai.request.stream": _is_streamed(parameters)}
    for key, (name, kind) in _PARAMETERS.items():
        value = flat.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            result[name] = kind(value)
    stop = flat.get("stop") or flat.get("stop_sequences")
    if isinstance(stop, str | list):
        sequences = [stop] if isinstance(stop, str) else stop
        result["gen_ai.request.stop_sequences"] = [cut(str(one)) for one in sequences]
    return result


def _is_streamed(parameters: Any) -> bool:
    """Requests ask for a stream unless the model's parameters say otherwise."""
    flat = parameters if isinstance(parameters, dict) else {}
    extra = flat.get("extra")
    return not any(one.get("stream") is False for one in (flat, extra) if isinstance(one, dict))


def _response_attributes(recorded: Mapping[str, Any]) -> Attributes:
    values: dict[str, Value | None] = {
        "gen_ai.response.id": _text(recorded.get("response_id")),
        "gen_ai.response.model": _text(recorded.get("answering_model")),
        "gen_ai.response.finish_reasons": _reasons(recorded),
        "gen_ai.response.time_to_first_chunk": first_chunk(recorded),
        "http.response.status_code": recorded.get("status_code"),
    }
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def _reasons(recorded: Mapping[str, Any]) -> list[str]:
    reason = recorded.get("finish_reason")
    return [_text(reason)] if reason else []


def _content(span: Span, contents: Contents) -> Attributes:
    request = contents.input_of(span)
    answer = contents.output_of(span)
    return {
        **_input(
            messages.FittingMessages.of(request.messages, contents.room),
            str(generation_attributes(span).get("dialect")),
        ),
        **_tools(request),
        **(_output(answer, span) if answer else {}),
    }


def _input(fitting: messages.FittingMessages, dialect: str) -> Attributes:
    if not fitting.messages:
        return {}
    # Anthropic's protocol sends the instructions beside the history.
    is_apart = dialect == "anthropic"
    history = messages.without_system(fitting.messages) if is_apart else fitting.messages
    result: Attributes = {
        "gen_ai.input.messages": messages.messages_json(history),
        "input.value": dump_json(cut_all({"messages": _readable(fitting.messages)})),
        "input.mime_type": "application/json",
        **dict(messages.flat_attributes("llm.input_messages", fitting.messages)),
    }
    if instructions := messages.instructions(fitting.messages):
        result["gen_ai.system_instructions"] = instructions
    if fitting.left_out:
        result["roundtrip.messages_left_out"] = fitting.left_out
    return result


def _tools(request: GenerationInput) -> Attributes:
    if not request.tools:
        return {}
    definitions = dump_json(messages.definitions(request.tools))
    return {"gen_ai.tool.definitions": definitions, **messages.tools_of(request.tools)}


def _output(answer: dict[str, Any], span: Span) -> Attributes:
    reason = _text(generation_attributes(span).get("finish_reason"))
    return {
        "gen_ai.output.messages": messages.messages_json([answer], reason),
        **dict(messages.flat_attributes("llm.output_messages", [answer])),
        **output_value(answer),
    }


def output_value(answer: dict[str, Any]) -> Attributes:
    """The text of the answer, or the whole message if it is more than text."""
    text = messages.text_of(answer)
    if text and not answer.get("tool_calls"):
        return {"output.value": cut(text), "output.mime_type": "text/plain"}
    value = dump_json(cut_all(_readable([answer])[0]))
    return {"output.value": value, "output.mime_type": "application/json"}


def _readable(entries: Any) -> list[dict[str, Any]]:
    """Messages with their content as text, without bytes of images."""
    others = ("reasoning_content", "tool_calls", "tool_call_id")
    return [
        {
            "role": messages.role(message),
            "content": messages.text_of(message),
            **{key: message[key] for key in others if message.get(key)},
        }
        for message in entries
    ]


def _count(figures: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        outer, _, inner = name.partition(".")
        value = figures.get(outer)
        if inner:
            value = value.get(inner) if isinstance(value, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _text(value: Any) -> str:
    return cut(value) if isinstance(value, str) else ""
