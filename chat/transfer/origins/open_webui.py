"""Open WebUI's export of chats: a list of rows whose `chat.history` has `messages` by id.

A message has `parentId`, `role`, `content`, `timestamp`, and `model` if it is an answer;
`history.currentId` ends the shown branch. Reasoning is a `<details type="reasoning">` in the text.
Older rows have only the list `chat.messages`.
"""

import html
import re
from collections import Counter
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.llm.messages import Message, assistant_message
from chat.transfer.draft import Draft, Entry, moment, objects, quoted, text
from chat.transfer.errors import BrokenConversation
from chat.transfer.origins.content import key_of, parent_of, with_files

PRODUCT = "open-webui"
FILES = gettext_noop("attached files")
_REASONING = re.compile(
    r'<details type="reasoning"[^>]*>\s*<summary>[^<]*</summary>(.*?)</details>\s*', re.DOTALL
)
_QUOTE_MARK = re.compile(r"^> ?", re.MULTILINE)


def matches(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    chat = value.get("chat", value)
    return isinstance(chat, dict) and isinstance(chat.get("history"), dict)


def read(value: dict[str, Any]) -> Draft:
    """Raises BrokenConversation."""
    chat = value.get("chat", value)
    history = chat["history"]
    messages = history.get("messages")
    if not isinstance(messages, dict):
        raise BrokenConversation(_("“history.messages” is no object."))
    left_out: Counter[str] = Counter()
    entries = [_entry(own_id, message, left_out) for own_id, message in messages.items()]
    return Draft(
        PRODUCT,
        key_of(value, "id"),
        text(value.get("title") or chat.get("title"), "title"),
        entries,
        moment(value.get("created_at") or chat.get("timestamp")),
        moment(value.get("updated_at")),
        parent_of(history.get("currentId")),
        left_out,
    )


def _entry(own_id: str, message: Any, left_out: Counter[str]) -> Entry:
    if not isinstance(message, dict):
        raise BrokenConversation(_("The message %(id)s is no object.") % {"id": quoted(own_id)})
    parent = parent_of(message.get("parentId"))
    model = message.get("model")
    created = moment(message.get("timestamp"))
    body = _body(message, left_out)
    name = model if isinstance(model, str) else ""
    return Entry(own_id, parent, body or {"role": "system"}, created, body is None, name)


def _body(message: dict[str, Any], left_out: Counter[str]) -> Message | None:
    role, content = message.get("role"), message.get("content")
    if isinstance(content, list):
        content = "\n\n".join(str(one.get("text") or "") for one in objects(content, "content"))
    written = text(content, "content")
    if role == "user":
        files = objects(message.get("files"), "files")
        names = [str(one.get("name") or one.get("type") or "file") for one in files]
        return {"role": "user", "content": with_files(written, names, left_out, FILES)}
    if role == "assistant":
        thoughts = [_plain(one) for one in _REASONING.findall(written)]
        answer = _REASONING.sub("", written).strip("\n") if thoughts else written
        return assistant_message(answer, "\n\n".join(thoughts)) if written else None
    if role == "system":
        return {"role": "system", "content": written} if written else None
    raise BrokenConversation(_("%(role)s is no role of Open WebUI.") % {"role": quoted(role)})


def _plain(reasoning: str) -> str:
    return html.unescape(_QUOTE_MARK.sub("", reasoning.strip()))
