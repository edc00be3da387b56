import hashlib
import secrets
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.users import AnyUser
from languages.later import later

PREFIX = "rt_"
SHOWN_CHARACTERS = 8


class Scope(models.TextChoices):
    """What a token allows; each is for itself, and none allows more than its person may."""

    READ = "read", later("Read: conversations, files, assistants, models, usage")
    CHAT = "chat", later("Chat: start, stop and decide turns, change what is the person's own")
    TRACES = "traces", later("Traces: read traces and payloads, playground")
    ADMIN = "admin", later("Admin: what the person's permissions allow beyond their own")


class TokenQuerySet(models.QuerySet["Token"]):
    def make(
        self,
        user: User,
        name: str,
        scopes: list[str],
        expires: datetime | None = None,
        **columns: Any,
    ) -> tuple["Token", str]:
        """A new token and its secret, of which only the hash is stored."""
        secret = PREFIX + secrets.token_urlsafe(32)
        token = self.create(
            user=user,
            name=name,
            scopes=sorted(scopes),
            expires=expires,
            digest=digest(secret),
            beginning=secret[: len(PREFIX) + SHOWN_CHARACTERS],
            **columns,
        )
        return token, secret

    def for_user(self, user: AnyUser) -> "TokenQuerySet":
        return self.filter(user_id=user.pk or 0)

    def usable(self) -> "TokenQuerySet":
        """Neither revoked nor expired, of somebody who may sign in."""
        current = Q(expires=None) | Q(expires__gt=timezone.now())
        return self.filter(current, revoked=None, user__is_active=True)


class Token(models.Model):
    """A bearer token of a person (RFC 6750)."""

    class Origin(models.TextChoices):
        SETTINGS = "settings", later("Made in the settings")
        OAUTH = "oauth", later("Given to a program by OAuth")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens"
    )
    name = models.CharField(max_length=80)
    # SHA-256 of the secret, which has 256 random bits.
    digest = models.CharField(max_length=64, unique=True)
    # The first characters of the secret, by which its owner knows it.
    beginning = models.CharField(max_length=16)
    scopes = models.JSONField(default=list)
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.SETTINGS)
    created = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField(null=True, blank=True)
    # To the minute.
    last_use = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created",)
        constraints = (
            models.CheckConstraint(
                condition=Q(origin__in=["settings", "oauth"]), name="token_origin_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.beginning}…)"

    def revoke(self) -> bool:
        """Whether it was usable until now."""
        rows = type(self).objects.filter(pk=self.pk, revoked=None)
        return rows.update(revoked=timezone.now()) == 1


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
