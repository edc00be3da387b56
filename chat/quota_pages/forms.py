"""The form of a limit: whom, what, how much."""

from typing import Any

from django import forms
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import QuotaRule
from chat.quotas import kinds
from limits.quotas import MAX_QUOTA

Scope = QuotaRule.Scope


class LimitForm(forms.Form):
    """`cleaned_data` has `kind`, `amount` (None: no limit), and `group` and `user`, at most one of
    which is given."""

    scope = forms.ChoiceField(label=_("For"), choices=Scope.choices)
    group = forms.ModelChoiceField(
        label=_("Group"), queryset=Group.objects.order_by("name"), required=False
    )
    person = forms.CharField(label=_("Person"), required=False, max_length=150)
    kind = forms.ChoiceField(label=_("Limit"), choices=QuotaRule.Kind.choices)
    amount = forms.CharField(
        label=_("Amount"),
        required=False,
        max_length=40,
        help_text=_("Such as 20, $5 or 2 GB. Blank: no limit, whatever a wider limit says."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        group = self.fields["group"]
        assert isinstance(group, forms.ModelChoiceField)
        group.empty_label = "–"
        self.fields["person"].widget.attrs |= {"list": "people", "autocomplete": "off"}
        self.fields["amount"].widget.attrs |= {"autocomplete": "off"}
        self.fields["amount"].widget.attrs |= {"inputmode": "text"}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        scope = data.get("scope")
        data["user"] = self._person(data.get("person", "")) if scope == Scope.PERSON else None
        if scope == Scope.GROUP and not data.get("group") and "group" not in self.errors:
            self.add_error("group", gettext("Choose a group."))
        if scope != Scope.GROUP:
            data["group"] = None
        data["amount"] = self._amount(data.get("kind", ""), data.get("amount") or "")
        return data

    def _person(self, name: str) -> User | None:
        user = User.objects.filter(username=name.strip()).first() if name.strip() else None
        if user is None:
            self.add_error("person", gettext("There is nobody with this name."))
        return user

    def _amount(self, kind: str, text: str) -> int | None:
        if not text.strip() or not kind:
            return None
        amount = kinds.parse(kind, text)
        if amount is None or amount > MAX_QUOTA:
            problem = gettext("Write a number from 0 to %(most)s.")
            self.add_error(
                "amount", ValidationError(problem % {"most": kinds.text(kind, MAX_QUOTA)})
            )
        return amount


def of_rule(rule: QuotaRule) -> LimitForm:
    """The form with which a limit is changed."""
    amount = "" if rule.amount is None else kinds.written(rule.kind, rule.amount)
    return LimitForm(
        initial={
            "scope": rule.scope,
            "group": rule.group_id,
            "person": rule.user.get_username() if rule.user else "",
            "kind": rule.kind,
            "amount": amount,
        }
    )
