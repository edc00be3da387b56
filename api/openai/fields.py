"""Every field of a request, and what becomes of it.

The keys are those of the types of the package `openai` (`CompletionCreateParams`,
`ResponseCreateParams`), beside what only we read; a test compares them, so that a field of a new
version has to be decided. Null counts as absent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api.openai.errors import OpenAIError, unsupported


@dataclass(frozen=True)
class Field:
    """`refusal` is why a field is refused, "" for one that is supported; `only` are the values that
    are accepted where the others would have to do something that is not done."""

    refusal: str = ""
    only: tuple[Any, ...] = ()


SUPPORTED = Field()


def refuse(why: str) -> Field:
    return Field(why)


def only(*values: Any, why: str) -> Field:
    return Field(why, values)


NO_AUDIO = refuse("answers are text.")
NO_CACHE = refuse("the provider's own cache is used; docs/operations.md.")
OLD_FUNCTIONS = refuse("use “tools”.")
TIER = only("auto", "default", why="the provider's default tier is used.")
NO_MODERATION = refuse("nothing is moderated.")

CHAT: Mapping[str, Field] = {
    "audio": NO_AUDIO,
    "frequency_penalty": SUPPORTED,
    "function_call": OLD_FUNCTIONS,
    "functions": OLD_FUNCTIONS,
    "logit_bias": SUPPORTED,
    "logprobs": only(False, why="the engine keeps no probabilities."),
    "max_completion_tokens": SUPPORTED,
    "max_tokens": SUPPORTED,
    "messages": SUPPORTED,
    "metadata": SUPPORTED,
    "modalities": only(["text"], why="answers are text."),
    "model": SUPPORTED,
    "moderation": NO_MODERATION,
    "n": only(1, why="a turn has one answer; send the request again for another."),
    "parallel_tool_calls": SUPPORTED,
    "prediction": refuse("nothing is predicted."),
    "presence_penalty": SUPPORTED,
    "prompt_cache_key": NO_CACHE,
    "prompt_cache_options": NO_CACHE,
    "prompt_cache_retention": NO_CACHE,
    "reasoning_effort": SUPPORTED,
    "response_format": SUPPORTED,
    "safety_identifier": SUPPORTED,
    "seed": SUPPORTED,
    "service_tier": TIER,
    "stop": SUPPORTED,
    "store": only(False, why="answers of this endpoint are not listed; use /v1/responses."),
    "stream": SUPPORTED,
    "stream_options": SUPPORTED,
    "temperature": SUPPORTED,
    "tool_choice": SUPPORTED,
    "tools": SUPPORTED,
    "top_logprobs": refuse("the engine keeps no probabilities."),
    "top_p": SUPPORTED,
    "user": SUPPORTED,
    "verbosity": SUPPORTED,
    "web_search_options": refuse("an assistant searches with its own tools."),
}

RESPONSES: Mapping[str, Field] = {
    "access_programs": refuse("there are none."),
    "background": SUPPORTED,
    "background_options": refuse("there are none."),
    "context_management": refuse("the engine shortens a conversation by its own limits."),
    "conversation": refuse("use “previous_response_id”."),
    "image": refuse("answers are text."),
    "include": SUPPORTED,
    "input": SUPPORTED,
    "instructions": SUPPORTED,
    "max_output_tokens": SUPPORTED,
    "max_tool_calls": refuse("the assistant's own limits apply."),
    "metadata": SUPPORTED,
    "model": SUPPORTED,
    "moderation": NO_MODERATION,
    "parallel_tool_calls": SUPPORTED,
    "previous_response_id": SUPPORTED,
    "prompt": refuse("there are no stored prompts here; use an assistant."),
    "prompt_cache_key": NO_CACHE,
    "prompt_cache_options": NO_CACHE,
    "prompt_cache_retention": NO_CACHE,
    "reasoning": SUPPORTED,
    "safety_identifier": SUPPORTED,
    "service_tier": TIER,
    "store": SUPPORTED,
    "stream": SUPPORTED,
    "stream_options": SUPPORTED,
    "temperature": SUPPORTED,
    "text": SUPPORTED,
    "tool_choice": SUPPORTED,
    "tools": SUPPORTED,
    "top_logprobs": only(0, why="the engine keeps no probabilities."),
    "top_p": SUPPORTED,
    "truncation": only("auto", why="the engine shortens a conversation that is too long."),
    "user": SUPPORTED,
}


def given(body: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """The fields of a body that are not null. Raises `OpenAIError` for one that is not
    supported."""
    found = {name: value for name, value in body.items() if value is not None}
    for name, value in found.items():
        field = fields.get(name)
        if field is None:
            message = f"Unknown parameter: “{name}”."
            raise OpenAIError(400, message, param=name, code="unknown_parameter")
        if field.refusal and not any(_is_same(value, one) for one in field.only):
            raise unsupported(name, field.refusal)
    return found


def _is_same(value: object, one: object) -> bool:
    """Whether they are equal, and true is not 1."""
    return value == one and isinstance(value, bool) == isinstance(one, bool)
