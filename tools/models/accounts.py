"""People's accounts at servers, connected by OAuth."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext

from jobs import Job
from limits.tools import MAX_OAUTH_SIGN_IN, MAX_SERVER_CHECK_SILENCE
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
        return gettext("%(user)s at %(server)s") % {"user": self.user, "server": self.server}


class SignIn(Job):
    """An OAuth flow on its way: where the browser was sent, and what came back.

    It runs until the person is back: the worker that waits reads `returned` once `came_back` is
    set. One that has succeeded is deleted. It fails after `LASTS` in any case.
    """

    LASTS = MAX_OAUTH_SIGN_IN
    taken_within = MAX_SERVER_CHECK_SILENCE
    silent_within = MAX_SERVER_CHECK_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="sign_ins")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="server_sign_ins"
    )
    # The OAuth parameter that ties the browser's return to this row.
    state_token = models.CharField(max_length=200, blank=True, default="")
    authorization_url = models.TextField(blank=True, default="")
    returned = EncryptedJSONField(default=dict)
    came_back = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = Job.Meta.constraints
        indexes = (
            # The browser's return.
            models.Index(fields=["state_token"], name="sign_in_by_state"),
        )

    def __str__(self) -> str:
        about = {"user": self.user, "server": self.server}
        return gettext("%(user)s signing in at %(server)s") % about

    @property
    def is_late(self) -> bool:
        """Whether nobody came back in time."""
        return timezone.now() - self.created > self.LASTS
