"""litellm: a completion, a stream, tools of the client, a refusal."""

# Runs where the client is installed, and the product is not.
# mypy: disable-error-code="import-not-found,untyped-decorator,import-untyped"

import sys
from typing import Any

import litellm

base_url, token, model, calling = sys.argv[1:]


def say(*what: object) -> None:
    sys.stdout.write(" ".join(map(str, what)) + "\n")


about: dict[str, Any] = {"model": f"openai/{model}", "api_base": base_url, "api_key": token}
of_tools = {**about, "model": f"openai/{calling}"}
hello: list[Any] = [{"role": "user", "content": "hello"}]
function = {"name": "calculate", "parameters": {"type": "object", "properties": {}}}
tools = [{"type": "function", "function": function}]

answer = litellm.completion(messages=hello, **about)
say("completion:", answer.choices[0].message.content)
assert answer.choices[0].message.content and answer.usage.total_tokens > 0

stream = litellm.completion(messages=hello, stream=True, **about)
text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
say("stream:", text)
assert text

asked = litellm.completion(messages=hello, tools=tools, **of_tools).choices[0]
say("calls:", [call.function.name for call in asked.message.tool_calls])
results = [
    {"role": "tool", "tool_call_id": call.id, "content": "4"} for call in asked.message.tool_calls
]
messages = [*hello, asked.message.model_dump(exclude_none=True), *results]
last = litellm.completion(messages=messages, tools=tools, **of_tools).choices[0]
say("after the results:", last.message.content)
assert asked.finish_reason == "tool_calls" and last.finish_reason == "stop"

try:
    litellm.completion(messages=hello, n=2, **about)
except litellm.BadRequestError as error:
    say("n=2:", str(error)[:160])
else:
    raise AssertionError("n=2 was accepted")
