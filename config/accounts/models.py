import hashlib
import secrets
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from languages.later import later
from limits.audit import MAX_AUDIT_DAYS
from limits.web import MAX_SIGN_IN_LINK_MINUTES


class SignInLinkQuerySet(models.QuerySet["SignInLink"]):
    def make(self, user: User) -> str:
        """Create a link for `user` and return its secret, of which only the hash is stored.

        Deletes expired links.
        """
        self.filter(expires__lt=timezone.now()).delete()
        secret = secrets.token_urlsafe(32)
        expires = timezone.now() + timedelta(minutes=MAX_SIGN_IN_LINK_MINUTES)
        self.create(user=user, digest=_digest(secret), expires=expires)
        return secret

    def use(self, secret: str) -> User | None:
        """The user of an unused link that has not expired, which counts as used from now on; None
        for any other secret."""
        usable = self.filter(
            digest=_digest(secret), used=None, expires__gt=timezone.now(), user__is_active=True
        )
        link = usable.select_related("user").first()
        if link is None or usable.update(used=timezone.now()) != 1:
            return None
        return link.user


class SignInLink(models.Model):
    """A link that signs a user in without a password, once, within `MAX_SIGN_IN_LINK_MINUTES`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True, blank=True)

    objects = SignInLinkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"for {self.user} until {self.expires:%H:%M}"


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def expired(self) -> Self:
        return self.filter(when__lt=timezone.now() - timedelta(days=MAX_AUDIT_DAYS))


class AuditEntry(models.Model):
    """An entry of the sign-in log: a sign-in, an attempt, or a sign-out. Never changed."""

    class Action(models.TextChoices):
        SIGNED_IN = "signed_in", later("Signed in")
        LINK_USED = "link_used", later("Signed in by link")
        FAILED = "failed", later("Wrong user name or password")
        THROTTLED = "throttled", later("Refused: too many attempts")
        SIGNED_OUT = "signed_out", later("Signed out")

    when = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=16, choices=Action.choices)
    username = models.CharField(max_length=150, help_text="As it was typed.")
    address = models.GenericIPAddressField(null=True, blank=True)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        ordering = ("-when",)
        verbose_name_plural = "audit entries"
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    action__in=["signed_in", "link_used", "failed", "throttled", "signed_out"]
                ),
                name="audit_action_known",
            ),
        )
        indexes = (
            # The admin's list, newest first, and the deletion of expired entries.
            models.Index(fields=["when"], name="audit_by_time"),
        )

    def __str__(self) -> str:
        return f"{self.username}: {self.get_action_display()}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
