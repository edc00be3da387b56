"""The messages of `/v1/chat/completions`: the system's first, then people's and the model's.

system … system │ user  assistant  user  assistant(calls) │ tool  tool  user
     prompt     │               earlier                   │ results  question
"""

from collections.abc import Sequence
from typing import Any

from api.openai import checks
from api.openai.call import Asked, File
from api.openai.contents import Content, read
from api.openai.errors import OpenAIError, refused, unsupported
from chat.llm.messages import Message, ToolCall, assistant_message, tool_call
from limits.api import MAX_API_MESSAGES

GAP = "\n\n"
ROLES = ("system", "developer", "user", "assistant", "tool")
# What litellm notes in an answer for itself, and sends back with it.
OF_LITELLM = "provider_specific_fields"
KEYS = {
    "system": ("role", "content"),
    "developer": ("role", "content"),
    "user": ("role", "content"),
    "assistant": (
        *("role", "content", "tool_calls", "refusal", "reasoning_content", "annotations"),
        OF_LITELLM,
    ),
    "tool": ("role", "content", "tool_call_id"),
}


def asked(messages: Sequence[dict[str, Any]], param: str = "messages") -> Asked:
    """Raises `OpenAIError` for what does not make a conversation."""
    if not messages:
        raise refused(param, f"“{param}” is empty.", "empty_array")
    if len(messages) > MAX_API_MESSAGES:
        most = f"{MAX_API_MESSAGES:,}"
        text = f"“{param}” has {len(messages):,} messages; the limit is {most}."
        raise refused(param, text, "array_above_max_length")
    for place, message in enumerate(messages):
        at = f"{param}[{place}]"
        checks.only_keys(message, at, KEYS[checks.one_of(message.get("role"), f"{at}.role", ROLES)])
    begins = _end_of_prompt(messages)
    new_from = max((n for n, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    new_from = max(new_from + 1, begins)
    _check_order(messages, begins, param)
    return _asked(messages, begins, new_from, param)


def _end_of_prompt(messages: Sequence[dict[str, Any]]) -> int:
    is_system = [one["role"] in ("system", "developer") for one in messages]
    return is_system.index(False) if False in is_system else len(messages)


def _asked(messages: Sequence[dict[str, Any]], begins: int, new_from: int, param: str) -> Asked:
    prompts = [_content(one, n, param).text for n, one in enumerate(messages[:begins])]
    results: list[Message] = []
    texts: list[str] = []
    files: list[File] = []
    for place in range(new_from, len(messages)):
        message = messages[place]
        if message["role"] == "tool":
            results.append(_result(message, place, param))
            continue
        content = _content(message, place, param)
        texts.append(content.text)
        files.extend(content.files)
    if not (results or files or any(one.strip() for one in texts)):
        what = "The last message has to be one of the user, or a result of a tool; and not empty."
        raise refused(param, what)
    return Asked(
        GAP.join(filter(None, prompts)),
        [_canonical(messages[place], place, param) for place in range(begins, new_from)],
        results,
        GAP.join(texts),
        files,
    )


def _check_order(messages: Sequence[dict[str, Any]], begins: int, param: str) -> None:
    """Every result answers a call of the assistant's message before it, and every call has one."""
    wanted: set[str] = set()
    for place in range(begins, len(messages)):
        message, at = messages[place], f"{param}[{place}]"
        role = message["role"]
        if role in ("system", "developer"):
            raise unsupported(f"{at}.role", "instructions come before all other messages.")
        if role == "tool":
            call = checks.text(message.get("tool_call_id"), f"{at}.tool_call_id")
            if call not in wanted:
                raise refused(f"{at}.tool_call_id", "It answers no call of the message before it.")
            wanted.discard(call)
            continue
        _refuse_unanswered(wanted, at)
        wanted = {one["id"] for one in _calls(message, at)} if role == "assistant" else set()
    _refuse_unanswered(wanted, param)


def _refuse_unanswered(calls: set[str], at: str) -> None:
    if calls:
        message = f"These tool calls have no result before it: {', '.join(sorted(calls))[:200]}."
        raise OpenAIError(400, message, param=at, code="missing_tool_result")


def _canonical(message: dict[str, Any], place: int, param: str) -> Message:
    match message["role"]:
        case "assistant":
            return _assistant(message, place, param)
        case "tool":
            return _result(message, place, param)
    at = f"{param}[{place}].content"
    return {"role": "user", "content": _content(message, place, param).inline(at)}


def _assistant(message: dict[str, Any], place: int, param: str) -> Message:
    at = f"{param}[{place}]"
    content = _content(message, place, param) if message.get("content") is not None else Content()
    reasoning = checks.text(message.get("reasoning_content") or "", f"{at}.reasoning_content")
    refusal = checks.text(message.get("refusal") or "", f"{at}.refusal")
    return assistant_message(content.text, reasoning, refusal, _calls(message, at))


def _result(message: dict[str, Any], place: int, param: str) -> Message:
    content = _content(message, place, param)
    return {"role": "tool", "content": content.text, "tool_call_id": message["tool_call_id"]}


def _content(message: dict[str, Any], place: int, param: str) -> Content:
    takes_files = message["role"] == "user"
    return read(message.get("content"), f"{param}[{place}].content", takes_files=takes_files)


def _calls(message: dict[str, Any], at: str) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for number, call in enumerate(checks.objects(message.get("tool_calls") or [], at)):
        of_call = f"{at}.tool_calls[{number}]"
        checks.only_keys(call, of_call, ("id", "type", "function", "index", OF_LITELLM))
        checks.one_of(call.get("type", "function"), f"{of_call}.type", ("function",))
        function = checks.an_object(call.get("function"), f"{of_call}.function")
        calls.append(
            tool_call(
                checks.text(call.get("id"), f"{of_call}.id"),
                checks.text(function.get("name"), f"{of_call}.function.name"),
                checks.text(function.get("arguments"), f"{of_call}.function.arguments"),
            )
        )
    return calls
