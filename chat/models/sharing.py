"""Read-only links to conversations."""

import uuid
import zlib
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from chat.models.conversations import Conversation
from chat.models.turns import Turn
from db.fields import JSONTextField, LabelField, dump_json
from db.users import AnyUser
from tools.encryption import EncryptedTextField


def digest_of(token: str) -> str:
    return sha256(token.encode()).hexdigest()


class SharedLinkQuerySet(models.QuerySet["SharedLink"]):
    def for_user(self, user: AnyUser) -> "SharedLinkQuerySet":
        """The links that this user made, and may see and revoke."""
        return self.filter(owner_id=user.pk)

    def alive(self) -> "SharedLinkQuerySet":
        """Neither revoked nor ended."""
        running = Q(ends=None) | Q(ends__gt=timezone.now())
        return self.filter(running, revoked=None)

    def ended(self) -> "SharedLinkQuerySet":
        return self.filter(ends__lte=timezone.now())

    def revoke(self) -> int:
        """Revokes these links at once, and erases what they kept; how many were open."""
        links = SharedLink.objects.filter(pk__in=list(self.values_list("pk", flat=True)))
        with transaction.atomic():
            count = links.filter(revoked=None).update(revoked=timezone.now())
            links.erase()
        return count

    def erase(self) -> None:
        """Erases addresses, documents and files."""
        SharedFile.objects.filter(link__in=self.values("pk")).delete()
        self.update(packed=b"", token="", size=0)

    def count_opening(self, link: "SharedLink") -> None:
        self.filter(pk=link.pk).update(opened=F("opened") + 1, last_opened=timezone.now())

    def move_to_parents(self, turns: "models.QuerySet[Turn]") -> None:
        """Before these turns are erased: links that follow a branch end with what is left of it."""
        erased = set(turns.values_list("pk", flat=True))
        for link in self.filter(turn__in=erased).select_related("turn"):
            at = link.turn
            while at is not None and at.pk in erased:
                at = at.parent
            self.filter(pk=link.pk).update(turn=None if link.is_single else at)


class SharedLink(models.Model):
    """An address that shows a branch of a conversation, or one answer, to others.

    `open → revoked | ended`; a link is never opened again. Its token is found by its hash, and
    stored encrypted so that its owner can copy the address again. A snapshot is the document that
    was made when it was shared (`chat.sharing.document`); without one the document is made of the
    conversation each time.
    """

    class Audience(models.TextChoices):
        SIGNED_IN = "signed_in"
        EVERYBODY = "everybody"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="shared_links"
    )
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="shared_links"
    )
    # The last turn of the branch; of a single answer, its turn. Null: it was erased.
    turn = models.ForeignKey(
        Turn, on_delete=models.SET_NULL, null=True, blank=True, related_name="shared_links"
    )
    title = LabelField(max_length=200, blank=True, default="")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    token = EncryptedTextField(blank=True, default="", editable=False)
    audience = models.CharField(max_length=10, choices=Audience.choices)
    is_single = models.BooleanField(default=False)
    is_snapshot = models.BooleanField(default=True)
    with_results = models.BooleanField(default=False)
    with_reasoning = models.BooleanField(default=False)
    with_attachments = models.BooleanField(default=False)
    with_traces = models.BooleanField(default=False)
    with_subagents = models.BooleanField(default=False)
    with_name = models.BooleanField(default=False)
    # Keys of what is hidden (`chat.sharing.document`).
    redactions = JSONTextField(default=list, blank=True)
    # Of a snapshot: its document, compressed; and its bytes with those of its files.
    packed = models.BinaryField(default=b"", editable=False)
    size = models.PositiveIntegerField(default=0, editable=False)
    created = models.DateTimeField(default=timezone.now)
    ends = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)
    opened = models.PositiveIntegerField(default=0)
    last_opened = models.DateTimeField(null=True, blank=True)

    objects = SharedLinkQuerySet.as_manager()

    class Meta:
        ordering = ("-created",)
        indexes = (
            # The links of a person, newest first.
            models.Index(fields=["owner", "-created"], name="shared_link_newest"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(audience__in=["signed_in", "everybody"]),
                name="shared_link_audience_known",
            ),
        )

    def __str__(self) -> str:
        return f"link {self.public_id}"

    @property
    def is_over(self) -> bool:
        return self.revoked is not None or self.has_ended

    @property
    def has_ended(self) -> bool:
        return self.ends is not None and self.ends <= timezone.now()

    @property
    def ended(self) -> datetime | None:
        """When it was revoked, or ended by itself."""
        return self.revoked or self.ends

    @property
    def path(self) -> str:
        """The address below this site."""
        return reverse("shared:page", args=[self.token]) if self.token else ""

    def pack(self, document: Any) -> None:
        """Keeps the document of a snapshot."""
        text = dump_json(document).encode()
        self.packed, self.size = zlib.compress(text, 6), len(text)

    def unpack(self) -> bytes:
        """The JSON of the document of a snapshot, as it is stored now; empty once it is erased."""
        stored = SharedLink.objects.filter(pk=self.pk).values_list("packed", flat=True).first()
        return zlib.decompress(bytes(stored)) if stored else b""


class SharedFile(models.Model):
    """The bytes of an attachment, or of a block of a result, as a snapshot keeps them."""

    link = models.ForeignKey(SharedLink, on_delete=models.CASCADE, related_name="files")
    # Of the attachment, or of the call with the index of the block.
    key = models.CharField(max_length=120)
    name = LabelField(max_length=200, blank=True, default="")
    # Empty: to be saved only.
    media_type = models.CharField(max_length=100, blank=True, default="")
    content = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["link", "key"], name="shared_file_once_a_key"),
        )

    def __str__(self) -> str:
        return str(self.key)
