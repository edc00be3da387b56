"""Connecting an account: one sign-in, from the button to tokens.

    web: ask ──ring──► worker: run ──► `authorization_url` is written
    browser: goes there, comes back to our callback ──► `returned` ──► worker: exchanges the code
    ──► the account has tokens, the row is gone       or any failure ──► failed, with a reason

This is the web's half, which does without the MCP client; the worker's is
`tools.accounts.signing_in`.
"""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

import jobs
from jobs import State
from languages.stored import stored
from limits.tools import MAX_SIGN_IN_ERROR
from tools.models import Server, SignIn

LATE = stored("nobody came back within %(seconds)s minutes", seconds=SignIn.LASTS.seconds // 60)

SIGN_IN = jobs.Kind(
    model=SignIn,
    task="tools.sign_in",
    queue="tools",
    unreachable=stored("it could not be handed to the worker: Redis is out of reach"),
    not_taken=stored("no worker took it; check that the worker for tools is running"),
    worker_gone=stored("the worker stopped meanwhile"),
    emptied={"returned": {}},
)


def ask(server: Server, user_pk: int, redirect_uri: str) -> SignIn:
    """Begin a sign-in of this user; one that is under way is given up."""
    cancel(server, user_pk)
    sign_in = SignIn(server=server, user_id=user_pk, returned={"redirect_uri": redirect_uri})
    jobs.ask(SIGN_IN, sign_in)
    return sign_in


def cancel(server: Server, user_pk: int) -> None:
    SignIn.objects.filter(server=server, user=user_pk).delete()


def current(server: Server, user_pk: int) -> SignIn | None:
    """The sign-in that is under way, or how the last one failed."""
    sign_in = SignIn.objects.filter(server=server, user=user_pk).order_by("-pk").first()
    if sign_in is not None and sign_in.is_open and sign_in.is_late:
        sign_in.state, sign_in.error = State.FAILED, LATE
    return sign_in


def came_back(user_pk: int, query: Mapping[str, str]) -> SignIn | None:
    """Take what the authorization server sent the browser back with; None if this user did not
    begin that sign-in, or it is over."""
    token = query.get("state", "")
    rows = SignIn.objects.filter(user=user_pk, state_token=token, came_back=None)
    rows = rows.filter(state__in=jobs.OPEN)
    row = rows.select_related("server").first() if token else None
    if row is None or row.is_late:
        return None
    if error := query.get("error"):
        description = query.get("error_description", "")
        sentence = stored("the authorization server answered %(error)s", error=error)
        sentence += f": {description}" if description else ""
        return (
            row if jobs.end(SIGN_IN, row.pk, State.FAILED, sentence[:MAX_SIGN_IN_ERROR]) else None
        )
    given: dict[str, Any] = {key: query[key] for key in ("code", "state", "iss") if key in query}
    return row if rows.filter(pk=row.pk).update(returned=given, came_back=timezone.now()) else None


def fail(row: SignIn, why: str) -> None:
    jobs.finish(SIGN_IN, row, why[:MAX_SIGN_IN_ERROR])
