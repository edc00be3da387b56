"""What programs asked for, and what they were answered."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from chat.models import Turn
from db.fields import JSONTextField
from db.users import AnyUser


class IdempotencyKey(models.Model):
    """A key that a program sent with a POST (the header `Idempotency-Key`), with its answer.

    `status` is null while the first request runs; a request that failed leaves no row.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="idempotency_keys"
    )
    key = models.CharField(max_length=200)
    # SHA-256 of method, address and body.
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    content_type = models.CharField(max_length=100, blank=True)
    content = models.BinaryField(default=bytes)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_of_user"),
        )
        indexes = (
            # The deletion of those that are over.
            models.Index(fields=["created"], name="idempotency_key_created"),
        )

    def __str__(self) -> str:
        return f"{self.key} of {self.user_id}"


class ProgramTurnQuerySet(models.QuerySet["ProgramTurn"]):
    def for_user(self, user: AnyUser) -> "ProgramTurnQuerySet":
        """Those of the user's own conversations, whose turn was not deleted."""
        own = self.filter(user_id=user.pk or 0)
        return own.filter(turn__in=Turn.objects.for_user(user))

    def responses_for(self, user: AnyUser) -> "ProgramTurnQuerySet":
        """Those that can be read as a response."""
        return self.for_user(user).filter(is_response=True, is_stored=True)


class ProgramTurn(models.Model):
    """A turn that a call of `/v1` began (`api.openai`)."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="program_turn")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="program_turns"
    )
    # The id of the assistant or the model, as the client named it.
    model = models.CharField(max_length=300)
    # Of all messages of the request (`api.openai.histories`).
    history = models.CharField(max_length=64)
    is_response = models.BooleanField(default=False)
    # Whether it may be read as a response later.
    is_stored = models.BooleanField(default=True)
    # Fields that came with the request and are repeated in the response.
    kept = JSONTextField(default=dict)
    with_tools = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)

    objects = ProgramTurnQuerySet.as_manager()

    class Meta:
        indexes = (
            # The turn that a history goes on with.
            models.Index(fields=["user", "history", "-id"], name="program_turn_history"),
        )

    def __str__(self) -> str:
        return f"{self.model}: {self.turn_id}"
