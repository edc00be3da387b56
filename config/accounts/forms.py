"""allauth's forms without its link to the reset of a password, which our pages show where e-mail is
sent, and with what a new password can end."""

from typing import Any

from allauth.account import forms
from django.forms import BooleanField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokens.programs.commands import count_access, end_access


class SignInForm(forms.LoginForm):  # type: ignore[misc]  # allauth is not typed
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""


class ReauthenticateForm(forms.ReauthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""


class _EndsAccess:
    """Of a form with a new password: sessions end with the old one, what programs have if asked."""

    user: Any
    fields: Any
    cleaned_data: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if count := count_access(self.user) if self.user else 0:
            self.fields["end_access"] = BooleanField(
                label=ngettext(
                    "End the %(count)s API token or connected program, too",
                    "End the %(count)s API tokens and connected programs, too",
                    count,
                )
                % {"count": count},
                help_text=_("Do so if somebody may have known the old password."),
                required=False,
            )

    def save(self) -> None:
        super().save()  # type: ignore[misc]  # of the form beside it
        if self.cleaned_data.get("end_access"):
            end_access(self.user)


class ChangePasswordForm(_EndsAccess, forms.ChangePasswordForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].help_text = ""


class SetPasswordForm(_EndsAccess, forms.SetPasswordForm):  # type: ignore[misc]
    pass


class ResetPasswordForm(_EndsAccess, forms.ResetPasswordKeyForm):  # type: ignore[misc]
    pass
