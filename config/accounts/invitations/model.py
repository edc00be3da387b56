import hashlib
import secrets
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from config.accounts.roles import CHOICES, Role
from languages.later import later


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def make(self, expires: datetime, **columns: Any) -> tuple["Invitation", str]:
        """A new invitation and its secret, of which only the hash is stored."""
        secret = secrets.token_urlsafe(32)
        return self.create(digest=digest(secret), expires=expires, **columns), secret

    def of_secret(self, secret: str) -> "Invitation | None":
        return self.filter(digest=digest(secret)).first()

    def usable(self) -> "InvitationQuerySet":
        return self.filter(used=None, revoked=None, expires__gt=timezone.now())

    def take(self, pk: int, user: User) -> bool:
        """Whether it was usable until now; from now on `user` has used it."""
        return self.usable().filter(pk=pk).update(used=timezone.now(), used_by=user) == 1

    def revoke(self, public_id: uuid.UUID) -> bool:
        """Whether it was usable until now."""
        return self.usable().filter(public_id=public_id).update(revoked=timezone.now()) == 1


class Invitation(models.Model):
    """A link with which one person makes an account with a role and groups.

    open → used | revoked | expired; the first two by compare-and-set, the last one by time.
    """

    class State(models.TextChoices):
        OPEN = "open", later("open")
        USED = "used", later("used")
        REVOKED = "revoked", later("revoked")
        EXPIRED = "expired", later("expired")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    # SHA-256 of the secret, which has 256 random bits.
    digest = models.CharField(max_length=64, unique=True)
    email = models.EmailField(blank=True, default="")
    # The secret went to `email` alone: whoever has it reads the mail of this address.
    mailed = models.BooleanField(default=False)
    role = models.CharField(max_length=10, choices=CHOICES, default=Role.MEMBER)
    groups = models.ManyToManyField(Group, blank=True, related_name="+")
    created = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    used = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    revoked = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        app_label = "accounts"
        ordering = ("-created", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(role__in=["admin", "member", "viewer"]), name="invitation_role_known"
            ),
        )
        indexes = (
            # The list of admins, newest first.
            models.Index(fields=["created"], name="invitation_by_time"),
        )

    def __str__(self) -> str:
        return self.email or f"{self.created:%Y-%m-%d %H:%M}"

    @property
    def state(self) -> State:
        if self.used:
            return self.State.USED
        if self.revoked:
            return self.State.REVOKED
        return self.State.OPEN if self.expires > timezone.now() else self.State.EXPIRED


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
