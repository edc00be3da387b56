"""What allauth tells of second factors by its signals, for the audit log."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.http import HttpRequest

from audit.models import Action
from audit.recording import record as record_event
from config.accounts.audit import record


def failed(
    *,
    request: HttpRequest,
    user: User,
    authenticator: Authenticator,
    reauthentication: bool,
    **_: Any,
) -> None:
    """A code was wrong: at the sign-in, or where a person had to prove themselves again."""
    factor = str(authenticator.type)
    record(Action.FAILED, request, user.get_username(), factor=factor, again=reauthentication)


def added(*, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Recovery codes that were made with the first factor. Of the others, and of new codes, the
    account adapter is told by their notices."""
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        record_event(Action.RECOVERY_CODES_MADE, user, user, factor="recovery_codes")
