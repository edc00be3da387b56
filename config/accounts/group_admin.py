"""The admin's page of groups: who is in one, and what it has."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.admin.widgets import FilteredSelectMultiple
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.utils.translation import gettext

from audit.models import Action
from audit.recording import record
from chat.models import LanguageModel, Preset, Skill
from chat.permissions import CHANGE_PRESET, CHANGE_PROVIDER, CHANGE_SKILL
from config.accounts import rank
from db.users import AnyUser
from languages.later import later
from tools import grants
from tools.models import Server
from tools.permissions import CHANGE_SERVER
from tracing.formatting.text import visible
from tracing.permissions import holds

MEMBERS = "members"
HAVE_MORE = later("You cannot change %(names)s, who may do things that you may not.")
HELP = later("What is given to no group at all is for everybody.")
# The fields of what a group has: the kind of row, and the permission to give such.
GIVEN: dict[str, tuple[Any, str]] = {
    "given_presets": (Preset, CHANGE_PRESET),
    "given_models": (LanguageModel, CHANGE_PROVIDER),
    "given_servers": (Server, CHANGE_SERVER),
    "given_skills": (Skill, CHANGE_SKILL),
}
NEEDED = {MEMBERS: "auth.change_user"} | {name: given[1] for name, given in GIVEN.items()}


def givable(model: type[Model]) -> QuerySet[Any]:
    """The rows of a kind that can be given: what belongs to a person is theirs alone, and what is
    for admins alone is for no group."""
    rows = model._default_manager.order_by("pk")
    if model is Server:
        return rows.filter(owner=None).exclude(shared=Server.Shared.STAFF)
    return rows.filter(owner=None) if model is Preset else rows


def _rows(label: Any, rows: QuerySet[Any], **options: Any) -> Any:
    widget = FilteredSelectMultiple(label, is_stacked=False)
    return forms.ModelMultipleChoiceField(
        rows, label=label, required=False, widget=widget, **options
    )


class GroupForm(forms.ModelForm):
    """A group with its members and with what it has. Who may not change a kind of thing, or people,
    sees what there is, and changes nothing of it (`allow`)."""

    members = _rows(later("Members"), User.objects.order_by("username"))
    given_presets = _rows(later("Assistants"), givable(Preset), help_text=HELP)
    given_models = _rows(later("Models"), givable(LanguageModel), help_text=HELP)
    given_servers = _rows(later("MCP servers"), givable(Server), help_text=HELP)
    given_skills = _rows(later("Skills"), givable(Skill), help_text=HELP)

    class Meta:
        model = Group
        fields = ("name", "permissions")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in NEEDED:
            if name in self.fields:  # who may only look has a form without fields
                self.fields[name].initial = had_by(self.instance, name)

    def allow(self, user: AnyUser) -> None:
        """Fields of what this user may not change are shown as they are; permissions that they lack
        are not offered."""
        self._actor = user
        for name, permission in NEEDED.items():
            field = self.fields.get(name)
            if isinstance(field, forms.ModelMultipleChoiceField) and not holds(user, permission):
                field.disabled = True
                field.queryset = had_by(self.instance, name)
        permissions = self.fields.get("permissions")
        if isinstance(permissions, forms.ModelMultipleChoiceField):
            permissions.queryset = rank.givable_permissions(user)

    def clean(self) -> dict[str, Any]:
        """Refuses what would change somebody who has more than whoever changes the group."""
        cleaned = super().clean() or self.cleaned_data
        members = set(had_by(self.instance, MEMBERS))
        changed = members ^ set(cleaned.get(MEMBERS, members))
        if "permissions" in self.changed_data:
            changed |= {user for user in members if not user.is_superuser}
        if above := rank.who_has_more(self._actor, changed):
            names = ", ".join(sorted(visible(user.get_username()) for user in above))
            raise forms.ValidationError(HAVE_MORE, params={"names": names})
        return cleaned

    def give(self, actor: AnyUser) -> None:
        """Stores members and what the group has, with a row of the audit log for each thing. After
        the group itself."""
        for name in NEEDED:
            if name not in self.cleaned_data or self.fields[name].disabled:
                continue
            before, after = set(had_by(self.instance, name)), set(self.cleaned_data[name])
            if name == MEMBERS:
                _set_members(actor, self.instance, before, after)
            else:
                _give(actor, self.instance, before, after)


def had_by(group: Group, name: str) -> QuerySet[Any]:
    """What stands in the field of this name: members, or rows that the group has."""
    model: type[Model] = User if name == MEMBERS else GIVEN[name][0]
    return model._default_manager.filter(groups=group.pk or 0).order_by("pk")


def only_had_by(groups: Iterable[Group]) -> list[str]:
    """What would be for everybody if these groups were deleted, as texts."""
    deleted = {group.pk for group in groups}
    return [
        gettext("%(name)s, which would be for everybody. Give it to another group first.")
        % {"name": row}
        for model, _ in GIVEN.values()
        for row in model._default_manager.filter(groups__in=deleted).distinct()
        if {one.pk for one in row.groups.all()} <= deleted
    ]


def _give(actor: AnyUser, group: Group, before: set[Any], after: set[Any]) -> None:
    for row in before ^ after:
        others = [one for one in row.groups.all() if one != group]
        grants.give(actor, row, [*others, group] if row in after else others)


def _set_members(actor: AnyUser, group: Group, before: set[Any], after: set[Any]) -> None:
    if before != after:
        group.user_set.set(after)
        added = sorted(user.get_username() for user in after - before)
        removed = sorted(user.get_username() for user in before - after)
        record(Action.MEMBERS_CHANGED, actor, group, added=added, removed=removed)
