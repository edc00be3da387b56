"""What a call of a tool needs."""

from django.db import models


class Policy(models.TextChoices):
    """What happens when a model calls a tool."""

    ALLOW = "allow", "Run it"
    ASK = "ask", "Ask first"
    DENY = "deny", "Refuse it"
