"""Lists of messages: Qwen-Agent's histories, OpenAI's chat messages, ShareGPT.

Qwen-Agent: `role`, `content` (text, or `{"text"}`, `{"image"}`, `{"file"}`), `reasoning_content`,
`function_call`; results have the role `function`. OpenAI: `tool_calls`, the role `tool`, also in an
object with `messages`. ShareGPT: `from` and `value`.
"""

from collections import Counter
from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.json_text import parse_json
from chat.llm.messages import ContentPart, Message, ToolCall, assistant_message
from chat.llm.parts import image_url
from chat.transfer.draft import Draft, Entry, moment, quoted, text
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.content import (
    call_message,
    digest,
    key_of,
    named_call,
    result_message,
)
from chat.transfer.origins.images import EmbeddedImages, with_images
from db.fields import dump_json

PRODUCT = "messages"
IMAGES = gettext_noop("images")
FILES = gettext_noop("attached files")
_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "function_call": "call",
    "function": "tool",
    "tool": "tool",
    "observation": "tool",
}


def matches(value: Any) -> bool:
    messages = _messages(value)
    return bool(messages) and all(isinstance(one, dict) and _role(one) for one in messages[:1])


def _messages(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.get("messages", value.get("conversations"))
    return value if isinstance(value, list) else []


def _role(message: dict[str, Any]) -> str | None:
    named = message.get("role", message.get("from"))
    return _ROLES.get(named) if isinstance(named, str) else None


def read(value: Any) -> Draft:
    """Raises BrokenConversation."""
    reader = _Reader()
    about: dict[str, Any] = value if isinstance(value, dict) else {}
    if prompt := text(about.get("system"), "system"):
        reader.add({"role": "system", "content": prompt}, {})
    for message in _messages(value):
        reader.read(message)
    key = key_of(about, "id") if about else digest(value)
    title = about.get("title") or about.get("name") or reader.first_question
    created = moment(about.get("created"))
    return Draft(
        PRODUCT,
        key,
        text(title, "title"),
        reader.entries,
        created,
        left_out=reader.left_out,
        attachments=reader.images.messages,
        contents=reader.images.contents,
    )


class _Reader:
    """Messages behind each other; a result without an id answers the first call without one."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.left_out: Counter[str] = Counter()
        self.images = EmbeddedImages()
        self.first_question = ""
        self._unanswered: list[str] = []

    def add(self, body: Message, message: dict[str, Any]) -> None:
        parent = self.entries[-1].id if self.entries else None
        created = moment(message.get("timestamp") or message.get("created_at"))
        self.entries.append(Entry(str(len(self.entries)), parent, body, created))

    def read(self, message: Any) -> None:
        place = len(self.entries) + 1
        if not isinstance(message, dict):
            raise BrokenConversation(_("Message %(place)s is no object.") % {"place": place})
        role = _role(message)
        if role is None:
            named = quoted(message.get("role", message.get("from")))
            sentence = _("Message %(place)s has the role %(role)s, which is none.")
            raise BrokenConversation(sentence % {"place": place, "role": named})
        given = message.get("content", message.get("value"))
        images = self._images(given) if role == "user" else {}
        content = self._content(given, images)
        if role == "user":
            self.first_question = self.first_question or content
            asked = with_images(content, list(images.values()))
            self.add({"role": "user", "content": asked}, message)
        else:
            self.add(self._body(role, content, message), message)

    def _body(self, role: str, content: str, message: dict[str, Any]) -> Message:
        if role == "system":
            return {"role": "system", "content": content}
        if role == "tool":
            return result_message(self._answered(message), content)
        if role == "call":
            return call_message(self._written_calls(content))
        reasoning = text(message.get("reasoning_content"), "reasoning_content")
        return assistant_message(content, reasoning, calls=self._calls(message))

    def _calls(self, message: dict[str, Any]) -> list[ToolCall]:
        made = message.get("tool_calls")
        given = made if isinstance(made, list) else []
        if isinstance(function := message.get("function_call"), dict):
            given = [*given, {"function": function}]
        return [self._call(one) for one in given]

    def _call(self, call: Any) -> ToolCall:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise BrokenConversation(_("A call of a tool is no object."))
        own = call.get("id")
        call_id = own if isinstance(own, str) and own else self._new_id()
        return named_call(call_id, function.get("name"), function.get("arguments"))

    def _written_calls(self, content: str) -> list[ToolCall]:
        """Calls as ShareGPT writes them: JSON with `name` and `arguments`."""
        from_json = _json(content)
        made = from_json if isinstance(from_json, list) else [from_json]
        if not all(isinstance(one, dict) and "name" in one for one in made):
            return [named_call(self._new_id(), "tool", {"text": content})]
        return [named_call(self._new_id(), one["name"], one.get("arguments")) for one in made]

    def _new_id(self) -> str:
        self._unanswered.append(f"call_{len(self.entries)}_{len(self._unanswered)}")
        return self._unanswered[-1]

    def _answered(self, message: dict[str, Any]) -> str:
        named = message.get("tool_call_id")
        if isinstance(named, str) and named:
            return named
        return self._unanswered.pop(0) if self._unanswered else ""

    def _images(self, content: Any) -> dict[int, ContentPart]:
        """The images that the parts of a content have in themselves, by their places."""
        parts = content if isinstance(content, list) else []
        own = str(len(self.entries))
        found = ((place, self.images.part(_url(part), own)) for place, part in enumerate(parts))
        return {place: image for place, image in found if image is not None}

    def _content(self, content: Any, images: Collection[int]) -> str:
        """The text, without the parts that are `images`."""
        if not isinstance(content, list):
            if isinstance(content, dict):
                return dump_json(content)
            return text(content, "content")
        others = (self._part(part) for place, part in enumerate(content) if place not in images)
        return "\n\n".join(filter(None, others))

    def _part(self, part: Any) -> str:
        if isinstance(part, str):
            return part
        if not isinstance(part, dict):
            raise BrokenConversation(_("A part of a message is neither text nor an object."))
        if isinstance(part.get("text"), str):
            return str(part["text"])
        is_image = "image" in part or part.get("type") == "image_url"
        self.left_out[IMAGES if is_image else FILES] += 1
        return "[image]" if is_image else "[file]"


def _url(part: Any) -> str | None:
    """Of an image part, as OpenAI and Qwen-Agent write it."""
    if not isinstance(part, dict):
        return None
    return part["image"] if isinstance(part.get("image"), str) else image_url(part)


def _json(content: str) -> Any:
    try:
        return parse_json(content)
    except ValueError:
        return None
