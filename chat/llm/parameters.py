"""Parameters of a request, from those of a model's settings.

`temperature`, `top_p`, `max_tokens`, `stop`, `seed` and `reasoning_effort` are canonical: each
protocol has its own form of them. Other keys are put into the body unchanged, those under `extra`
last. What a protocol cannot express is noted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.llm.endpoint import Kind
from chat.llm.services import MaxTokensKey
from languages.stored import stored
from limits.models import MAX_BUDGET_TOKENS

NAMES = ("temperature", "top_p", "max_tokens", "stop", "seed", "reasoning_effort")
# The Messages API requires a limit. Every current model accepts the first. Thinking counts as
# output, and needs a higher one.
DEFAULT_MAX_TOKENS = 8192
THINKING_MAX_TOKENS = 32_000
# Older Claude models think for a number of tokens, at least 1024 and less than the limit.
BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384}
MIN_BUDGET_TOKENS = 1024
# The Messages API has no sampling parameters since its version 2026-10-21; this one has.
OLDER_VERSION, VERSION = "2023-06-01", "2026-10-21"
SAMPLING = ("temperature", "top_p", "top_k")
# Parameters for tools, or for an answer of another form.
NOT_FOR_PLAIN_TEXT = (
    *("tool_choice", "parallel_tool_calls", "functions", "function_call"),
    *("response_format", "stop"),
)
# OpenAI's reasoning models take no `max_tokens`, whoever passes a request on to them.
_OPENAI_REASONING = re.compile(r"(?:.*/)?(?:o[1-9]|gpt-[5-9]|codex)(?![a-z])")
# Claude models that think for a number of tokens: up to 4.5. Later ones decide by themselves, given
# an effort (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
_THINKS_BY_BUDGET = re.compile(r".*claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5]\b|-\d{8}|@|$))")


def taken(kind: str, model: str) -> tuple[str, ...]:
    """Those of `NAMES` that a model takes over this protocol (`Kind`)."""
    if kind == "anthropic":
        return tuple(name for name in NAMES if name != "seed")
    if _OPENAI_REASONING.match(model):
        return ("max_tokens", "seed", "reasoning_effort")
    return NAMES


def for_plain_text(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a request without tools whose answer is a text."""
    return {name: value for name, value in parameters.items() if name not in NOT_FOR_PLAIN_TEXT}


@dataclass(frozen=True)
class Quirks:
    """Peculiarities of a server. `usage_in_streams`: it accepts a request for usage in streams.
    `max_tokens_key`: its name for the limit of output tokens. `caches_prompts`: it supports
    `cache_control`."""

    usage_in_streams: bool = True
    max_tokens_key: MaxTokensKey = "max_tokens"
    caches_prompts: bool = False


@dataclass(frozen=True)
class WireParameters:
    """Parameters for the body, and notes about those that it cannot express."""

    body: dict[str, Any]
    notes: list[str] = field(default_factory=list)


def wire_parameters(
    kind: Kind, model: str, parameters: Mapping[str, Any], quirks: Quirks
) -> WireParameters:
    """The parameters of a request to this model over this protocol."""
    known = {key: value for key, value in parameters.items() if value is not None}
    extra = known.pop("extra", {})
    build = _of_messages if kind == "anthropic" else _of_completions
    built = build(model, known, quirks)
    if not isinstance(extra, dict):
        return WireParameters(
            built.body, [*built.notes, stored("extra was left out: it is no object.")]
        )
    return WireParameters(_consistent({**built.body, **extra}), built.notes)


def _consistent(body: dict[str, Any]) -> dict[str, Any]:
    """Removes the options of a stream from a request without one, which OpenAI refuses."""
    if body.get("stream") is False:
        body.pop("stream_options", None)
    return body


def needs_older_version(body: Mapping[str, Any]) -> bool:
    """Whether a request has parameters that the latest version of the Messages API refuses."""
    return any(key in body for key in SAMPLING)


def _of_completions(model: str, given: dict[str, Any], quirks: Quirks) -> WireParameters:
    body = dict(given)
    if "max_tokens" in body and _OPENAI_REASONING.match(model):
        body["max_completion_tokens"] = body.pop("max_tokens")
    elif "max_tokens" in body:
        body[quirks.max_tokens_key] = body.pop("max_tokens")
    if quirks.usage_in_streams:
        body = {"stream_options": {"include_usage": True}, **body}
    return WireParameters(body)


def _of_messages(model: str, given: dict[str, Any], quirks: Quirks) -> WireParameters:
    body = dict(given)
    notes: list[str] = []
    if "seed" in body:
        del body["seed"]
        notes.append(stored("seed was left out: the Messages API has none."))
    if "stop" in body:
        stop = body.pop("stop")
        body["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    _think(model, body, notes)
    if needs_older_version(body):
        kept = ", ".join(key for key in SAMPLING if key in body)
        notes.append(
            stored(
                "%(kept)s: sent in the API's version %(older_version)s, the last that has it.",
                kept=kept,
                older_version=OLDER_VERSION,
            )
        )
    if "max_tokens" not in body:
        body["max_tokens"] = THINKING_MAX_TOKENS if "thinking" in body else DEFAULT_MAX_TOKENS
        notes.append(
            stored(
                "max_tokens is %(most)s: the Messages API needs a limit, and the model's "
                "settings name none.",
                most=f"{body['max_tokens']:,}",
            )
        )
    if quirks.caches_prompts:
        # The marker on the last block; blocks themselves stay the same from request to request.
        body = {"cache_control": {"type": "ephemeral"}, **body}
    return WireParameters(body, notes)


def _think(model: str, body: dict[str, Any], notes: list[str]) -> None:
    """Replaces `reasoning_effort` by the parameters of this model."""
    effort = body.pop("reasoning_effort", None)
    if effort is None:
        return
    if effort == "none":
        notes.append(
            stored("Thinking was not asked for; a model that always thinks does so all the same.")
        )
        return
    if _THINKS_BY_BUDGET.match(model):
        _think_by_budget(effort, body, notes)
    else:
        _think_by_effort(effort, body, notes)
    if "thinking" in body and body.get("temperature", 1) != 1:
        del body["temperature"]
        notes.append(stored("temperature was left out: a model that thinks takes none but 1."))


def _think_by_effort(effort: str, body: dict[str, Any], notes: list[str]) -> None:
    if effort == "minimal":
        effort = "low"
        notes.append(stored("The reasoning effort is low: the Messages API has no lower one."))
    body["thinking"] = {"type": "adaptive", "display": "summarized"}
    body["output_config"] = {"effort": effort, **body.get("output_config", {})}


def _think_by_budget(effort: str, body: dict[str, Any], notes: list[str]) -> None:
    limit = body.get("max_tokens", THINKING_MAX_TOKENS)
    budget = min(BUDGETS.get(effort, MAX_BUDGET_TOKENS), limit - MIN_BUDGET_TOKENS)
    if budget < MIN_BUDGET_TOKENS:
        notes.append(
            stored(
                "The model was not asked to think: %(limit)s max_tokens leave no room.",
                limit=f"{limit:,}",
            )
        )
        return
    body["thinking"] = {"type": "enabled", "budget_tokens": budget}
