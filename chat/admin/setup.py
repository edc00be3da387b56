"""Providers, models and assistants to set up; skills and cassettes to look at."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from chat.agent.numbers import problems
from chat.models import CassetteFile, LanguageModel, Preset, Provider, Skill
from chat.presentation.text import one_line
from chat.providers.forms import ProviderForm
from db.admin import FixedAdmin
from db.groups import names_of
from languages.later import later
from tools.grants import FOR_EVERYBODY, GroupsField


@admin.register(Provider)
class ProviderAdmin(admin.ModelAdmin):
    form = ProviderForm
    list_display = ("name", "kind", "base_url", "has_key", "enabled")
    list_filter = ("kind", "enabled")
    search_fields = ("name", "base_url")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Who may only look at it is shown columns as they are: not that of the key."""
        if obj is None or self.has_change_permission(request, obj):
            return super().get_fields(request, obj)
        return ("name", "kind", "base_url", "has_key", "enabled", "shares_objects")

    @admin.display(description=later("has a key"), boolean=True)
    def has_key(self, provider: Provider) -> bool:
        return bool(provider.api_key)


class LanguageModelForm(forms.ModelForm):
    groups = GroupsField(help_text=FOR_EVERYBODY)
    parameters = forms.JSONField(
        required=False, help_text=later('Sent with every request, such as {"temperature": 0.2}.')
    )

    class Meta:
        model = LanguageModel
        fields = (
            "provider",
            "name",
            "label",
            "dialect",
            "preset",
            "parameters",
            "context_window",
            "price_in",
            "price_cached",
            "price_out",
            "takes_tools",
            "takes_images",
            "returns_reasoning",
            "chat_template",
            "enabled",
            "groups",
        )

    def save(self, commit: bool = True) -> LanguageModel:
        if "context_window" in self.changed_data:
            self.instance.own_window()
        saved: LanguageModel = super().save(commit)
        return saved

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Who may only look at a model has a form without fields.
        if "returns_reasoning" in self.fields:
            self.fields["returns_reasoning"].required = False
        preset = self.fields.get("preset")
        if isinstance(preset, forms.ModelChoiceField):
            preset.label = gettext("Default assistant")
            preset.queryset = Preset.objects.filter(owner=None)

    def clean_returns_reasoning(self) -> str:
        return self.cleaned_data["returns_reasoning"] or LanguageModel.ReturnsReasoning.NEVER

    def clean_parameters(self) -> dict[str, Any]:
        parameters = self.cleaned_data["parameters"] or {}
        if not isinstance(parameters, dict):
            raise forms.ValidationError(gettext("Enter a JSON object."))
        return parameters


@admin.register(LanguageModel)
class LanguageModelAdmin(admin.ModelAdmin):
    form = LanguageModelForm
    list_display = ("__str__", "name", "provider", "dialect", "preset", "enabled", "is_default")
    list_filter = ("provider", "dialect", "enabled")
    list_select_related = ("provider", "preset")
    search_fields = ("name", "label", "provider__name")


class PresetForm(forms.ModelForm):
    groups = GroupsField(help_text=FOR_EVERYBODY)
    tools = forms.JSONField(
        required=False,
        help_text=later('Patterns of tool names, such as ["sqlite-*"]. Blank offers every tool.'),
    )
    starters = forms.JSONField(
        required=False, help_text=later("Up to four questions that an empty conversation offers.")
    )
    limits = forms.JSONField(
        required=False, help_text=later('Numbers of the agent, such as {"rounds": 20}.')
    )

    class Meta:
        model = Preset
        fields = ("name", "system_prompt", "tools", "starters", "limits", "groups")

    def clean_limits(self) -> dict[str, Any]:
        given = self.cleaned_data["limits"] or {}
        if found := problems(given):
            raise forms.ValidationError([f"{name}: {told}" for name, told in found.items()])
        return dict(given)

    def clean_tools(self) -> list[str] | None:
        return _strings(self.cleaned_data["tools"])

    def clean_starters(self) -> list[str]:
        return _strings(self.cleaned_data["starters"]) or []


def _strings(value: Any) -> list[str] | None:
    """A list of strings, or None for nothing. Raises ValidationError."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise forms.ValidationError(gettext("Enter a JSON array of strings."))
    return value


@admin.register(Preset)
class PresetAdmin(admin.ModelAdmin):
    form = PresetForm
    list_display = ("name", "beginning")
    search_fields = ("name", "system_prompt")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Preset]:
        """The deployment's and one's own: another person's is nobody else's to see."""
        rows: QuerySet[Preset] = super().get_queryset(request)
        return rows.filter(pk__in=Preset.objects.of_deployment(request.user))

    @admin.display(description=later("system prompt"))
    def beginning(self, preset: Preset) -> str:
        return one_line(preset.system_prompt, 80)


@admin.register(Skill)
class SkillAdmin(FixedAdmin):
    """As the scan of their folders found them; their own pages add, give and remove them."""

    list_display = ("name", "description", "enabled", "uploaded", "problem", "for_whom", "found")
    list_filter = ("enabled", "uploaded", "groups")
    search_fields = ("name", "description", "problem")
    changeable = ("enabled",)
    deletable = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Skill]:
        rows: QuerySet[Skill] = super().get_queryset(request)
        return rows.prefetch_related("groups")

    @admin.display(description=later("for"))
    def for_whom(self, skill: Skill) -> str:
        return ", ".join(names_of(skill)) or gettext("everybody")


@admin.register(CassetteFile)
class CassetteFileAdmin(FixedAdmin):
    """What was uploaded; it goes with its provider."""

    list_display = ("provider", "size", "answers", "uploader", "created")
    list_select_related = ("provider", "uploader")
    search_fields = ("provider__name", "uploader__username")
    deletable = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[CassetteFile]:
        rows: QuerySet[CassetteFile] = super().get_queryset(request)
        return rows.defer("compressed")
