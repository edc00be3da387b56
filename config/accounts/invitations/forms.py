from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from config.accounts.roles import ASSIGNABLE, Role
from languages.later import later
from limits.web import MAX_INVITATION_DAYS

OTHER_DOMAIN = later("Addresses of other domains cannot sign up here. Ask an admin to invite you.")
NOT_THE_SAME = later("The two passwords differ. Type the same one twice.")


class InvitationForm(forms.Form):
    """What an admin says of a new invitation."""

    email = forms.EmailField(label=_("E-mail"), required=False, max_length=254)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=[(role.value, role.label) for role in ASSIGNABLE],
        initial=Role.MEMBER.value,
    )
    groups = forms.ModelMultipleChoiceField(
        Group.objects.order_by("name"),
        label=_("Groups"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        label=_("Days until it expires"), min_value=1, max_value=MAX_INVITATION_DAYS, initial=7
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["email"].help_text = (
            _("The link is sent there. Without an address it is shown to you.")
            if settings.HAS_MAIL
            else _("A note for you: this server sends no mail, so the link is shown to you.")
        )


class AcceptForm(forms.Form):
    """Name and password of who was invited."""

    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password1 = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    password2 = forms.CharField(
        label=_("Password, again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        name: str = get_adapter().clean_username(self.cleaned_data["username"])
        return name

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        first, second = values.get("password1"), values.get("password2")
        if first and second and first != second:
            self.add_error("password2", str(NOT_THE_SAME))
        if first:
            try:
                validate_password(first, User(username=values.get("username", "")))
            except ValidationError as error:
                self.add_error("password1", error)
        return values


class AskForm(forms.Form):
    """An address of one of the domains that may sign up (`SIGNUP_DOMAINS`)."""

    email = forms.EmailField(
        label=_("E-mail"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email.rpartition("@")[2].lower() not in settings.SIGNUP_DOMAINS:
            raise ValidationError(str(OTHER_DOMAIN))
        return email
