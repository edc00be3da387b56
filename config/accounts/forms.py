"""allauth's forms without its link to the reset of a password, which our pages show where e-mail is
sent."""

from typing import Any

from allauth.account import forms


class SignInForm(forms.LoginForm):  # type: ignore[misc]  # allauth is not typed
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""


class ReauthenticateForm(forms.ReauthenticateForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""
