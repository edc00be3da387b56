"""Uploading, removing and sweeping attachments, and assigning them to a message."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from chat import storage
from chat.attachments import documents
from chat.attachments.sniffing import TEXT, Sniffed, sniff
from chat.errors import Rejected
from chat.models import Attachment, Conversation, LanguageModel, Message
from chat.quotas.admission import admit_upload
from db.fields import storable
from languages.later import later
from limits.chat import MAX_ATTACHMENT_NAME, MAX_UNSENT_AGE, MAX_UNSENT_ATTACHMENTS
from limits.files import MAX_DOCUMENT_BYTES
from tracing.formatting.figures import size

GONE = later("An attachment no longer exists. Remove it, attach it again, and send.")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True)
class Kept:
    """What is kept of a file: an image, or a text; that of a document, with a note on it."""

    sniffed: Sniffed
    document: documents.Kind | None = None
    note: str = ""


def upload(user: User, name: str, content: bytes) -> Attachment:
    """Stores a file for a message that is not sent yet. Raises `Rejected`."""
    return upload_file(user, name, content)[0]


def upload_file(user: User, name: str, content: bytes) -> tuple[Attachment, str]:
    """The same, with a note on what is kept of the file: of a PDF or Word file its text. Raises
    `Rejected`."""
    sweep()
    if Attachment.objects.for_user(user).unsent().count() >= MAX_UNSENT_ATTACHMENTS:
        raise Rejected(
            gettext(
                "%(most)s uploaded files are not sent yet. Send or remove some; unsent files "
                "are deleted after a day."
            )
            % {"most": MAX_UNSENT_ATTACHMENTS}
        )
    kept = read(content)
    sniffed = kept.sniffed
    storage.check_upload(user.pk, len(sniffed.content))
    admit_upload(user)
    attachment = Attachment.objects.create(
        owner=user,
        name=clean_name(name, sniffed.media_type),
        media_type=sniffed.media_type,
        size=len(sniffed.content),
        content=sniffed.content,
    )
    storage.grew(user.pk, attachments=attachment.size)
    return attachment, kept.note


def read(content: bytes) -> Kept:
    """What is kept of a file. Raises `Rejected`."""
    kind = documents.kind_of(content)
    if kind is None:
        return Kept(sniff(content))
    document = documents.read(kind, content)
    return Kept(sniff(document.text.encode(errors="replace")), kind, document.note)


def max_bytes() -> int:
    """Bytes of the largest file of any kind."""
    images, texts = settings.ATTACHMENT_IMAGE_BYTES, settings.ATTACHMENT_TEXT_BYTES
    return max(images, texts, MAX_DOCUMENT_BYTES)


def remove(user: User, public_id: uuid.UUID) -> None:
    """Deletes an attachment that was not sent. Others are deleted with their conversation."""
    _delete(Attachment.objects.for_user(user).unsent().filter(public_id=public_id))


def sweep() -> int:
    """Deletes uploads of all users that were not sent within a day and are in no draft; returns
    their number."""
    before = timezone.now() - MAX_UNSENT_AGE
    return _delete(Attachment.objects.unsent().filter(created__lt=before, drafts=None))


def _delete(attachments: QuerySet[Attachment]) -> int:
    """Deletes the rows with what belongs to them; returns their number. They are locked before
    Django collects what belongs to them: an index that is written meanwhile would be left out."""
    with transaction.atomic():
        list(attachments.select_for_update(of=("self",)).values_list("pk"))
        return attachments.delete()[1].get("chat.Attachment", 0)


def clean_name(name: str, media_type: str) -> str:
    """The last part of a path, on one line, truncated before its extension; never empty."""
    last = _CONTROLS.sub(" ", storable(name)).replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not last:
        return "text.txt" if media_type == TEXT else f"image.{media_type.removeprefix('image/')}"
    if len(last) <= MAX_ATTACHMENT_NAME:
        return last
    end = PurePosixPath(last).suffix[:20]
    return f"{last[: MAX_ATTACHMENT_NAME - len(end) - 1]}…{end}"


def find(
    user: User, public_ids: Sequence[uuid.UUID], conversation: uuid.UUID | None = None
) -> list[Attachment]:
    """The attachments with these ids, in this order, without their bytes: the user's, or of
    messages of this conversation.

    Raises `Rejected` if one is not there, or if a message cannot have all of them.
    """
    ids = list(dict.fromkeys(public_ids))
    if not ids:
        return []
    _check_count(len(ids))
    sendable = Attachment.objects.sendable_by(user, conversation)
    rows = sendable.filter(public_id__in=ids).defer("content")
    by_id = {row.public_id: row for row in rows}
    if len(by_id) < len(ids):
        raise Rejected(GONE)
    _check_size(sum(row.size for row in by_id.values()))
    return [by_id[public_id] for public_id in ids]


def _check_count(count: int) -> None:
    most = settings.ATTACHMENTS_A_MESSAGE
    if count > most:
        raise Rejected(
            gettext("The message has %(count)s attachments; the limit is %(most)s. Remove some.")
            % {"count": count, "most": most}
        )


def _check_size(total: int) -> None:
    most = settings.ATTACHMENTS_MESSAGE_BYTES
    if total > most:
        raise Rejected(
            gettext("The attachments have %(total)s together; the limit is %(most)s. Remove some.")
            % {"total": size(total), "most": size(most)}
        )


def refuse_unreadable(model: LanguageModel, attachments: Sequence[Attachment]) -> None:
    """Raises `Rejected` if there is an image and the model does not read any."""
    if model.reads_images:
        return
    if any(attachment.media_type.startswith("image/") for attachment in attachments):
        raise Rejected(
            gettext("%(model)s does not read images: choose another model or remove it.")
            % {"model": model}
        )


def own_copies(attachments: Sequence[Attachment]) -> list[Attachment]:
    """The same attachments; those of an earlier message are copied for the new one."""
    return [_copy(one) if one.message_id else one for one in attachments]


def copies(attachments: Sequence[Attachment]) -> list[Attachment]:
    """Copies of attachments, for another message."""
    return [_copy(one) for one in attachments]


def _copy(sent: Attachment) -> Attachment:
    return Attachment.objects.create(
        owner_id=sent.owner_id,
        name=sent.name,
        media_type=sent.media_type,
        size=sent.size,
        content=bytes(sent.content),
    )


def tie(attachments: Sequence[Attachment], message: Message) -> None:
    """Assigns attachments to a message, in the transaction that stores it.

    Raises `Rejected` if one was swept, removed or sent by another message at the same moment.
    """
    if not attachments:
        return
    free = Attachment.objects.unsent().filter(pk__in=[one.pk for one in attachments])
    if free.update(message=message) != len(attachments):
        raise Rejected(GONE)
    if any(one.media_type == TEXT for one in attachments):
        Conversation.objects.filter(pk=message.conversation_id).update(has_files=True)
