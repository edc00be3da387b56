"""Connecting an account: one sign-in, from the button to tokens.

    web: ask ──► row `open` ──ring──► worker: run ──► `authorization_url` is written
    browser: goes there, comes back to our callback ──► `returned` ──► worker: exchanges the code
    ──► the account has tokens, the row is gone       or any failure ──► row `failed`, with a reason

This is the web's half, which does without the MCP client; the worker's is `tools.signing_in`.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tools.models import Server, SignIn

logger = logging.getLogger(__name__)

LASTS = timedelta(minutes=10)
LATE = f"nobody came back within {LASTS.seconds // 60} minutes"
State = SignIn.State


def ask(server: Server, user_pk: int, redirect_uri: str) -> SignIn:
    """Begin a sign-in of this user; one that is under way is given up."""
    cancel(server, user_pk)
    begun = SignIn.objects.create(
        server=server, user_id=user_pk, returned={"redirect_uri": redirect_uri}
    )
    transaction.on_commit(lambda: _ring(begun.pk))
    return begun


def cancel(server: Server, user_pk: int) -> None:
    SignIn.objects.filter(server=server, user=user_pk).delete()


def current(server: Server, user_pk: int) -> SignIn | None:
    """The sign-in that is under way, or how the last one failed."""
    found = SignIn.objects.filter(server=server, user=user_pk).order_by("-pk").first()
    if found is not None and found.state != State.FAILED and _is_over(found):
        found.state, found.error = State.FAILED, LATE
    return found


def _is_over(row: SignIn) -> bool:
    return bool(timezone.now() - row.created > LASTS)


def came_back(user_pk: int, query: Mapping[str, str]) -> SignIn | None:
    """Take what the authorization server sent the browser back with; None if this user did not
    begin that sign-in, or it is over."""
    token = query.get("state", "")
    rows = SignIn.objects.filter(user=user_pk, state_token=token, state=State.OPEN)
    row = rows.select_related("server").first() if token else None
    if row is None or _is_over(row):
        return None
    if error := query.get("error"):
        said = query.get("error_description", "")
        row.error = f"the authorization server answered {error}{': ' if said else ''}{said}"[:500]
        changes: dict[str, Any] = {"state": State.FAILED, "error": row.error}
    else:
        given = {key: query[key] for key in ("code", "state", "iss") if key in query}
        changes = {"state": State.RETURNED, "returned": given}
    return row if rows.filter(pk=row.pk).update(**changes) else None


def _ring(sign_in_pk: int) -> None:
    try:
        current_app.send_task(
            "tools.sign_in", args=(sign_in_pk,), queue="tools", ignore_result=True, retry=False
        )
    except (OperationalError, OSError) as error:
        logger.warning("Redis is out of reach (%s)", error)
        fail(sign_in_pk, "it could not be handed to the worker: Redis is out of reach")


def fail(sign_in_pk: int, why: str) -> None:
    rows = SignIn.objects.filter(pk=sign_in_pk).exclude(state=State.FAILED)
    rows.update(state=State.FAILED, error=why[:500], returned={})
