"""Who serves models, the models, and the cassettes that play them."""

import uuid
from functools import partial

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from chat.llm.services import ANTHROPIC
from chat.models.agent import Preset
from chat.permissions import CHANGE_PROVIDER, changes
from db import prepared
from db.fields import JSONTextField
from db.groups import NOBODY, is_given, is_withheld, without_withheld
from db.prepared import PreparedQuerySet
from db.users import AnyUser
from jobs import Checkable
from languages.later import later
from limits.models import MAX_CHECK_SILENCE, MAX_CHECK_WAIT
from tools.encryption import EncryptedTextField
from tracing.models import Trace
from tracing.permissions import holds


class Provider(models.Model):
    """Who serves models. The cassette provider is this server itself; its URL is worked out."""

    class Kind(models.TextChoices):
        OPENAI = "openai", "OpenAI-compatible"
        ANTHROPIC = "anthropic", "Anthropic Messages API"
        CASSETTE = "cassette", "Built-in cassette"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=80, unique=True)
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.OPENAI)
    # Not a URLField: that refuses hosts of one word, which is what containers have.
    base_url = models.CharField(
        max_length=500, blank=True, default="", validators=[RegexValidator(r"^https?://\S+$")]
    )
    api_key = EncryptedTextField(blank=True, default="")
    # The slug of the known service (`chat.llm.services`) that it was made from.
    service = models.CharField(max_length=32, blank=True, default="")
    # The models that the endpoint named when it was last asked, and when that was (the form is
    # `chat.providers.catalogue.ListedModel`).
    listed = JSONTextField(default=list, blank=True)
    listed_at = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    # Whoever reaches it through the gateway may read and change what is kept under its key: files,
    # batches, answers, fine-tunes (`api.gateway.access`).
    shares_objects = models.BooleanField(default=False)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["openai", "anthropic", "cassette"]),
                name="provider_kind_known",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("providers:provider", args=[self.public_id])

    @property
    def endpoint(self) -> str:
        """The base URL to call: of a built-in cassette, this server's own."""
        if self.kind == self.Kind.CASSETTE:
            return f"{settings.INTERNAL_URL}/cassettes/{self.slug}/v1"
        return self.base_url

    @property
    def slug(self) -> str:
        """The name in the URL of a built-in cassette."""
        return slugify(self.name) or self.public_id.hex

    @property
    def protocol(self) -> str:
        """What is spoken there: `anthropic`, else `openai`. A cassette says it by its service."""
        is_anthropic = self.kind == self.Kind.ANTHROPIC or (
            self.kind == self.Kind.CASSETTE and self.service == ANTHROPIC.slug
        )
        return "anthropic" if is_anthropic else "openai"


class CassetteFile(models.Model):
    """The cassette that a built-in provider plays (`docs/cassettes.md`), as it was uploaded.

    The walkthrough has none: it ships with the program.
    """

    provider = models.OneToOneField(
        Provider, on_delete=models.CASCADE, related_name="cassette_file"
    )
    compressed = models.BinaryField()
    size = models.PositiveIntegerField(help_text="Bytes, not compressed.")
    answers = models.PositiveIntegerField(help_text="How many recorded answers it has.")
    created = models.DateTimeField(default=timezone.now)
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
    )

    def __str__(self) -> str:
        return gettext("cassette of %(provider)s") % {"provider": self.provider}


# What was never moved keeps the order of the alphabet.
ADMINS_ORDER = ("position", "label", "id")


