"""What OAuth 2.1 needs to remember. Of every secret only its hash."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone

from db.users import AnyUser
from languages.later import later
from limits.mcp_server import MAX_REDIRECT_URI
from tokens.models import Token


class OAuthClient(models.Model):
    """A program, as it described itself; nobody vouches for it.

    `client_id` is the address of the document that describes it (OAuth Client ID Metadata
    Document), or an id that it was given when it registered (RFC 7591). All are public clients
    (RFC 6749, 2.1): they have no secret.
    """

    client_id = models.CharField(max_length=MAX_REDIRECT_URI, unique=True)
    name = models.CharField(later("name"), max_length=100)
    redirect_uris = models.JSONField(default=list)
    # Whether `client_id` is an address.
    is_document = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)
    # When the document was read last.
    read = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = later("program")
        verbose_name_plural = later("programs")
        indexes = (
            # Registered programs, the oldest first, to forget those that nobody connected.
            models.Index(fields=["is_document", "created"], name="oauth_client_oldest"),
        )

    def __str__(self) -> str:
        return self.name


class ConnectionQuerySet(models.QuerySet["Connection"]):
    def for_user(self, user: AnyUser) -> "ConnectionQuerySet":
        return self.filter(user_id=user.pk or 0)

    def open(self) -> "ConnectionQuerySet":
        return self.filter(ended=None, expires__gt=timezone.now(), user__is_active=True)


class Connection(models.Model):
    """What a person allowed a program. It ends when they end it, after a time without use, or when
    a refresh token or a code comes a second time, which only a thief or its victim can send."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="connections"
    )
    client = models.ForeignKey(OAuthClient, on_delete=models.CASCADE, related_name="connections")
    scopes = models.JSONField(default=list)
    # The address that its tokens are for (RFC 8707).
    resource = models.CharField(max_length=MAX_REDIRECT_URI)
    # The access token in use.
    token = models.OneToOneField(
        Token, on_delete=models.SET_NULL, null=True, blank=True, related_name="connection"
    )
    created = models.DateTimeField(default=timezone.now)
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        verbose_name = later("connection with a program")
        verbose_name_plural = later("connections with programs")
        ordering = ("-created",)

    def __str__(self) -> str:
        return str(self.client)

    def end(self) -> bool:
        """Whether it was open until now."""
        rows = type(self).objects.filter(pk=self.pk, ended=None)
        if not rows.update(ended=timezone.now()):
            return False
        Token.objects.filter(connection=self.pk).delete()
        RefreshToken.objects.filter(connection=self.pk).delete()
        return True


class AuthorizationCode(models.Model):
    """A code that a program exchanges once, within a minute (OAuth 2.1, 4.1)."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    client = models.ForeignKey(OAuthClient, on_delete=models.CASCADE, related_name="codes")
    redirect_uri = models.CharField(max_length=MAX_REDIRECT_URI)
    # RFC 7636: the SHA-256 of the verifier, in Base64 for URLs.
    challenge = models.CharField(max_length=43)
    scopes = models.JSONField(default=list)
    resource = models.CharField(max_length=MAX_REDIRECT_URI)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True, blank=True)
    # What it was exchanged for.
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = later("authorization code")
        verbose_name_plural = later("authorization codes")
        indexes = (
            # The deletion of old ones.
            models.Index(fields=["expires"], name="oauth_code_expires"),
        )

    def __str__(self) -> str:
        return f"code of {self.client}"

    def take(self, now: datetime) -> bool:
        """Whether nobody used it before."""
        return type(self).objects.filter(pk=self.pk, used=None).update(used=now) == 1


class RefreshToken(models.Model):
    """One of a chain: each is used once, for the next one (OAuth 2.1, 4.3.1). Used ones are kept
    until they would have expired, so that a second use is noticed."""

    digest = models.CharField(max_length=64, unique=True)
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, related_name="refresh_tokens"
    )
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = later("refresh token")
        verbose_name_plural = later("refresh tokens")

    def __str__(self) -> str:
        return f"refresh token of {self.connection}"

    def take(self, now: datetime) -> bool:
        """Whether nobody used it before."""
        return type(self).objects.filter(pk=self.pk, used=None).update(used=now) == 1
