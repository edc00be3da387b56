"""What admins decided about the tools that ship with the program."""

from typing import Any

from django.db import models

from db import prepared
from db.prepared import PreparedQuerySet
from tools.models.policy import Policy


class LocalToolQuerySet(PreparedQuerySet["LocalTool"]):
    @prepared.rows
    def decisions(self) -> "models.QuerySet[LocalTool, Any]":
        """Name, switch and policy of each."""
        return self.values_list("name", "enabled", "policy")


class LocalTool(models.Model):
    """The switch and the policy of a local tool. One without a row is as `tools.local` has it."""

    name = models.CharField(max_length=64, unique=True)
    enabled = models.BooleanField()
    policy = models.CharField(max_length=8, choices=Policy.choices)

    objects = LocalToolQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
