"""What an admin says of a provider and of a model. Keys go in and never come out."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.llm.parameters import NAMES
from chat.llm.services import Service
from chat.models import LanguageModel, Preset, Provider
from chat.providers import template_check
from chat.providers.dialects import CHOICES, DialectChoice
from languages.later import later

KEY = re.compile(r"[!-~]+\Z")  # what a header can carry: ASCII without spaces
# People paste the whole address of the call.
ENDINGS = ("/chat/completions", "/messages", "/models", "/")
LABELS = {
    "base_url": later("Base URL"),
    "kind": later("Protocol"),
    "enabled": later("Offer its models in conversations"),
    "shares_objects": later("Members share this key's objects"),
}


class ProviderForm(forms.ModelForm):
    """The key is write-only: it is never sent to a browser, and left as it is if left blank.

    Another base URL needs it again, or a stored key could be sent to anybody's server.
    """

    api_key = forms.CharField(
        required=False,
        label=later("API key"),
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text=later("Stored encrypted and never shown. Leave blank to keep the current key."),
    )
    forget_key = forms.BooleanField(required=False, label=later("Forget the API key"))

    class Meta:
        model = Provider
        fields = (
            *("name", "kind", "base_url", "api_key", "forget_key", "enabled"),
            "shares_objects",
        )
        labels = LABELS
        help_texts: ClassVar = {
            "shares_objects": later(
                "For programs that use the gateway: everybody who may use all models of this "
                "provider may read, change and delete the files, batches, stored responses and "
                "fine-tunes of this key, also those of others, and make any other call to it."
            ),
        }

    def clean_base_url(self) -> str:
        url: str = (self.cleaned_data["base_url"] or "").strip()
        for ending in ENDINGS:
            url = url.removesuffix(ending)
        if url:
            _check_url(url)
        return url

    def clean_api_key(self) -> str:
        key: str = (self.cleaned_data["api_key"] or "").strip()
        if key and not KEY.match(key):
            raise ValidationError(gettext("A key has no spaces and only ASCII characters."))
        return key

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        stored = Provider.objects.filter(pk=self.instance.pk).first()
        if cleaned.get("forget_key"):
            cleaned["api_key"] = self.instance.api_key = ""
        elif not cleaned.get("api_key") and stored is not None:
            moved = stored.base_url.rstrip("/") != cleaned.get("base_url", stored.base_url)
            if moved and stored.api_key:
                self.add_error("api_key", gettext("Enter the key again: the base URL has changed."))
            cleaned["api_key"] = stored.api_key
        return cleaned


class ServiceProviderForm(ProviderForm):
    """The same on the providers' own pages: for a known service, or another server.

    Of a built-in provider there is only to say whether it is offered.
    """

    def __init__(self, *args: Any, service: Service, **options: Any) -> None:
        super().__init__(*args, **options)
        self.service = service
        if self.instance.kind == Provider.Kind.CASSETTE:
            self.fields = {"enabled": self.fields["enabled"]}
            return
        self.fields["kind"] = forms.ChoiceField(
            label=LABELS["kind"],
            choices=[choice for choice in Provider.Kind.choices if choice[0] != "cassette"],
        )
        self.fields["base_url"].required = True
        self.fields["base_url"].widget.attrs |= {"list": "base-urls", "autocomplete": "off"}
        self._describe_key()

    def clean(self) -> dict[str, Any]:
        if "api_key" not in self.fields:
            return self.cleaned_data
        cleaned = super().clean()
        is_new, keyless = self.instance.pk is None, not cleaned.get("api_key")
        if is_new and keyless and self.service.needs_key and "api_key" not in self.errors:
            self.add_error(
                "api_key", gettext("%(label)s needs a key.") % {"label": self.service.label}
            )
        return cleaned

    def save(self, commit: bool = True) -> Provider:
        if not self.instance.pk:
            self.instance.service = self.service.slug
        saved: Provider = super().save(commit)
        return saved

    def _describe_key(self) -> None:
        key, stored = self.fields["api_key"], bool(self.instance.api_key)
        if not stored:
            del self.fields["forget_key"]
            key.help_text = gettext("Stored encrypted and never shown again.")
            if not self.service.needs_key:
                key.help_text += gettext(" Leave it blank if the server asks for none.")
            return
        key.help_text = gettext(
            "A key is stored and never shown. Leave blank to keep it. If you change the base "
            "URL, enter the key again; otherwise it could be sent to another server."
        )


class DialectOption(NamedTuple):
    """A radio button of the form with what explains it."""

    radio: Any
    choice: DialectChoice


_PRICES = {"price_in", "price_cached", "price_out"}


class LanguageModelForm(forms.ModelForm):
    """All of a model but its parameters, which are a form of their own."""

    make_default = forms.BooleanField(
        required=False,
        label=later("Default"),
        help_text=later("New conversations begin with it."),
    )
    make_for_titles = forms.BooleanField(
        required=False,
        label=_("Titles"),
        help_text=_(
            "It names the conversations of all models. A small, cheap model is enough. Without one "
            "each model names its own."
        ),
    )
    people_set = forms.MultipleChoiceField(
        required=False,
        label=_("People may set these for a conversation"),
        choices=[(name, name.replace("_", " ").capitalize()) for name in NAMES],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Maximum tokens at most as many as above."),
    )

    class Meta:
        model = LanguageModel
        fields = (
            "name",
            "label",
            "dialect",
            "preset",
            "context_window",
            "price_in",
            "price_cached",
            "price_out",
            "takes_tools",
            "takes_images",
            "returns_reasoning",
            "chat_template",
            "enabled",
        )
        labels: ClassVar = {
            "name": later("Model id"),
            "label": later("Shown as"),
            "preset": later("Default assistant"),
            "context_window": later("Context window (tokens)"),
            "price_in": later("Input"),
            "price_cached": later("Cached input"),
            "price_out": later("Output"),
            "takes_tools": later("Takes tools"),
            "takes_images": later("Takes images"),
            "returns_reasoning": later("Send its reasoning back"),
            "chat_template": later("Chat template"),
            "enabled": later("Offer it in conversations"),
        }
        help_texts: ClassVar = {
            "name": later("Exactly as the provider spells it."),
            "label": later("Name shown to people. Blank: the id."),
            "preset": later(
                "Used when no assistant is chosen: its system prompt, tools and suggestions."
            ),
            "context_window": later(
                "Blank if unknown: it is then learned from what the server reports. "
                "A value entered here takes precedence."
            ),
            "returns_reasoning": later(
                "Whether its reasoning is sent back, as DeepSeek's thinking "
                "models require within a turn that calls tools."
            ),
            "chat_template": later(
                "Jinja, as in the model's tokenizer_config.json. Traces use it to "
                "show the prompt text that the model reads. Blank: Qwen2.5's template."
            ),
        }
        widgets: ClassVar = {
            "dialect": forms.RadioSelect,
            "chat_template": forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["name"].widget.attrs |= {"list": "listed", "autocomplete": "off"}
        self.fields["make_default"].initial = self.instance.is_default
        self.fields["make_for_titles"].initial = self.instance.is_for_titles
        opened = self.instance.open_parameters
        self.fields["people_set"].initial = list(NAMES) if opened is None else opened
        self._dialects = {
            name: choice
            for name, choice in CHOICES.items()
            if self.instance.provider.kind in choice.kinds
        }
        preset = self.fields["preset"]
        assert isinstance(preset, forms.ModelChoiceField)
        preset.empty_label = gettext("None")
        # A person's own is theirs to change, and nobody else's to see.
        preset.queryset = Preset.objects.filter(owner=None)
        dialect, reasoning = self.fields["dialect"], self.fields["returns_reasoning"]
        assert isinstance(dialect, forms.ChoiceField)
        assert isinstance(reasoning, forms.ChoiceField)
        dialect.choices = [(name, choice.label) for name, choice in self._dialects.items()]
        reasoning.choices = [
            ("never", gettext("Never")),
            ("tool_rounds", gettext("Within a turn that calls tools")),
            ("always", gettext("Always")),
        ]

    @property
    def dialect_options(self) -> Iterator[DialectOption]:
        for radio in self["dialect"]:
            yield DialectOption(radio, self._dialects[radio.data["value"]])

    def save(self, commit: bool = True) -> LanguageModel:
        """A window that an admin writes is theirs, and what was learned is forgotten; so is what
        was probed if the model is another one. `parameters` are saved too."""
        model: LanguageModel = super().save(commit=False)
        if "context_window" in self.changed_data:
            model.own_window()
        if not _PRICES.isdisjoint(self.changed_data):
            model.price_source = model.PriceSource.ADMIN
        elif "name" in self.changed_data and model.price_source == model.PriceSource.LIBRARY:
            model.price_in = model.price_cached = model.price_out = None  # another model's
        if "name" in self.changed_data:
            model.probed = {}
        chosen = self.cleaned_data["people_set"]
        model.open_parameters = None if set(chosen) == set(NAMES) else chosen
        if commit:
            model.save(update_fields=self._columns() if model.pk else None)
        return model

    def _columns(self) -> set[str]:
        """What the form may write. The other columns are a worker's, which may have written them
        since the row was read."""
        columns = {*self.Meta.fields, "parameters", "open_parameters"}
        if "context_window" in self.changed_data:
            columns |= {"window_source", "refused_window", "refused_at", "refused_is_estimate"}
        else:
            columns.discard("context_window")
        if _PRICES.isdisjoint(self.changed_data) and "name" not in self.changed_data:
            columns -= _PRICES
        else:
            columns.add("price_source")
        return columns | {"probed"} if "name" in self.changed_data else columns

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        others = LanguageModel.objects.filter(provider=self.instance.provider, name=name)
        if others.exclude(pk=self.instance.pk).exists():
            raise ValidationError(gettext("This provider already has a model with this id."))
        return name

    def clean_chat_template(self) -> str:
        template: str = self.cleaned_data["chat_template"]
        if template.strip() and (problem := template_check.problem(template)):
            raise ValidationError(problem)
        return template if template.strip() else ""


def _check_url(url: str) -> None:
    """Raises ValidationError unless it is an address that a path can be added to."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\\]", url):
        raise ValidationError(gettext("Write a whole URL that begins with https:// or http://."))
    if parts.username is not None or parts.password is not None:
        raise ValidationError(
            gettext("Leave name and password out of the URL; a key has its own field.")
        )
    if parts.query or parts.fragment:
        raise ValidationError(gettext("Leave out what follows ? or #: paths are added to the end."))
