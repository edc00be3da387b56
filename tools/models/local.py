"""What admins decided about the tools that ship with the program."""

from django.db import models

from tools.models.servers import Policy


class LocalTool(models.Model):
    """The switch and the policy of a local tool. One without a row is as `tools.local` has it."""

    name = models.CharField(max_length=64, unique=True)
    enabled = models.BooleanField()
    policy = models.CharField(max_length=8, choices=Policy.choices)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
