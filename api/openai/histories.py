"""Hashes of messages, by which a conversation is found again.

A client of chat completions sends the whole history each time. What came before the last answer is
what was sent with the request before: its hash finds that turn, whose answer has to be the last
answer of this history.
"""

import hashlib
import json
from collections.abc import Sequence

from api.openai.call import Asked
from api.openai.chat_messages import GAP
from api.openai.contents import Content
from chat.llm.messages import Message, text_of


def of_request(answerer: str, asked: Asked) -> str:
    """The hash of all messages of a request, for this answerer."""
    return _hash(answerer, asked.prompt, [*asked.earlier, *_new(asked)])


def before_last_answer(answerer: str, asked: Asked) -> str | None:
    """The hash of the messages before the last answer: that of the request that was answered so;
    None if there is no answer."""
    if not asked.earlier or asked.earlier[-1]["role"] != "assistant":
        return None
    return _hash(answerer, asked.prompt, asked.earlier[:-1])


def is_same_answer(given: Message, text: str, calls: Sequence[object]) -> bool:
    """Whether a client sends back this answer."""
    same_text = text_of(given.get("content")).strip() == text.strip()
    return same_text and list(given.get("tool_calls") or ()) == list(calls)


def _new(asked: Asked) -> list[Message]:
    if not asked.text and not asked.files:
        return list(asked.results)
    content = Content(asked.text, asked.files).inline("messages")
    return [*asked.results, {"role": "user", "content": content}]


def _hash(answerer: str, prompt: str, messages: Sequence[Message]) -> str:
    """Several texts of the user in a row count as one, as in `Asked`."""
    said: list[list[object]] = []
    for message in messages:
        content = message.get("content")
        if message["role"] == "user" and said and said[-1][0] == "user":
            before = said[-1][1]
            if isinstance(before, str) and isinstance(content, str):
                said[-1][1] = GAP.join((before, content))
                continue
        calls = message.get("tool_calls"), message.get("tool_call_id")
        said.append([message["role"], content, *calls])
    written = json.dumps([answerer, prompt, said], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()
