"""People's accounts at servers, connected by OAuth."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from db.fields import SentenceField
from tools.encryption import EncryptedJSONField
from tools.models.servers import Server


class Account(models.Model):
    """A user's account at a server, connected by OAuth. `tokens` and `client` are secret."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="accounts")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="server_accounts"
    )
    tokens = EncryptedJSONField(default=dict)
    client = EncryptedJSONField(default=dict)
    expires = models.DateTimeField(null=True, blank=True)
    connected = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["server", "user"], name="account_once_a_server"),
        )

    def __str__(self) -> str:
        return f"{self.user} at {self.server}"


class SignIn(models.Model):
    """An OAuth flow on its way: where the browser was sent, and what came back.

    `open → returned | failed`; the worker that waits for it reads `returned`.
    """

    class State(models.TextChoices):
        OPEN = "open"
        RETURNED = "returned"
        FAILED = "failed"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="sign_ins")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="server_sign_ins"
    )
    # The OAuth parameter that ties the browser's return to this row.
    state_token = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    authorization_url = models.TextField(blank=True, default="")
    returned = EncryptedJSONField(default=dict)
    error = SentenceField(blank=True, default="")
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["open", "returned", "failed"]), name="sign_in_state_known"
            ),
        )
        indexes = (
            # The browser's return.
            models.Index(fields=["state_token"], name="sign_in_by_state"),
        )

    def __str__(self) -> str:
        return f"{self.user} signing in at {self.server}"
