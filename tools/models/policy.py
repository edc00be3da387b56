"""What a call of a tool needs."""

from django.db import models

from languages.later import later


class Policy(models.TextChoices):
    """What happens when a model calls a tool."""

    ALLOW = "allow", later("Run it")
    ASK = "ask", later("Ask first")
    DENY = "deny", later("Refuse it")
