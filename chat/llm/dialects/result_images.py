"""Images in tool results, for APIs that accept images only from the user.

OpenAI's chat completions: the content of a tool message is text
(platform.openai.com/docs/api-reference/chat/create, "Tool message"). So the images of a round's
results go into one user message right behind the results, each with the call it belongs to.
"""

from collections.abc import Iterable, Iterator

from chat.llm.messages import ContentPart, Message
from chat.llm.parts import as_text, image_url, parts_of


def images_apart(history: Iterable[Message]) -> Iterator[Message]:
    """The history, its tool messages reduced to text, their images in a user message after them."""
    waiting: list[ContentPart] = []
    for message in history:
        if message["role"] != "tool" and waiting:
            yield {"role": "user", "content": waiting}
            waiting = []
        pictures = _pictures(message) if message["role"] == "tool" else []
        if not pictures:
            yield message
            continue
        waiting += pictures
        yield {**message, "content": as_text(message.get("content"))}
    if waiting:
        yield {"role": "user", "content": waiting}


def _pictures(message: Message) -> list[ContentPart]:
    images = [part for part in parts_of(message) if image_url(part)]
    if not images:
        return []
    many = "image" if len(images) == 1 else f"{len(images)} images"
    text = f"The {many} of the tool result {message.get('tool_call_id', '')}:"
    return [{"type": "text", "text": text}, *images]
