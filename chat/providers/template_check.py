"""Checks that a pasted chat template can be rendered."""

from chat.llm.dialects.chatml import render
from chat.llm.errors import BadTemplate
from chat.llm.messages import Message

# Without system message and tools, which not every template accepts.
CONVERSATION: list[Message] = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hello. What can I do for you?"},
    {"role": "user", "content": "Nothing"},
]


def problem(template: str) -> str:
    """Why it cannot be rendered, as a sentence; empty if it can. May take seconds."""
    try:
        render(CONVERSATION, template=template)
    except BadTemplate as error:
        return str(error)
    return ""
