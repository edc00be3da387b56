"""Deleting an account: asked for by its person, carried out by the `tools` worker, with a receipt.

From the moment it is asked for the account is inactive and signed out everywhere. Rows and files
go first, then what they leave in storage. A worker that dies is followed by another one, which goes
on.
"""

import logging

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

import jobs
from audit.models import Action
from audit.recording import record
from chat import turn_facts
from chat.errors import Rejected
from chat.models import AccountDeletion, Turn
from chat.own_data import deleting
from languages.stored import stored
from tracing.retention import erasing

logger = logging.getLogger(__name__)

DELETION = jobs.Kind(
    model=AccountDeletion,
    task="chat.delete_account",
    queue="tools",
    unreachable=stored("Redis is unreachable; the deletion goes on when it is back."),
    not_taken=stored("No worker took it; the deletion goes on when one is there."),
    worker_gone=stored("The worker stopped meanwhile; the deletion goes on."),
)


def ask(user: User, by: User | None = None) -> AccountDeletion:
    """Deactivates the account and asks a worker to delete everything. Raises `Rejected` for the
    last admin."""
    with transaction.atomic():
        if user.is_superuser:
            refuse_last_admin(user)
        User.objects.filter(pk=user.pk).update(is_active=False)
        row = AccountDeletion(user=user)
        jobs.ask(DELETION, row, user.pk)
        record(Action.ACCOUNT_DELETED if by else Action.ACCOUNT_DELETION_ASKED, by or user, user)
    sign_out(user)
    stop_turns(user)
    return row


def refuse_last_admin(user: User) -> None:
    """Raises `Rejected` for the only active admin. In a transaction: locks the rows of the admins,
    so that of two who leave at once one stays."""
    admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    if set(admins.order_by("pk").values_list("pk", flat=True)) <= {user.pk}:
        raise Rejected(
            _("You are the only admin. Make somebody else one first, or nobody could administer.")
        )


def go_on() -> None:
    """Asks again for deletions whose worker is gone, or that no queue took."""
    overdue = jobs.overdue(AccountDeletion)
    failed = AccountDeletion.objects.filter(state=jobs.State.FAILED)
    for row in [*overdue, *failed]:
        jobs.ask(DELETION, row, row.user_id or 0)


def run(pk: int) -> None:
    """Deletes, unless another worker has taken it."""
    row = jobs.take(DELETION, pk, "user")
    if row is None:
        return
    try:
        with jobs.keep_alive(DELETION, row):
            if row.user is not None:
                deleting.delete_all(row.user, row)
            for step in erasing.steps():
                row.steps[step] = timezone.now().isoformat(timespec="seconds")
                AccountDeletion.objects.filter(pk=row.pk).update(steps=row.steps)
        jobs.finish(DELETION, row)
    except Exception:
        logger.exception("deletion %s failed; it is tried again", row.public_id)
        jobs.finish(DELETION, row, DELETION.worker_gone)
    finally:
        connection.close()


def sign_out(user: User) -> int:
    """Deletes the user's sessions, which do not refer to users by a column; how many."""
    keys = [
        session.session_key
        for session in Session.objects.all().iterator(chunk_size=500)
        if str(session.get_decoded().get("_auth_user_id")) == str(user.pk)
    ]
    return Session.objects.filter(session_key__in=keys).delete()[0]


def stop_turns(user: User) -> None:
    for turn in Turn.objects.open().filter(Q(user=user) | Q(author=user)):
        turn_facts.stop(turn)
