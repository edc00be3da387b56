"""A request as a program of Python, with the SDK of its protocol.

The SDK sends equal JSON, not equal bytes: it serializes the body itself.
"""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from chat.errors import Rejected
from chat.trace_views.code.recorded_request import RecordedRequest, is_masked
from languages.later import later
from limits.replay import MAX_CODE_DEPTH

NO_OBJECT = later("The body of this request is no JSON object: copy it as curl.")
NO_PATH = later("This address is none that an SDK of Python would call: copy the request as curl.")
INDENT = "    "
# Headers that both SDKs set themselves.
SDK_HEADERS = frozenset({"accept", "accept-encoding", "content-type", "user-agent"})
SDK_HEADER_PREFIX = "x-stainless-"

# Named arguments of the SDKs' methods; all others are sent as `extra_body`.
NAMED_ARGUMENTS = {
    False: frozenset(
        {
            *("messages", "model", "stream", "stream_options", "tools", "tool_choice"),
            *("parallel_tool_calls", "functions", "function_call", "response_format"),
            *("temperature", "top_p", "seed", "stop", "max_tokens", "max_completion_tokens"),
            *("frequency_penalty", "presence_penalty", "reasoning_effort"),
        }
    ),
    True: frozenset(
        {
            *("max_tokens", "messages", "model", "system", "stream", "tools", "tool_choice"),
            *("thinking", "output_config", "stop_sequences", "cache_control"),
        }
    ),
}

OPENAI = """\
import os

from openai import OpenAI

client = OpenAI(
    base_url={base_url},
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
    max_retries=0,
)
answer = client.chat.completions.create(
{arguments}
)
"""
ANTHROPIC = """\
import os

from anthropic import Anthropic

key = os.environ.get("ANTHROPIC_API_KEY", "none")
client = Anthropic(
    base_url={base_url},
    api_key=key,{key_header}
    max_retries=0,
)
answer = client.messages.create(
{arguments}
)
"""
# Compatible servers may expect the key in this header.
KEY_HEADER = """
    default_headers={"X-Api-Key": key},"""
STREAMED = """\
for event in answer:
    print(event.model_dump_json(exclude_unset=True))
"""
WHOLE = """\
print(answer.model_dump_json(indent=2, exclude_unset=True))
"""


def python(sent: RecordedRequest) -> str:
    """The program. Raises Rejected if no SDK can send the request."""
    body = _body(sent.body)
    base_url, query = _base_url(sent)
    named = NAMED_ARGUMENTS[sent.speaks_messages_api]
    arguments = {name: value for name, value in body.items() if name in named}
    rest = {name: value for name, value in body.items() if name not in named}
    extras = {"extra_headers": _extra_headers(sent), "extra_query": query, "extra_body": rest}
    arguments |= {name: value for name, value in extras.items() if value}
    template = ANTHROPIC if sent.speaks_messages_api else OPENAI
    program = template.format(
        base_url=literal(base_url),
        key_header=KEY_HEADER
        if any(name.lower() == "x-api-key" for name, _ in sent.headers)
        else "",
        arguments="\n".join(
            f"{INDENT}{name}={literal(value, 1)}," for name, value in arguments.items()
        ),
    )
    return program + (STREAMED if body.get("stream") else WHOLE)


def literal(value: Any, depth: int = 0) -> str:
    """A JSON value as Python source, one member per line; a text with one line per line of it."""
    if depth > MAX_CODE_DEPTH:
        raise Rejected(NO_OBJECT)
    if isinstance(value, str):
        return _text(value, depth)
    if isinstance(value, dict) and value:
        lines = [f"{json_key(key)}: {literal(one, depth + 1)}" for key, one in value.items()]
        return _block("{", lines, "}", depth)
    if isinstance(value, list) and value:
        return _block("[", [literal(one, depth + 1) for one in value], "]", depth)
    return repr(value)


def json_key(key: str) -> str:
    return _quoted(key)


def _text(value: str, depth: int) -> str:
    lines = value.splitlines(keepends=True)
    if len(lines) < 2:
        return _quoted(value)
    inner = INDENT * (depth + 1)
    return "(\n" + "".join(f"{inner}{_quoted(line)}\n" for line in lines) + INDENT * depth + ")"


def _quoted(text: str) -> str:
    """The text in double quotes, or in single ones if only those need no escape."""
    if '"' in text and "'" not in text:
        return repr(text)
    # With both quotes in it, `repr` chooses the single ones and escapes only those.
    inside = repr(text + "'\"")[1:-4].replace("\\'", "'").replace('"', '\\"')
    return f'"{inside}"'


def _block(begin: str, lines: list[str], end: str, depth: int) -> str:
    inner = INDENT * (depth + 1)
    return f"{begin}\n" + "".join(f"{inner}{line},\n" for line in lines) + INDENT * depth + end


def _body(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Rejected(NO_OBJECT) from None
    if not isinstance(value, dict) or not {"model", "messages"} <= value.keys():
        raise Rejected(NO_OBJECT)
    return value


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _base_url(sent: RecordedRequest) -> tuple[str, dict[str, str]]:
    """The SDK's base URL, to which it adds the path, and the query."""
    parts = urlsplit(sent.url)
    end = "/v1/messages" if sent.speaks_messages_api else "/chat/completions"
    if not parts.path.endswith(end):
        raise Rejected(NO_PATH)
    base = urlunsplit((parts.scheme, parts.netloc, parts.path.removesuffix(end), "", ""))
    return base, dict(parse_qsl(parts.query, keep_blank_values=True))


def _extra_headers(sent: RecordedRequest) -> dict[str, str]:
    return {
        name: value
        for name, value in sent.headers
        if name.lower() not in SDK_HEADERS
        and not name.lower().startswith(SDK_HEADER_PREFIX)
        and not is_masked(value)
    }
