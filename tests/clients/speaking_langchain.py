"""LangChain: a message, a stream, a tool bound to the model, the Responses API."""

# Runs where the client is installed, and the product is not.
# mypy: disable-error-code="import-not-found,untyped-decorator,import-untyped"

import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

base_url, token, model, calling = sys.argv[1:]


def say(*what: object) -> None:
    sys.stdout.write(" ".join(map(str, what)) + "\n")


@tool
def calculate(expression: str = "") -> str:
    """Calculates."""
    return "4"


chat = ChatOpenAI(base_url=base_url, api_key=token, model=model)
answer = chat.invoke("hello")
say("invoke:", answer.content, answer.usage_metadata)
assert answer.content and answer.usage_metadata

text = "".join(str(chunk.content) for chunk in chat.stream("hello"))
say("stream:", text)
assert text

bound = ChatOpenAI(base_url=base_url, api_key=token, model=calling).bind_tools([calculate])
asked = bound.invoke([HumanMessage("hello")])
say("calls:", [call["name"] for call in asked.tool_calls])
results = [ToolMessage(calculate.invoke({}), tool_call_id=one["id"]) for one in asked.tool_calls]
last = bound.invoke([HumanMessage("hello"), asked, *results])
say("after the results:", last.content)
assert asked.tool_calls and last.content and not last.tool_calls

responses = ChatOpenAI(base_url=base_url, api_key=token, model=model, use_responses_api=True)
said = responses.invoke("hello")
say("responses:", said.text)
assert said.text
streamed = "".join(chunk.text for chunk in responses.stream("hello"))
say("streamed responses:", streamed)
assert streamed
