"""Uploading, removing and sweeping attachments, and tying them to the message that is sent."""

import re
import uuid
from collections.abc import Sequence
from pathlib import PurePosixPath

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from chat import storage
from chat.attachments.sniffing import TEXT, sniff
from chat.errors import Rejected
from chat.models import Attachment, LanguageModel, Message
from db.fields import storable
from limits.chat import MAX_ATTACHMENT_NAME, MAX_UNSENT_AGE, MAX_UNSENT_ATTACHMENTS
from tracing.formatting.figures import size

GONE = "An attachment no longer exists. Remove it, attach it again, and send."
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]+")


def upload(user: User, name: str, content: bytes) -> Attachment:
    """Keeps a file of a message that is not sent yet. Raises `Rejected`."""
    sweep()
    if Attachment.objects.for_user(user).unsent().count() >= MAX_UNSENT_ATTACHMENTS:
        raise Rejected(
            f"{MAX_UNSENT_ATTACHMENTS} uploaded files are not sent yet. Send or remove some; "
            "unsent files are deleted after a day."
        )
    sniffed = sniff(content)
    storage.check_upload(user.pk, len(sniffed.content))
    kept = Attachment.objects.create(
        owner=user,
        name=clean_name(name, sniffed.media_type),
        media_type=sniffed.media_type,
        size=len(sniffed.content),
        content=sniffed.content,
    )
    storage.grew(user.pk, attachments=kept.size)
    return kept


def remove(user: User, public_id: uuid.UUID) -> None:
    """Deletes what was not sent. What was sent goes with its conversation."""
    Attachment.objects.for_user(user).unsent().filter(public_id=public_id).delete()


def sweep() -> int:
    """Deletes what was uploaded a day ago and never sent, of all users; how many."""
    before = timezone.now() - MAX_UNSENT_AGE
    return Attachment.objects.unsent().filter(created__lt=before).delete()[0]


def clean_name(name: str, media_type: str) -> str:
    """The last part of a path, on one line, its end kept when it is cut; never empty."""
    last = _CONTROLS.sub(" ", storable(name)).replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not last:
        return "text.txt" if media_type == TEXT else f"image.{media_type.removeprefix('image/')}"
    if len(last) <= MAX_ATTACHMENT_NAME:
        return last
    end = PurePosixPath(last).suffix[:20]
    return f"{last[: MAX_ATTACHMENT_NAME - len(end) - 1]}…{end}"


def find(user: User, public_ids: Sequence[uuid.UUID]) -> list[Attachment]:
    """The user's attachments of these ids, in this order, without their bytes.

    Raises `Rejected` if one is not there, or if a message cannot have all of them.
    """
    wanted = list(dict.fromkeys(public_ids))
    if not wanted:
        return []
    _check_count(len(wanted))
    rows = Attachment.objects.for_user(user).filter(public_id__in=wanted).defer("content")
    found = {row.public_id: row for row in rows}
    if len(found) < len(wanted):
        raise Rejected(GONE)
    _check_size(sum(row.size for row in found.values()))
    return [found[public_id] for public_id in wanted]


def _check_count(count: int) -> None:
    most = settings.ATTACHMENTS_A_MESSAGE
    if count > most:
        raise Rejected(f"The message has {count} attachments; the limit is {most}. Remove some.")


def _check_size(total: int) -> None:
    most = settings.ATTACHMENTS_MESSAGE_BYTES
    if total > most:
        raise Rejected(
            f"The attachments have {size(total)} together; the limit is {size(most)}. Remove some."
        )


def refuse_unreadable(model: LanguageModel, attachments: Sequence[Attachment]) -> None:
    """Raises `Rejected` if there is an image and the model does not read any."""
    if model.reads_images:
        return
    if any(attachment.media_type.startswith("image/") for attachment in attachments):
        raise Rejected(f"{model} does not read images: choose another model or remove it.")


def own_copies(attachments: Sequence[Attachment]) -> list[Attachment]:
    """The same, each free for a new message: what an earlier one has is copied."""
    return [_copy(one) if one.message_id else one for one in attachments]


def _copy(sent: Attachment) -> Attachment:
    return Attachment.objects.create(
        owner_id=sent.owner_id,
        name=sent.name,
        media_type=sent.media_type,
        size=sent.size,
        content=bytes(sent.content),
    )


def tie(attachments: Sequence[Attachment], message: Message) -> None:
    """Makes them the message's, in the transaction that stores it.

    Raises `Rejected` if one was swept, removed or sent by another message at the same moment.
    """
    if not attachments:
        return
    free = Attachment.objects.unsent().filter(pk__in=[one.pk for one in attachments])
    if free.update(message=message) != len(attachments):
        raise Rejected(GONE)
