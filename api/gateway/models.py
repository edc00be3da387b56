"""What groups the calls of the gateway: sessions, and the loops within them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from db.fields import LabelField
from tracing.models import Archive, Span, Trace


class Session(models.Model):
    """The calls of a person that belong together, in one archive.

    `key` is what the caller named (`X-Roundtrip-Session`, or the trace id of `traceparent`), or the
    token and the day.
    """

    archive = models.OneToOneField(
        Archive, on_delete=models.CASCADE, related_name="gateway_session"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="gateway_sessions"
    )
    key = models.CharField(max_length=200)
    name = LabelField(max_length=200)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["owner", "key"], name="gateway_session_once"),
        )

    def __str__(self) -> str:
        return str(self.name)


class Loop(models.Model):
    """A trace of the gateway that may get another round.

    `digest` is of the last request's messages, `response` the id of its answer, `ended` when that
    was complete. `has_failed`: the last attempt failed, and may be made again. A round is added by
    compare-and-set of `version`, which each call raises.
    """

    trace = models.OneToOneField(Trace, on_delete=models.CASCADE, related_name="gateway_loop")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, db_index=False)
    round = models.ForeignKey(Span, on_delete=models.CASCADE, related_name="+", db_index=False)
    number = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)
    digest = models.CharField(max_length=64)
    response = models.CharField(max_length=200, blank=True, default="")
    has_failed = models.BooleanField(default=False)
    ended = models.DateTimeField()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        indexes = (
            # The loop that a call goes on with.
            models.Index(fields=["session", "digest"], name="gateway_loop_digest"),
            models.Index(fields=["session", "response"], name="gateway_loop_response"),
            # Loops that nobody goes on with.
            models.Index(fields=["ended"], name="gateway_loop_ended"),
        )

    def __str__(self) -> str:
        return f"{self.trace_id}: round {self.number}"