class LanguageModelQuerySet(PreparedQuerySet["LanguageModel"]):
    def offered(self) -> "LanguageModelQuerySet":
        """What is switched on, the default first, whomever it is for. What is for somebody is a
        matter of `for_user`."""
        choices = self.filter(enabled=True, provider__enabled=True)
        return choices.select_related("provider", "preset").order_by("-is_default", *ADMINS_ORDER)

    def for_user(self, user: AnyUser) -> "LanguageModelQuerySet":
        """What this user can choose, the default first: what is for everybody, for a group of the
        user's, or the user's to change."""
        given = is_given(LanguageModel, user.pk or NOBODY) | changes(user, CHANGE_PROVIDER)
        return self.offered().filter(given)

    def choices(self, user: AnyUser) -> list["LanguageModel"]:
        """The rows of `for_user`, by a statement that is compiled once."""
        rows = self._choices(user.pk or NOBODY)
        return without_withheld(rows, partial(holds, user, CHANGE_PROVIDER))

    @prepared.rows
    def _choices(self, user: int) -> "models.QuerySet[LanguageModel]":
        return self.offered().annotate(is_withheld=is_withheld(LanguageModel, user))

    def in_order(self) -> "LanguageModelQuerySet":
        """All of them as an admin ordered them."""
        return self.select_related("provider", "preset").order_by(*ADMINS_ORDER)

    def next_position(self) -> int:
        """Where a new model stands: behind the others, once somebody has put them in order."""
        last: int | None = self.aggregate(models.Max("position"))["position__max"]
        return last + 1 if last else 0

    def offered_by_id(self, user: AnyUser, model: uuid.UUID) -> "LanguageModel | None":
        """The one of `for_user` with this public id. With its preset, and without its provider,
        whose key would have to be decrypted."""
        rows = self._offered_by_id(user.pk or NOBODY, model)
        return next(iter(without_withheld(rows, partial(holds, user, CHANGE_PROVIDER))), None)

    @prepared.rows
    def _offered_by_id(self, user: int, model: uuid.UUID) -> "models.QuerySet[LanguageModel]":
        one = self.offered().filter(public_id=model)
        one = one.annotate(is_withheld=is_withheld(LanguageModel, user))
        return one.select_related(None).select_related("preset")


