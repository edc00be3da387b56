import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from config.accounts.invitations.model import Invitation as Invitation
from config.accounts.key_proofs import KeyProof as KeyProof
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


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
