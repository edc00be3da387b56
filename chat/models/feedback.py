"""What people think of answers."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from chat.models.turns import Turn
from db.fields import SentenceField


class Feedback(models.Model):
    """A person's thumb, up or down, and a note on the answer of a turn. Changeable and removable;
    the turn's trace shows it too (`tracing.journal.feedback`)."""

    class Rating(models.TextChoices):
        UP = "up"
        DOWN = "down"

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="feedback")
    rating = models.CharField(max_length=4, choices=Rating.choices)
    note = SentenceField(blank=True, default="")
    changed = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(rating__in=["up", "down"]), name="feedback_rating_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.rating} for {self.turn_id}"