class LanguageModel(Checkable):
    """A model id at a provider, and how to speak with it.

    A check is a test or a probe. `probed` holds what the last probe found, under the names of the
    columns that it is to fill where an admin has chosen nothing.
    """

    class Dialect(models.TextChoices):
        AUTO = "auto"
        NATIVE = "native"
        NOUS = "nous"
        FUNCTIONS = "functions"
        ANTHROPIC = "anthropic"

    class ReturnsReasoning(models.TextChoices):
        NEVER = "never"
        TOOL_ROUNDS = "tool_rounds"
        ALWAYS = "always"

    class WindowSource(models.TextChoices):
        ADMIN = "", later("set by an admin")
        LISTING = "listing", later("as the endpoint lists it")
        SERVER = "server", later("as the server runs it")

    class PriceSource(models.TextChoices):
        ADMIN = "", later("set by an admin")
        LISTING = "listing", later("as the endpoint lists it")
        LIBRARY = "library", later("from the price list of genai-prices")

    taken_within = MAX_CHECK_WAIT
    silent_within = MAX_CHECK_SILENCE

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="language_models")
    name = models.CharField(max_length=200, help_text="The id that the provider knows.")
    label = models.CharField(max_length=80, blank=True, default="")
    dialect = models.CharField(max_length=16, choices=Dialect.choices, default=Dialect.NATIVE)
    preset = models.ForeignKey(Preset, on_delete=models.SET_NULL, null=True, blank=True)
    # Canonical: temperature, top_p, max_tokens, stop, seed, reasoning_effort; what stands under
    # `extra` goes into the request's body as it is.
    parameters = JSONTextField(default=dict, blank=True)
    # Names of the parameters that people may set for a conversation; null for all.
    open_parameters = JSONTextField(null=True, blank=True, default=None)
    context_window = models.PositiveIntegerField(null=True, blank=True, help_text="Tokens.")
    window_source = models.CharField(
        max_length=8, choices=WindowSource.choices, blank=True, default=""
    )
    # In tokens: what the provider named when it refused a request for its length, else an estimate
    # of what it may take. Counts where no admin has set a window since.
    refused_window = models.PositiveIntegerField(null=True, blank=True)
    refused_is_estimate = models.BooleanField(default=False)
    refused_at = models.DateTimeField(null=True, blank=True)
    # US dollars for a million tokens.
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_cached = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_source = models.CharField(
        max_length=8, choices=PriceSource.choices, blank=True, default=""
    )
    takes_tools = models.BooleanField(default=True)
    takes_images = models.BooleanField(default=False)
    returns_reasoning = models.CharField(
        max_length=16, choices=ReturnsReasoning.choices, default=ReturnsReasoning.NEVER
    )
    # Jinja, as in a Hugging Face tokenizer; empty means Qwen2.5's (dialect `chatml`).
    chat_template = models.TextField(blank=True, default="")
    probed = JSONTextField(default=dict, blank=True)
    check_error = models.TextField(blank=True, default="")
    check_trace = models.ForeignKey(
        Trace, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    # Whether it gives the conversations of all models their titles.
    is_for_titles = models.BooleanField(default=False)
    position = models.PositiveIntegerField(default=0)
    groups = models.ManyToManyField(Group, blank=True, related_name="language_models")

    objects = LanguageModelQuerySet.as_manager()

    class Meta:
        constraints = (
            *Checkable.Meta.constraints,
            models.CheckConstraint(
                condition=Q(dialect__in=["auto", "native", "nous", "functions", "anthropic"]),
                name="model_dialect_known",
            ),
            models.CheckConstraint(
                condition=Q(returns_reasoning__in=["never", "tool_rounds", "always"]),
                name="model_returns_reasoning_known",
            ),
            models.CheckConstraint(
                condition=Q(window_source__in=["", "listing", "server"]),
                name="model_window_source_known",
            ),
            models.CheckConstraint(
                condition=Q(price_source__in=["", "listing", "library"]),
                name="model_price_source_known",
            ),
            models.UniqueConstraint(fields=["provider", "name"], name="model_once_a_provider"),
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="model_one_default"
            ),
            models.UniqueConstraint(
                fields=["is_for_titles"],
                condition=Q(is_for_titles=True),
                name="model_one_for_titles",
            ),
        )

    def __str__(self) -> str:
        return self.label or self.name

    def get_absolute_url(self) -> str:
        return reverse("providers:model", args=[self.public_id])

    @property
    def has_prices(self) -> bool:
        return any(p is not None for p in (self.price_in, self.price_cached, self.price_out))

    @property
    def has_own_window(self) -> bool:
        """Whether an admin has set the context window."""
        return bool(self.context_window) and not self.window_source

    @property
    def known_window(self) -> int | None:
        """In tokens: what an admin set, else the least of what the server told and refused."""
        if self.has_own_window:
            return self.context_window
        return min(filter(None, (self.context_window, self.refused_window)), default=None)

    @property
    def longest_message(self) -> int | None:
        """Tokens that a message may have: the window, where it is more than an estimate."""
        if self.refused_is_estimate and not self.has_own_window:
            return self.context_window
        return self.known_window

    def own_window(self) -> None:
        """The window is an admin's from now on, and what was learned is forgotten. Not saved."""
        self.window_source = self.WindowSource.ADMIN
        self.refused_window = self.refused_at = None
        self.refused_is_estimate = False

    @property
    def speaks(self) -> str:
        """The name of the dialect to use: the chosen one, else the probed. The Messages API knows
        its own alone, and nobody else knows that one."""
        if self.provider.protocol == "anthropic":
            return self.Dialect.ANTHROPIC
        chosen = self.probed.get("dialect") if self.dialect == self.Dialect.AUTO else self.dialect
        return str(self.Dialect.NATIVE if chosen in (None, self.Dialect.ANTHROPIC) else chosen)

    @property
    def reads_images(self) -> bool:
        """Whether images can be sent: the model takes them, and its dialect has a form for them."""
        return self.takes_images and self.speaks in (self.Dialect.NATIVE, self.Dialect.ANTHROPIC)
