"""How a conversation works: presets and skills."""

import uuid
from functools import partial

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chat.permissions import CHANGE_PRESET, CHANGE_SKILL, changes, may_change_presets
from db import prepared
from db.fields import JSONTextField
from db.groups import NOBODY, is_given, is_withheld, without_withheld
from db.prepared import PreparedQuerySet
from db.users import AnyUser
from tracing.permissions import holds


class PresetQuerySet(models.QuerySet["Preset"]):
    def for_user(self, user: AnyUser) -> "PresetQuerySet":
        """The presets that this user may choose: published ones, if they are for everybody, for a
        group of the user's, or the user's to change; and their own."""
        given = is_given(Preset, user.pk or NOBODY) | changes(user, CHANGE_PRESET)
        return self.filter(Q(owner=None, published=True) & given | Q(owner=user.pk))

    def withheld_from(self, user: AnyUser) -> "PresetQuerySet":
        """The deployment's presets that are for groups of which this user is in none."""
        withheld = is_withheld(Preset, user.pk or NOBODY)
        return self.filter(withheld, ~changes(user, CHANGE_PRESET), owner=None)

    def editable_by(self, user: AnyUser) -> "PresetQuerySet":
        """The presets that this user may change: their own, and by permission the deployment's."""
        return self.of_deployment(user) if may_change_presets(user) else self.filter(owner=user.pk)

    def of_deployment(self, user: AnyUser) -> "PresetQuerySet":
        """The presets of the deployment and of this user."""
        return self.filter(Q(owner=None) | Q(owner=user.pk))


class Preset(models.Model):
    """How a conversation works: system prompt, model, tools, skills, policies, starters, limits.

    Without an owner it is the deployment's, and people see it once it is published; a conversation
    that has it keeps it when it is no more, but answers nothing to who is in none of its groups.
    `tools` lists patterns of tool names (`sqlite-*`); null offers every tool but those that only a
    pattern offers. `servers` lists names of MCP servers whose tools alone are offered; null is any.
    `policies` says what their calls need, before the servers' own settings: `[["sqlite-*",
    "allow"], …]`. `skills` lists patterns of skill names; null offers all. `limits` overrides the
    deployment's numbers (`chat.agent.limits`).
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="presets",
    )
    published = models.BooleanField(default=False)
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=300, blank=True, default="")
    system_prompt = models.TextField(blank=True, default="")
    model = models.ForeignKey(
        "LanguageModel", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    tools = JSONTextField(null=True, blank=True, default=None)
    servers = JSONTextField(null=True, blank=True, default=None)
    policies = JSONTextField(default=list, blank=True)
    skills = JSONTextField(null=True, blank=True, default=None)
    starters = JSONTextField(default=list, blank=True)
    limits = JSONTextField(default=dict, blank=True)
    # Of the deployment's: whom it is for.
    groups = models.ManyToManyField(Group, blank=True, related_name="presets")
    created = models.DateTimeField(default=timezone.now)

    objects = PresetQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=["name"], condition=Q(owner=None), name="preset_once_published"
            ),
            models.UniqueConstraint(fields=["owner", "name"], name="preset_once_an_owner"),
        )

    def __str__(self) -> str:
        return self.name


class Shipped(models.Model):
    """The name of a preset that this deployment got once. It is not created again after people have
    changed or deleted it (`chat.presets.shipped`)."""

    name = models.CharField(max_length=64, unique=True)
    given = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class SkillQuerySet(PreparedQuerySet["Skill"]):
    def for_user(self, user: AnyUser) -> "SkillQuerySet":
        """The skills that this user's conversations may offer: those that are switched on, have no
        problem, and are for everybody, for a group of the user's, or the user's to change."""
        given = is_given(Skill, user.pk or NOBODY) | changes(user, CHANGE_SKILL)
        return self.filter(given, enabled=True, problem="")

    def working_for(self, user: AnyUser) -> list["Skill"]:
        """The rows of `for_user`, by a statement that is compiled once."""
        rows = self._working(user.pk or NOBODY)
        return without_withheld(rows, partial(holds, user, CHANGE_SKILL))

    @prepared.rows
    def _working(self, user: int) -> "models.QuerySet[Skill]":
        working = self.filter(enabled=True, problem="")
        return working.annotate(is_withheld=is_withheld(Skill, user))


class Skill(models.Model):
    """A folder of instructions that a model may load (`chat.agent.skills`).

    `source` is where the folder was found; an uploaded one lies in the home's own folder. With a
    `problem` it is shown to admins and not offered.
    """

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=64, unique=True)
    description = models.TextField(blank=True, default="")
    source = models.TextField()
    uploaded = models.BooleanField(default=False)
    problem = models.TextField(blank=True, default="")
    enabled = models.BooleanField(default=True)
    found = models.DateTimeField(default=timezone.now)
    groups = models.ManyToManyField(Group, blank=True, related_name="skills")
    # Of an uploaded skill: its user (`chat.storage`), and the bytes of its files.
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
    )
    size = models.PositiveBigIntegerField(default=0, editable=False)

    objects = SkillQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
