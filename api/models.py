"""What a POST with an idempotency key was answered."""

from django.conf import settings
from django.db import models
from django.utils import timezone


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
