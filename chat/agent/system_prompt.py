"""Texts that requests add at the end of the system prompt, each by its key.

They are stored nowhere: the stored message stays the preset's, a text that changes is the new one
from the next request on, and a trace shows what the model read. The message has each text under its
key too, so that a trace tells whose words they are (`tracing.page.stages.messages.PRODUCT_KEYS`).
"""

from collections.abc import Mapping, Sequence
from typing import cast

from chat.agent.compaction import PathMessage
from chat.llm.messages import Message, text_of


def with_additions(
    messages: Sequence[PathMessage], additions: Mapping[str, str]
) -> list[PathMessage]:
    """The messages with these texts at the end of the system prompt, or as the system prompt. A
    recorded message may have one already, which stays."""
    has_prompt = bool(messages) and messages[0].body["role"] == "system"
    body = messages[0].body if has_prompt else cast(Message, {"role": "system", "content": ""})
    added = {key: text for key, text in additions.items() if text and not body.get(key)}
    if not added:
        return list(messages)
    texts = filter(None, [text_of(body.get("content")), *added.values()])
    extended = cast(Message, {**body, "content": "\n\n".join(texts), **added})
    rest = messages[1:] if has_prompt else messages
    return [PathMessage(messages[0].pk if has_prompt else 0, extended), *rest]
