"""Reading and changing a draft."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from chat import storage
from chat.errors import Overtaken, Rejected
from chat.models import Attachment, Conversation, Draft
from db.fields import storable
from limits.chat import MAX_ATTACHMENTS, MAX_MESSAGE_DRAFT_BYTES
from tracing.formatting.figures import size


@dataclass(frozen=True)
class StoredDraft:
    """A draft as pages show it; revision 0 is one that was never changed."""

    revision: int
    text: str
    attachments: Sequence[Attachment]


@dataclass(frozen=True)
class Change:
    """What a tab has made of the draft whose `revision` it had read."""

    revision: int
    text: str
    attachments: Sequence[uuid.UUID]


def read(user: User, conversation: Conversation | None) -> StoredDraft:
    """The user's draft; an empty one if there is none."""
    row = Draft.objects.for_user(user).filter(conversation=conversation).first()
    if row is None:
        return StoredDraft(0, "", [])
    attached = row.attachments.defer("content").order_by("pk")
    return StoredDraft(row.revision, row.text, list(attached))


def save(user: User, conversation: Conversation | None, change: Change) -> int:
    """Stores a change and returns its revision. Raises `Overtaken`, and `Rejected` for a text that
    is too long or has no room."""
    text = storable(change.text)
    _check(user, text)
    with transaction.atomic():
        row = _row(user, conversation)
        unchanged = Draft.objects.filter(pk=row.pk, revision=change.revision)
        revision = change.revision + 1
        if not unchanged.update(text=text, revision=revision, updated=timezone.now()):
            raise Overtaken
        _attach(user, row, change.attachments)
    return revision


def _check(user: User, text: str) -> None:
    length = len(text.encode())
    if length > MAX_MESSAGE_DRAFT_BYTES:
        sizes = {"size": size(length), "most": size(MAX_MESSAGE_DRAFT_BYTES)}
        sentence = _(
            "The draft has %(size)s; the limit is %(most)s. It is kept in this browser only."
        )
        raise Rejected(sentence % sizes)
    storage.check_soon(user.pk, length)


def _row(user: User, conversation: Conversation | None) -> Draft:
    """The row of this draft. Two tabs may make it at once: then one of them finds the other's."""
    rows = Draft.objects.for_user(user)
    found = rows.filter(conversation=conversation).only("pk").first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return Draft.objects.create(owner=user, conversation=conversation)
    except IntegrityError:
        return rows.only("pk").get(conversation=conversation)


def _attach(user: User, row: Draft, public_ids: Sequence[uuid.UUID]) -> None:
    """Those of the user that are still there."""
    wanted = list(dict.fromkeys(public_ids))[:MAX_ATTACHMENTS]
    own = Attachment.objects.for_user(user).filter(public_id__in=wanted)
    row.attachments.set(own.values_list("pk", flat=True) if wanted else [])
