"""For whom something is: everybody, or groups of people. The part of a form, and the change."""

from collections.abc import Collection, Iterable
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.db import transaction

from audit.models import Action
from audit.recording import record
from db.groups import names_of
from languages.later import later
from tools.permissions import AnyUser

FOR_EVERYBODY = later("For everybody, unless you choose groups.")


class GroupsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # as at run time
    """Groups to tick; none is everybody."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        rows = Group.objects.order_by("name")
        super().__init__(rows, **{"required": False, "label": later("For"), **options})


class GrantForm(forms.Form):
    """Stands beside the form of a row that has `groups`. A request that did not show the groups
    changes nothing."""

    groups = GroupsField(help_text=FOR_EVERYBODY)
    groups_shown = forms.BooleanField(required=False, widget=forms.HiddenInput, initial=True)

    def __init__(self, posted: Any, row: Any) -> None:
        super().__init__(posted)
        self._row = row
        self.fields["groups"].initial = row.groups.all() if row.pk else ()

    @property
    def has_choice(self) -> bool:
        """Whether there is any group."""
        field = self.fields["groups"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        return field.queryset is not None and field.queryset.exists()

    def give(self, actor: AnyUser) -> None:
        """Gives the row, which is saved by now. The form has to be valid."""
        if self.cleaned_data["groups_shown"]:
            give(actor, self._row, self.cleaned_data["groups"])


@transaction.atomic
def give(actor: AnyUser, row: Any, groups: Iterable[Group]) -> None:
    """From now on the row is for these groups; for none: for everybody."""
    before = names_of(row)
    chosen = list(groups)
    row.groups.set(chosen)
    if sorted(group.name for group in chosen) != before:
        note(actor, row, before, [group.name for group in chosen])


def note(actor: AnyUser, row: Any, before: Collection[str], after: Collection[str]) -> None:
    """Writes to the audit log for whom a row was, and is."""
    record(Action.GIVEN, actor, row, groups=sorted(after), before=sorted(before))
