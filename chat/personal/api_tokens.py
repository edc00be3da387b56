"""The section *API tokens* of the settings."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from db.users import signed_in_user
from limits.api import MAX_LISTED_TOKENS, MAX_TOKEN_NAME
from tokens.commands import Unfit, made_tokens, make_token, scopes_for
from tokens.models import Token

EXPIRIES = (
    ("7", _("7 days")),
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("1 year")),
    ("", _("Never")),
)


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_TOKEN_NAME,
        help_text=_("Of the program that uses it."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"), widget=forms.CheckboxSelectMultiple, choices=()
    )
    days = forms.ChoiceField(label=_("Expires after"), choices=EXPIRIES, required=False)

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "token_%s", **options})
        self.user = user
        scopes = self.fields["scopes"]
        assert isinstance(scopes, forms.MultipleChoiceField)
        scopes.choices = [(scope.value, scope.label) for scope in scopes_for(user)]

    def made(self) -> tuple[Token, str] | None:
        """The token and its secret; None if the form is refused."""
        if not self.is_valid():
            return None
        days = self.cleaned_data["days"]
        try:
            return make_token(
                self.user,
                self.cleaned_data["name"],
                self.cleaned_data["scopes"],
                int(days) if days else None,
            )
        except Unfit as error:
            self.add_error(error.field, str(error))
            return None


def context(request: HttpRequest) -> dict[str, Any]:
    user = signed_in_user(request)
    return {
        "tokens": list(made_tokens(user)[:MAX_LISTED_TOKENS]),
        "form": TokenForm(user=user, initial={"days": "90", "scopes": ["read"]}),
    }
