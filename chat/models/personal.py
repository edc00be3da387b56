"""The settings of a person, on every device of theirs, and the facts that models keep of them."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat import zones
from chat.models.agent import Preset
from db import prepared
from db.fields import LabelField, SentenceField
from db.prepared import PreparedQuerySet
from db.users import AnyUser
from limits.chat import MAX_FACT, MAX_FACTS


class PersonalSettings(models.Model):
    """One row a user, made when they first change something; until then the defaults count.

    It is read with the user of a request, in the same statement (`config.accounts.backend`), so a
    page may ask for `of(request.user)` at no cost.
    """

    class Theme(models.TextChoices):
        SYSTEM = "system", _("System")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class Density(models.TextChoices):
        COMFORTABLE = "comfortable", _("Comfortable")
        COMPACT = "compact", _("Compact")

    class SendingKey(models.TextChoices):
        ENTER = "enter", _("Enter")
        CTRL_ENTER = "ctrl_enter", _("Ctrl+Enter")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="personal",
    )
    # "" until it is chosen: what the browser keeps counts then, as it does signed out.
    theme = models.CharField(max_length=8, choices=Theme.choices, blank=True, default="")
    density = models.CharField(max_length=12, choices=Density.choices, default=Density.COMFORTABLE)
    sending_key = models.CharField(
        max_length=12, choices=SendingKey.choices, default=SendingKey.ENTER
    )
    # As `settings.LANGUAGES` has it; "" for that of the browser.
    language = models.CharField(max_length=8, blank=True, default="")
    # The name of an IANA zone; "" for that of the browser.
    time_zone = models.CharField(max_length=64, blank=True, default="")
    # Whether the browser tells of answers that are done while its tab is hidden.
    notifications = models.BooleanField(default=False)
    # The assistant with which a new conversation begins; None for the default model's.
    preset = models.ForeignKey(
        Preset, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # What every request says of the person, after the system prompt.
    instructions = SentenceField(blank=True, default="")
    # Whether models name the conversations of this person.
    has_titles = models.BooleanField(default=True)
    # Whether the first steps (`chat.first_steps`) are over, or were dismissed.
    has_begun = models.BooleanField(default=False)
    # Whether models may search all files of this person, not only those of a conversation.
    searches_all_files = models.BooleanField(default=False)
    # Whether models may keep facts about this person.
    has_memory = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "personal settings"
        constraints = (
            models.CheckConstraint(
                condition=Q(theme__in=["", "system", "light", "dark"]), name="personal_theme_known"
            ),
            models.CheckConstraint(
                condition=Q(language__in=["", "en", "zh-hans"]), name="personal_language_known"
            ),
            models.CheckConstraint(
                condition=Q(density__in=["comfortable", "compact"]), name="personal_density_known"
            ),
            models.CheckConstraint(
                condition=Q(sending_key__in=["enter", "ctrl_enter"]),
                name="personal_sending_key_known",
            ),
        )

    def __str__(self) -> str:
        return f"of user {self.user_id}"

    @classmethod
    def of(cls, user: AnyUser) -> "PersonalSettings":
        """The settings of a user; the defaults, not stored, of one who has changed nothing and of
        nobody."""
        stored: PersonalSettings | None = getattr(user, "personal", None)
        return stored or (cls() if user.pk is None else cls(user_id=user.pk))

    @classmethod
    def zone_of(cls, user: AnyUser, cookies: Mapping[str, str]) -> str:
        """The name of the user's time zone: the chosen one, else the browser's; "" if unknown."""
        return cls.of(user).time_zone or zones.named(cookies)

    @classmethod
    def change(cls, user: AnyUser, **columns: Any) -> None:
        """Sets columns of the user's row, which is made if there is none."""
        cls.objects.update_or_create(user_id=user.pk, defaults=columns)


class FactQuerySet(PreparedQuerySet["Fact"]):
    def for_user(self, user: AnyUser) -> "FactQuerySet":
        """The facts that this user may see, edit and erase: those about them."""
        return self.filter(owner_id=user.pk)

    @prepared.rows
    def remembered(self, owner: int) -> "models.QuerySet[Fact, Any]":
        """Number and text of each, in order."""
        facts = self.filter(owner=owner).order_by("number")[:MAX_FACTS]
        return facts.values_list("number", "text")


class Fact(models.Model):
    """A short fact about a person that a model keeps (`chat.agent.memory`); `number` names it to
    models, and is not given again while a later fact is there."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="facts"
    )
    number = models.PositiveIntegerField()
    text = LabelField(max_length=MAX_FACT)
    # Where a model learned it.
    conversation = models.ForeignKey(
        "Conversation", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(default=timezone.now)

    objects = FactQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["owner", "number"], name="fact_once_a_number"),
        )

    def __str__(self) -> str:
        return str(self.text)
