"""ChatGPT's data export: a list of conversations, each a `mapping` of nodes by id.

A node has `parent`, `children` and `message`: `author.role`, `content` by `content_type`,
`recipient` (the tool of a call, else "all"), `metadata.model_slug`. `current_node` ends the shown
branch.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.messages import ContentPart, Message, assistant_message
from chat.transfer.draft import Draft, Entry, moment, objects, quoted, text
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.content import (
    call_message,
    key_of,
    named_call,
    parent_of,
    result_message,
    with_files,
)
from chat.transfer.origins.images import image_part, with_images
from chat.transfer.zipped_images import attachment_id

PRODUCT = "chatgpt"
IMAGES = gettext_noop("images")
FILES = gettext_noop("attached files")
SOUND = gettext_noop("sound recordings")
# Contents that the product shows nobody.
_SILENT = ("user_editable_context", "model_editable_context", "app_pairing_content")
# What the product shows something else for, such as the links of a citation.
_MARK = re.compile("\ue200[^\ue200\ue201]*\ue201")


def matches(value: Any) -> bool:
    return isinstance(value, dict) and "mapping" in value


def read(value: dict[str, Any], attachments: Collection[str] = ()) -> Draft:
    """`attachments` are the ids of the images that came along. Raises BrokenConversation."""
    mapping = value.get("mapping")
    if not isinstance(mapping, dict):
        raise BrokenConversation(_("“mapping” is no object."))
    left_out: Counter[str] = Counter()
    reader = _Reader(left_out, attachments)
    entries = [reader.entry(node_id, node) for node_id, node in mapping.items()]
    return Draft(
        PRODUCT,
        key_of(value, "conversation_id", "id"),
        text(value.get("title"), "title"),
        entries,
        moment(value.get("create_time")),
        moment(value.get("update_time")),
        parent_of(value.get("current_node")),
        left_out,
        reader.attached,
        is_pinned=value.get("is_starred") is True,
        is_archived=value.get("is_archived") is True,
    )


def _image(attachment: str, about: dict[str, Any]) -> ContentPart:
    """`about` is what the message says of it."""
    name, kind = str(about.get("name") or "image"), str(about.get("mime_type") or "image/png")
    length = about.get("size")
    return image_part(attachment, name, kind, length if isinstance(length, int) else 0)


class _Reader:
    """Reads nodes. The result of a call follows it, so the call's node names it."""

    def __init__(self, left_out: Counter[str], attachments: Collection[str]) -> None:
        self._left_out = left_out
        self._attachments = attachments
        # The images of messages, with the id of the first one that has each.
        self.attached: dict[str, str] = {}

    def entry(self, node_id: str, node: Any) -> Entry:
        if not isinstance(node, dict):
            raise BrokenConversation(_("The node %(id)s is no object.") % {"id": quoted(node_id)})
        parent = parent_of(node.get("parent"))
        message = node.get("message")
        if not isinstance(message, dict):
            return Entry(node_id, parent, {"role": "system"}, hidden=True)
        body = self._body(node_id, parent, message)
        created = moment(message.get("create_time"))
        if body is None:
            return Entry(node_id, parent, {"role": "system"}, created, hidden=True)
        metadata = _object(message.get("metadata"))
        model = metadata.get("model_slug")
        return Entry(node_id, parent, body, created, model=model if isinstance(model, str) else "")

    def _body(self, node_id: str, parent: str | None, message: dict[str, Any]) -> Message | None:
        """None for what the product does not show."""
        role = _object(message.get("author")).get("role")
        content = _object(message.get("content"))
        metadata = _object(message.get("metadata"))
        kind = content.get("content_type")
        if metadata.get("is_visually_hidden_from_conversation") or kind in _SILENT:
            return None
        if role == "user":
            return {"role": "user", "content": self._question(node_id, content, metadata)}
        if role == "assistant":
            return self._answer(node_id, message, content)
        if role == "tool":
            result = self._text(content)
            return result_message(f"call_{parent}", result) if result else None
        if role == "system":
            prompt = self._text(content)
            return {"role": "system", "content": prompt} if prompt else None
        raise BrokenConversation(_("%(role)s is no role of ChatGPT.") % {"role": quoted(role)})

    def _question(
        self, node_id: str, content: dict[str, Any], metadata: dict[str, Any]
    ) -> str | list[ContentPart]:
        attached = objects(metadata.get("attachments"), "attachments")
        files = [one for one in attached if not str(one.get("mime_type")).startswith("image/")]
        names = [str(one.get("name") or one.get("id") or "file") for one in files]
        images, others = self._images(content)
        words = with_files(self._text(others), names, self._left_out, FILES)
        known = {attachment_id(str(one.get("id"))): one for one in attached}
        for image in images:
            self.attached.setdefault(image, node_id)
        return with_images(words, [_image(image, known.get(image, {})) for image in images])

    def _images(self, content: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """The ids of the images that came along, and the content without them."""
        parts = content.get("parts")
        if not isinstance(parts, list):
            return [], content
        images, others = [], []
        for part in parts:
            own = attachment_id(str(part.get("asset_pointer"))) if isinstance(part, dict) else None
            if own in self._attachments:
                images.append(str(own))
            else:
                others.append(part)
        return images, {**content, "parts": others}

    def _answer(
        self, node_id: str, message: dict[str, Any], content: dict[str, Any]
    ) -> Message | None:
        kind, recipient = content.get("content_type"), message.get("recipient")
        if kind == "thoughts":
            thoughts = objects(content.get("thoughts"), "thoughts")
            parts = [text(one.get("content") or one.get("summary"), "content") for one in thoughts]
            reasoning = "\n\n".join(filter(None, parts))
            return assistant_message("", reasoning) if reasoning else None
        if kind == "reasoning_recap":
            return None
        written = self._text(content)
        if isinstance(recipient, str) and recipient not in ("", "all"):
            return call_message([named_call(f"call_{node_id}", recipient, written)])
        shown = _without_marks(written, _object(message.get("metadata")))
        return assistant_message(shown) if shown else None

    def _text(self, content: dict[str, Any]) -> str:
        kind = content.get("content_type")
        reader = _TEXTS.get(str(kind))
        if reader is not None:
            return reader(content)
        parts = content.get("parts")
        if parts is None:
            return text(content.get("text") or content.get("result"), "text")
        if not isinstance(parts, list):
            raise BrokenConversation(_("“parts” is no list."))
        return "\n\n".join(filter(None, (self._part(part) for part in parts)))

    def _part(self, part: Any) -> str:
        if isinstance(part, str) or part is None:
            return part or ""
        if not isinstance(part, dict):
            raise BrokenConversation(_("A part of a message is neither text nor an object."))
        kind = str(part.get("content_type"))
        if kind == "audio_transcription":
            return text(part.get("text"), "text")
        if "audio" in kind or "video" in kind:
            self._left_out[SOUND] += 1
            return ""
        if "image" in kind:
            self._left_out[IMAGES] += 1
            return "[image]"
        return text(part.get("text"), "text")


def _without_marks(words: str, metadata: dict[str, Any]) -> str:
    """The text with what the file has as text for each mark, mostly links in Markdown."""
    references = metadata.get("content_references")
    known = filter(None, map(_object, references if isinstance(references, list) else ()))
    texts = {one.get("matched_text"): one.get("alt") for one in known if _is_replaced(one)}
    return _MARK.sub(lambda mark: str(texts.get(mark[0], "")), words)


def _is_replaced(reference: dict[str, Any]) -> bool:
    return isinstance(reference.get("matched_text"), str) and isinstance(reference.get("alt"), str)


def _code(content: dict[str, Any]) -> str:
    return text(content.get("text"), "text")


def _quote(content: dict[str, Any]) -> str:
    lines = [content.get("title"), content.get("url"), content.get("text")]
    return "\n".join(text(line, "tether_quote") for line in lines if line)


_TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "code": _code,
    "execution_output": _code,
    "tether_quote": _quote,
    "system_error": _code,
}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
