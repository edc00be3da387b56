"""Parameters of the model that both APIs have, and which of them a model takes."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from api.openai import checks
from api.openai.errors import refused, unsupported
from chat.agent import own_settings
from chat.llm.messages import ToolChoice, ToolDefinition
from chat.models import LanguageModel
from limits.api import MAX_API_ANSWER_TOKENS, MAX_API_METADATA, MAX_API_TOOLS

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
VERBOSITIES = ("low", "medium", "high")
# What admins open or close to people is of `chat.llm.parameters.NAMES`; these shape an answer.
SHAPING = ("response_format", "parallel_tool_calls")
_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
# The largest integer of providers' 64-bit seeds.
_LAST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Parameters:
    canonical: dict[str, Any]
    passed_on: dict[str, Any]


def read(given: dict[str, Any]) -> Parameters:
    """Those that have the same name and the same values in both APIs. Raises `OpenAIError`."""
    canonical: dict[str, Any] = {}
    passed_on: dict[str, Any] = {}
    for name, most in (("temperature", 2.0), ("top_p", 1.0)):
        if name in given:
            canonical[name] = checks.number(given[name], name, 0, most)
    for name in ("frequency_penalty", "presence_penalty"):
        if name in given:
            passed_on[name] = checks.number(given[name], name, -2, 2)
    if "seed" in given:
        canonical["seed"] = checks.whole(given["seed"], "seed", -_LAST_SEED, _LAST_SEED)
    if "stop" in given:
        canonical["stop"] = _stop(given["stop"])
    if "reasoning_effort" in given:
        canonical["reasoning_effort"] = effort(given["reasoning_effort"], "reasoning_effort")
    if "logit_bias" in given:
        passed_on["logit_bias"] = _biases(given["logit_bias"])
    if "response_format" in given:
        passed_on["response_format"] = response_format(given["response_format"], "response_format")
    if "verbosity" in given:
        passed_on["verbosity"] = verbosity(given["verbosity"], "verbosity")
    if "parallel_tool_calls" in given:
        flag = checks.flag(given["parallel_tool_calls"], "parallel_tool_calls")
        passed_on["parallel_tool_calls"] = flag
    return Parameters(canonical, passed_on)


def max_tokens(value: object, param: str) -> int:
    return checks.whole(value, param, 1, MAX_API_ANSWER_TOKENS)


def effort(value: object, param: str) -> str:
    return checks.one_of(value, param, EFFORTS)


def verbosity(value: object, param: str) -> str:
    return checks.one_of(value, param, VERBOSITIES)


def response_format(value: object, param: str) -> dict[str, Any]:
    """As chat completions write it."""
    given = checks.an_object(value, param)
    kind = checks.one_of(given.get("type"), f"{param}.type", ("text", "json_object", "json_schema"))
    if kind == "json_schema":
        checks.only_keys(given, param, ("type", "json_schema"))
        schema = checks.an_object(given.get("json_schema"), f"{param}.json_schema")
        checks.text(schema.get("name"), f"{param}.json_schema.name")
    else:
        checks.only_keys(given, param, ("type",))
    return given


def tools(value: object, param: str = "tools") -> list[ToolDefinition]:
    """Functions that the client runs, as chat completions write them."""
    found = checks.objects(value, param)
    if len(found) > MAX_API_TOOLS:
        raise refused(param, f"“{param}” has {len(found)} tools; the limit is {MAX_API_TOOLS}.")
    for place, tool in enumerate(found):
        at = f"{param}[{place}]"
        if tool.get("type") != "function":
            kind = str(tool.get("type"))[:40]
            raise unsupported(f"{at}.type", f"{kind} is no function that the client runs.")
        checks.only_keys(tool, at, ("type", "function"))
        function = checks.an_object(tool.get("function"), f"{at}.function")
        keys = ("name", "description", "parameters", "strict")
        checks.only_keys(function, f"{at}.function", keys)
        if not _NAME.fullmatch(checks.text(function.get("name"), f"{at}.function.name")):
            raise refused(f"{at}.function.name", "A name has 1 to 64 of a-z, A-Z, 0-9, _, ., -.")
        checks.an_object(function.get("parameters") or {}, f"{at}.function.parameters")
    return [_defined(tool["function"]) for tool in found]


def _defined(function: dict[str, Any]) -> ToolDefinition:
    """With what every provider asks for."""
    empty = {"type": "object", "properties": {}}
    wanted = {
        "name": function["name"],
        "description": function.get("description") or "",
        "parameters": function.get("parameters") or empty,
    }
    if function.get("strict") is not None:
        wanted["strict"] = function["strict"]
    return {"type": "function", "function": wanted}


def tool_choice(value: object, tools: Sequence[ToolDefinition]) -> ToolChoice | None:
    """As chat completions write it. Raises `OpenAIError` if it names no tool of the request."""
    if value is None or (value in ("auto", "none") and not tools):
        return None
    if not tools:
        raise refused("tool_choice", "“tool_choice” needs “tools”.")
    if isinstance(value, str):
        return checks.one_of(value, "tool_choice", ("auto", "none", "required"))
    choice = checks.an_object(value, "tool_choice")
    checks.one_of(choice.get("type"), "tool_choice.type", ("function",))
    function = checks.an_object(choice.get("function"), "tool_choice.function")
    names = [tool["function"]["name"] for tool in tools]
    name = checks.one_of(function.get("name"), "tool_choice.function.name", names)
    return {"type": "function", "function": {"name": name}}


def kept(given: dict[str, Any]) -> dict[str, Any]:
    """What is stored with the call: whom it is for at the client's, and its own notes."""
    found: dict[str, Any] = {
        name: checks.text(given[name], name)
        for name in ("user", "safety_identifier")
        if name in given
    }
    if "metadata" not in given:
        return found
    metadata = checks.an_object(given["metadata"], "metadata")
    for key, value in metadata.items():
        checks.text(key, "metadata")
        checks.text(value, f"metadata.{key}")
    if len(json.dumps(metadata)) > MAX_API_METADATA:
        raise refused("metadata", f"“metadata” has more than {MAX_API_METADATA:,} characters.")
    return {**found, "metadata": metadata}


def refuse_untaken(
    model: LanguageModel, canonical: Collection[str], passed_on: Collection[str]
) -> None:
    """Raises `OpenAIError` for a parameter that the model does not take, or that an admin has
    closed."""
    settable = own_settings.settable(model)
    for name in canonical:
        if name not in settable:
            raise unsupported(name, f"{model} does not take it, or an admin has closed it.")
    is_other = model.provider.protocol != "openai"
    for name in passed_on:
        is_closed = model.open_parameters is not None and name not in SHAPING
        if is_other or is_closed:
            raise unsupported(name, f"{model} does not take it, or an admin has closed it.")


def _stop(value: object) -> str | list[str]:
    if isinstance(value, str):
        return checks.text(value, "stop")
    if not isinstance(value, list) or not 1 <= len(value) <= 4:
        raise refused("stop", "“stop” has to be a string, or 1 to 4 of them.")
    return [checks.text(one, "stop") for one in value]


def _biases(value: object) -> dict[str, Any]:
    biases = checks.an_object(value, "logit_bias")
    for token, bias in biases.items():
        checks.number(bias, f"logit_bias.{token[:40]}", -100, 100)
    return biases
