"""A conversation of one's own with what a link shows, to be continued."""

import uuid
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from chat import storage
from chat.attachments.references import SCHEME, reference_of
from chat.errors import Rejected
from chat.models import Conversation, SharedLink
from chat.sharing import files, links
from chat.sharing.secret_texts import Masking, masking
from chat.sharing.shapes import (
    SharedAttachment,
    SharedDocument,
    SharedMessage,
    SharedRound,
    SharedTurn,
)
from chat.transfer.draft import Draft, Entry
from chat.transfer.plan import Plan, plan
from chat.transfer.storing import Known, store

PRODUCT = "shared-link"


def copy(user: User, link: SharedLink) -> Conversation:
    """Raises `Rejected`."""
    storage.check_upload(user.pk, link.size)
    masks = masking()
    shared = links.all_turns(link, masks)
    draft = Draft(PRODUCT, str(uuid.uuid4()), shared["title"], list(_entries(shared)))
    planned = plan(draft)
    planned.attachments = dict(_attachments(planned))
    copied = store(user, planned, Known.to(user), _Files(link, shared, masks))
    if copied is None:
        raise Rejected(_("The copy could not be made. Try again."))
    return copied


class _Files:
    """Name and bytes of an attachment of the link, by its key; None if it is gone."""

    def __init__(self, link: SharedLink, shared: SharedDocument, masks: Masking) -> None:
        self._link, self._masks = link, masks
        self._named = {one["key"]: one for one in files.attachments_of(shared)}

    def __call__(self, key: str) -> tuple[str, bytes] | None:
        if key not in self._named:
            return None
        if self._link.is_snapshot:
            found = files.stored(self._link, key)
        else:
            found = files.read_attachment(self._named[key], self._link, self._masks)
        return (found.name, found.content) if found else None


def _entries(shared: SharedDocument) -> Iterator[Entry]:
    """A message each, one after the other."""
    before: str | None = None
    for place, turn in enumerate(shared["turns"]):
        for number, body in enumerate(_bodies(turn)):
            key = f"{place}.{number}"
            yield Entry(key, before, body, parse_datetime(turn["asked"]), model=turn["model"])
            before = key


def _bodies(turn: SharedTurn) -> Iterator[Any]:
    if turn["question"] is not None:
        yield _question(turn["question"])
    for one in turn["rounds"]:
        yield from map(_question, one["put_in"])
        yield from _answer(one)
    yield from map(_question, turn["put_in"])


def _question(message: SharedMessage) -> dict[str, Any]:
    parts: list[Any] = [{"type": "text", "text": message["text"] or _hidden(message["is_hidden"])}]
    parts += [_part(one) for one in message["attachments"] if not one["is_hidden"]]
    return {"role": "user", "content": parts if len(parts) > 1 else parts[0]["text"]}


def _part(one: SharedAttachment) -> dict[str, Any]:
    url = f"{SCHEME}{one['key']}"
    about = {"name": one["name"], "media_type": one["media_type"], "size": one["size"]}
    if one["media_type"].startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}, "attachment": about}
    named = {"filename": one["name"], "file_id": url}
    return {"type": "file", "file": named, "attachment": about}


def _answer(one: SharedRound) -> Iterator[dict[str, Any]]:
    body: dict[str, Any] = {
        "role": "assistant",
        "content": one["text"] or _hidden(one["is_hidden"]),
    }
    if one["reasoning"]:
        body["reasoning_content"] = one["reasoning"]
    if one["refusal"]:
        body["refusal"] = one["refusal"]
    calls = [(f"call_{uuid.uuid4().hex[:20]}", call) for call in one["calls"]]
    if calls:
        body["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {
                    "name": "-".join(filter(None, (call["server"], call["tool"]))),
                    "arguments": call["arguments"] or "{}",
                },
            }
            for call_id, call in calls
        ]
    yield body
    for call_id, call in calls:
        result = call["result"] if call["result"] is not None else _("(not shared)")
        told = {"role": "tool", "tool_call_id": call_id, "content": result}
        sources = call.get("sources")
        yield {**told, "sources": sources} if sources else told


def _hidden(is_hidden: bool) -> str:
    return _("(hidden)") if is_hidden else ""


def _attachments(planned: Plan) -> Iterator[tuple[str, str]]:
    """The keys of attachments with those of their messages."""
    for message in planned.messages:
        content = message.body.get("content")
        for part in content if isinstance(content, list) else ():
            if reference := reference_of(part):
                yield str(reference.id), message.key
