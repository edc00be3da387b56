"""Settings of who may sign up and sign in, read from the environment."""

import os

from django.core.exceptions import ImproperlyConfigured

from config import environment

SIGNUP_MODES = ("invitation", "closed", "domain", "open")
# Values that SIGNUP had before there were modes.
_OLD = {"1": "open", "0": "closed"}


def signup_mode(has_mail: bool) -> str:
    """Of SIGNUP. Raises `ImproperlyConfigured`: sign-up by domain sends links by e-mail, to
    addresses of SIGNUP_DOMAINS."""
    old = _OLD.get(os.environ.get("SIGNUP", ""))
    mode = old or environment.choice("SIGNUP", SIGNUP_MODES)
    if mode == "domain" and not (has_mail and signup_domains()):
        raise ImproperlyConfigured(
            "SIGNUP=domain needs SIGNUP_DOMAINS, and a mail server (EMAIL_URL or SMTP_HOST) that "
            "sends people of these domains their link."
        )
    return mode


def signup_domains() -> list[str]:
    """Of SIGNUP_DOMAINS, in lower case."""
    names = os.environ.get("SIGNUP_DOMAINS", "").replace(",", " ").split()
    return [name.lower().removeprefix("@") for name in names]
