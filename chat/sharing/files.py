"""Attachments and media of results below a link: only those that its document names."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from chat.attachments.sniffing import TEXT
from chat.errors import Rejected
from chat.models import Attachment, SharedFile, SharedLink
from chat.sharing.secret_texts import Masking
from chat.sharing.shapes import (
    SharedAttachment,
    SharedCall,
    SharedDocument,
    SharedMessage,
    SharedTurn,
)
from db.public_ids import parse_public_id
from limits.sharing import MAX_SNAPSHOT_FILE_BYTES
from tools.results.content import media
from tracing.errors import PayloadCorrupt
from tracing.formatting.figures import size
from tracing.models import Payload, Span
from tracing.store import payloads


@dataclass(frozen=True)
class Kept:
    """Bytes to be shown; an empty media type: to be saved only."""

    key: str
    name: str
    media_type: str
    content: bytes


def attachments_of(shared: SharedDocument) -> Iterator[SharedAttachment]:
    """Those that are not hidden."""
    for message in _messages(shared):
        yield from (one for one in message["attachments"] if not one["is_hidden"])


def named(key: UUID) -> SharedAttachment:
    """An attachment by its key alone."""
    return {"key": str(key), "name": "", "media_type": "", "size": 0, "is_hidden": False}


def _messages(shared: SharedDocument) -> Iterator[SharedMessage]:
    for turn in shared["turns"]:
        if turn["question"] is not None:
            yield turn["question"]
        yield from turn["put_in"]
        for one in turn["rounds"]:
            yield from one["put_in"]


def calls_of(shared: SharedDocument) -> Iterator[SharedCall]:
    for turn in shared["turns"]:
        yield from _calls(turn)


def _calls(turn: SharedTurn) -> Iterator[SharedCall]:
    for one in turn["rounds"]:
        for call in one["calls"]:
            yield call
            for nested in call.get("nested", []):
                yield from _calls(nested)


def read_attachment(one: SharedAttachment, link: SharedLink, masking: Masking) -> Kept | None:
    """An attachment of the link's conversation, a text masked; None if it is gone."""
    key = parse_public_id(one["key"])
    if key is None:
        return None
    rows = Attachment.objects.filter(message__conversation=link.conversation_id)
    row = rows.filter(public_id=key).first()
    if row is None:
        return None
    content = bytes(row.content)
    if row.media_type == TEXT:
        content = masking.text(content.decode(errors="replace")).encode(errors="replace")
    return Kept(one["key"], one["name"] or row.name, row.media_type, content)


def read_block(call: SharedCall, index: int, link: SharedLink) -> Kept | None:
    """A block of a call's result; None if it is gone, or the document does not name it."""
    block = next((one for one in call["blocks"] if one["index"] == index), None)
    key = parse_public_id(call["span"])
    if key is None or block is None:
        return None
    stored = Payload.objects.filter(
        span__public_id=key,
        span__kind=Span.Kind.TOOL,
        span__trace__archive__owner=link.owner_id,
        stage=Payload.Stage.RESULT,
    )
    payload = stored.select_related("span__trace").first()
    if payload is None:
        return None
    try:
        found = media(json.loads(payloads.load(payload))["content"][index])
    except (PayloadCorrupt, ValueError, LookupError, TypeError):
        return None
    if found is None:
        return None
    return Kept(key_of(call["span"], index), block["name"], found.media_type, found.content)


def key_of(call: str, index: int) -> str:
    """Of a block in a snapshot, by the span of its call."""
    return f"{call}/{index}"


def kept(shared: SharedDocument, link: SharedLink, masking: Masking) -> list[Kept]:
    """The files of a snapshot. Raises `Rejected` if they are too large."""
    found: dict[str, Kept] = {}
    total = 0
    for one in _files(shared, link, masking):
        total += len(one.content)
        if total > MAX_SNAPSHOT_FILE_BYTES:
            sentence = _(
                "The files of this have more than %(most)s. Hide some, or share without them."
            )
            raise Rejected(sentence % {"most": size(MAX_SNAPSHOT_FILE_BYTES)})
        found[one.key] = one
    return list(found.values())


def _files(shared: SharedDocument, link: SharedLink, masking: Masking) -> Iterator[Kept]:
    for attachment in attachments_of(shared):
        if file := read_attachment(attachment, link, masking):
            yield file
    for call in calls_of(shared):
        for block in call["blocks"]:
            if file := read_block(call, block["index"], link):
                yield file


def store(link: SharedLink, files: Sequence[Kept]) -> None:
    SharedFile.objects.bulk_create(
        SharedFile(
            link=link,
            key=one.key,
            name=one.name,
            media_type=one.media_type,
            content=one.content,
        )
        for one in files
    )


def stored(link: SharedLink, key: str) -> Kept | None:
    """A file of a snapshot."""
    row = link.files.filter(key=key).first()
    return Kept(row.key, row.name, row.media_type, bytes(row.content)) if row else None
