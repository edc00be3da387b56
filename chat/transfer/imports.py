"""Imports, the jobs that read an uploaded file for a preview and write what is in it."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

import jobs
from audit.models import Action
from audit.recording import record
from chat import storage
from chat.commands import organising
from chat.errors import Rejected
from chat.models import Conversation, Import
from chat.transfer import spooling
from chat.transfer.spooling import Readable
from jobs import State
from languages.stored import stored
from limits.transfer import MAX_IMPORT_AGE, MAX_KEPT_IMPORTS

# Conversations that are deleted in one transaction.
_UNDONE_AT_ONCE = 20

IMPORT = jobs.Kind(
    model=Import,
    task="chat.import",
    queue="tools",
    unreachable=stored("Redis is unreachable, so nothing was imported. Try again later."),
    not_taken=stored("No worker took it. Check that the worker for tools is running."),
    worker_gone=stored("The worker stopped meanwhile. What it had imported is deleted. Try again."),
    wait_in_line=True,
)


def upload(user: User, name: str, length: int, source: Readable) -> Import:
    """Keeps an uploaded file, and asks a worker to read it for the preview. Raises `Rejected`."""
    refuse_several(user)
    storage.check_disk(length)
    row = Import(user=user, name=name, size=length)
    row.size = spooling.keep(row.public_id, source)
    try:
        jobs.ask(IMPORT, row, user.pk, get_language())
    except BaseException:
        spooling.remove(row.public_id)
        raise
    _forget(user)
    return row


def begin(row: Import, *, skips_broken: bool) -> bool:
    """Asks a worker to write what the preview found; False if that is not due."""
    previewed = Import.objects.filter(step=Import.Step.PREVIEW, state=State.SUCCEEDED)
    step = {"step": Import.Step.IMPORT, "bytes_read": 0, "stop_requested": False}
    asked: Any = {"skips_broken": skips_broken, **step}
    is_asked = jobs.ask(IMPORT, row, row.user_id, get_language(), among=previewed, **asked)
    if is_asked:
        record(Action.IMPORTED, row.user, row)
    return is_asked


def cancel(row: Import) -> None:
    """Stops an import that is under way, which deletes what it has written, or forgets one that is
    not; the file goes in both cases."""
    if Import.objects.filter(pk=row.pk, state=State.RUNNING).update(stop_requested=True):
        return
    spooling.remove(row.public_id)
    Import.objects.filter(pk=row.pk).exclude(state=State.RUNNING).delete()


def undo(row: Import) -> int:
    """Deletes what an import has written, and forgets where it came from; how many."""
    written = Conversation.objects.filter(origin__imported_by=row)
    count = 0
    while keys := list(written.values_list("pk", flat=True)[:_UNDONE_AT_ONCE]):
        with transaction.atomic():
            Conversation.objects.filter(pk__in=keys).delete()
        count += len(keys)
    organising.forget_unused_tags(row.user)
    return count


def undo_unfinished() -> None:
    """Deletes what imports had written whose worker is gone."""
    unfinished = Q(step=Import.Step.IMPORT, state__in=[State.FAILED, State.STOPPED])
    for row in Import.objects.filter(unfinished, origins__isnull=False).distinct():
        undo(row)


def sweep() -> None:
    """Forgets uploads that nobody imported, and removes files whose imports are no more."""
    old = Import.objects.filter(created__lt=timezone.now() - MAX_IMPORT_AGE)
    old.exclude(state__in=jobs.OPEN).exclude(step=Import.Step.IMPORT).delete()
    waiting = Import.objects.filter(Q(state__in=jobs.OPEN) | Q(step=Import.Step.PREVIEW))
    spooling.remove_others(waiting.values_list("public_id", flat=True))


def _forget(user: User) -> None:
    """Deletes the oldest imports of the user, and their files."""
    own = Import.objects.for_user(user).exclude(state__in=jobs.OPEN)
    for old in own.order_by("-id")[MAX_KEPT_IMPORTS:]:
        spooling.remove(old.public_id)
        old.delete()


def refuse_several(user: User) -> None:
    """Raises `Rejected` while another import of the user is under way."""
    if Import.objects.for_user(user).filter(state__in=jobs.OPEN).exists():
        raise Rejected(_("Another import is under way. Wait until it is over, or stop it."))
