"""The form of a preset. What was typed stays, whatever is wrong with it."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from chat import storage
from chat.agent.limits import inherited
from chat.errors import Rejected
from chat.models import LanguageModel, Preset, Skill
from chat.presets.fields import LimitsForm, PatternsField, PoliciesField, StartersField
from db.users import AnyUser
from languages.later import later
from limits.chat import MAX_SYSTEM_PROMPT
from tools.catalogue import registry, switches
from tools.local.agent import SEARCH_TOOLS
from tools.models import Policy, Server

BLANK_ROWS = 2
NAME_TAKEN = later("An assistant with this name already exists. Choose another name.")
ALL, CHOSEN = "all", "chosen"
# Lists of a preset: null is all of them, else those that are chosen or fit a pattern.
LISTS = ("tools", "servers", "skills")
# Lists that may hold patterns.
PATTERNS = ("tools", "skills")


class PresetForm(forms.ModelForm):
    tools_mode = forms.ChoiceField(
        label=later("Tools"),
        widget=forms.RadioSelect,
        choices=[
            (ALL, later("All except those offered by name only")),
            (CHOSEN, later("Only these")),
        ],
    )
    servers_mode = forms.ChoiceField(
        label=later("MCP servers"),
        widget=forms.RadioSelect,
        choices=[(ALL, later("Any")), (CHOSEN, later("Only tools of these"))],
    )
    skills_mode = forms.ChoiceField(
        label=later("Skills"),
        widget=forms.RadioSelect,
        choices=[(ALL, later("All that are switched on")), (CHOSEN, later("Only these"))],
    )
    tools_chosen = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    servers_chosen = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    skills_chosen = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    tools_patterns = PatternsField(
        label=later("Other names and patterns of tools"),
        required=False,
        help_text=later(
            "One per line, such as sqlite-* for all tools of a server. Names that do not "
            "exist yet are kept and apply once they do."
        ),
    )
    skills_patterns = PatternsField(
        label=later("Other names and patterns of skills"),
        required=False,
        help_text=later("One a line."),
    )
    policies = PoliciesField(label=later("Policies"), required=False)
    starters = StartersField(
        widget=forms.Textarea(attrs={"rows": 4}),
        label=later("Starters"),
        required=False,
        help_text=later(
            "Suggestions for the first message, one per line. The first four are shown."
        ),
    )

    class Meta:
        model = Preset
        fields = ("name", "description", "system_prompt", "model")
        help_texts: ClassVar = {
            "description": later("What it is for, in one sentence. Shown where people choose."),
            "system_prompt": later("Instructions that the model reads first."),
            "model": later(
                "Selected together with the assistant; people may choose another model."
            ),
        }
        widgets: ClassVar = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "system_prompt": forms.Textarea(attrs={"rows": 10}),
        }

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        preset = self.instance
        if preset.pk is None and preset.owner_id is None:
            preset.owner = user
        model = self.fields["model"]
        assert isinstance(model, forms.ModelChoiceField)
        model.queryset = LanguageModel.objects.for_user(user)
        model.empty_label = gettext("Any")
        self.fields["starters"].initial = preset.starters
        self.fields["policies"].initial = preset.policies
        self.groups = _tools(user)
        self._fill("tools", [name for _, tools in self.groups for name, _ in tools])
        self._fill("servers", _servers(user, preset.servers))
        self._fill("skills", _skills(user))
        self.limits = LimitsForm(
            self.data or None,
            layer=preset.limits if isinstance(preset.limits, dict) else {},
            above=inherited(None, preset.model),
            may_raise=preset.owner_id is None,
        )

    @property
    def policy_rows(self) -> list[Sequence[str]]:
        """What is there or was typed, and some blank ones."""
        return [*(self["policies"].value() or ()), *([["", Policy.ASK.value]] * BLANK_ROWS)]

    @property
    def needs(self) -> list[tuple[str, str]]:
        return list(Policy.choices)

    @property
    def is_owned(self) -> bool:
        """Whether it can only make policies stricter, and ceilings lower."""
        return self.instance.owner_id is not None

    @property
    def chosen_tools(self) -> set[str]:
        return set(self["tools_chosen"].value() or ())

    def is_valid(self) -> bool:
        own = super().is_valid()
        return self.limits.is_valid() and own

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        same = Preset.objects.filter(owner=self.instance.owner_id, name=name)
        if same.exclude(pk=self.instance.pk).exists():
            raise ValidationError(NAME_TAKEN)
        return name

    def clean_system_prompt(self) -> str:
        prompt: str = self.cleaned_data["system_prompt"].replace("\r\n", "\n")
        if len(prompt) > MAX_SYSTEM_PROMPT:
            raise ValidationError(
                gettext("It has %(count)s characters; the limit is %(most)s.")
                % {"count": f"{len(prompt):,}", "most": f"{MAX_SYSTEM_PROMPT:,}"}
            )
        if self.is_owned:
            try:
                storage.check_upload(self.user.pk, len(prompt))
            except Rejected as error:
                raise ValidationError(str(error)) from None
        return prompt

    def save(self, commit: bool = True) -> Preset:
        for name in LISTS:
            setattr(self.instance, name, self._list(name))
        self.instance.policies = self.cleaned_data["policies"]
        self.instance.starters = self.cleaned_data["starters"]
        self.instance.limits = self.limits.layer
        saved: Preset = super().save(commit)
        return saved

    def _fill(self, name: str, known: Sequence[str]) -> None:
        stored = getattr(self.instance, name)
        chosen = self.fields[f"{name}_chosen"]
        assert isinstance(chosen, forms.MultipleChoiceField)
        chosen.choices = [(one, one) for one in known]
        self.fields[f"{name}_mode"].initial = ALL if stored is None else CHOSEN
        chosen.initial = [one for one in stored or () if one in known]
        if name in PATTERNS:
            others = [one for one in stored or () if one not in known]
            self.fields[f"{name}_patterns"].initial = others

    def _list(self, name: str) -> list[str] | None:
        if self.cleaned_data[f"{name}_mode"] == ALL:
            return None
        patterns = self.cleaned_data[f"{name}_patterns"] if name in PATTERNS else []
        return list(dict.fromkeys([*self.cleaned_data[f"{name}_chosen"], *patterns]))


def _tools(user: AnyUser) -> list[tuple[str, list[tuple[str, str]]]]:
    """Servers and their tools, as name and a note; those of this program have no server."""
    off = {one.tool.name: one for one in switches.built_in() if not one.is_usable}
    groups: dict[str, list[tuple[str, str]]] = {"": []}
    for one in switches.built_in():
        if one.tool.name == SEARCH_TOOLS.name:
            continue  # which comes along by itself where it is needed
        note = "off" if one.tool.name in off else gettext("by name only") if one.tool.opt_in else ""
        groups[""].append((one.tool.name, note))
    for tool in registry.usable(user):
        if tool.server:
            groups.setdefault(tool.server, []).append((tool.name, ""))
    return list(groups.items())


def _servers(user: AnyUser, stored: Any) -> list[str]:
    """Those that the user may use, and those that are named already."""
    usable = Server.objects.for_user(user).filter(enabled=True).values_list("name", flat=True)
    return list(dict.fromkeys([*usable, *(stored or ())]))


def _skills(user: AnyUser) -> list[str]:
    return list(Skill.objects.for_user(user).values_list("name", flat=True))
