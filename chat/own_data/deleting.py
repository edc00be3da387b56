"""The deletion of everything of a person, counted as it goes."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import OuterRef, Q, Subquery, Sum

from chat import events, project_folders, workspaces
from chat.files.walking import total
from chat.models import (
    AccountDeletion,
    Attachment,
    Conversation,
    DataArchive,
    Import,
    Message,
    Project,
    ProjectFile,
    Turn,
    UnindexedFile,
)
from chat.own_data import archives
from chat.transfer import spooling
from db.threads import after_commit
from limits.files import MAX_ZIPPED_FILES
from tracing.models import Archive, Metric, Payload, Trace

# Archives that are deleted in one transaction: other writers wait for it.
_AT_ONCE = 5


def delete_all(user: User, receipt: AccountDeletion | None = None) -> None:
    """Deletes all rows and files of a person, and the account; the receipt counts what went. Goes
    on where an earlier one was cut."""
    while keys := list(Archive.objects.filter(owner=user).values_list("pk", flat=True)[:_AT_ONCE]):
        _delete_archives(keys, receipt)
    _remove_files(user)
    with transaction.atomic():
        _leave_to_owners(user)
        counts = Counter(_counts_of_rest(user))
        own_projects = Project.objects.for_user(user).values_list("public_id", flat=True)
        project_folders.remove_after_commit(list(own_projects))
        user_key = str(user.pk)
        counts["sign_in_entries"] += import_module(settings.SIGN_IN_LOG).forget(user)
        used = Q(kind=Metric.Kind.USER, name=user_key)
        used |= Q(kind=Metric.Kind.USER_MODEL, group=user_key)
        counts["rows"] += Metric.objects.filter(used).delete()[0]
        counts["rows"] += user.delete()[0]
        _add(receipt, counts)


def _leave_to_owners(user: User) -> None:
    """What the person wrote in conversations of others stays there, without a name; the attachments
    are counted and searched with their owners from now on."""
    sent = Attachment.objects.filter(owner=user, message__isnull=False)
    elsewhere = sent.exclude(message__conversation__owner=user)
    # Their passages go with the person.
    UnindexedFile.objects.bulk_create(
        UnindexedFile(key=pk) for pk in elsewhere.values_list("pk", flat=True)
    )
    owner = Message.objects.filter(pk=OuterRef("message")).values("conversation__owner")
    elsewhere.update(owner=Subquery(owner))


def _delete_archives(keys: Sequence[int], receipt: AccountDeletion | None) -> None:
    """Deletes archives with their conversations, traces and payloads, and then the workspaces."""
    archived = Archive.objects.filter(pk__in=keys)
    conversations = Conversation.objects.filter(archive__in=keys)
    counts = Counter(_counts_of(keys))
    with transaction.atomic():
        public_ids = list(conversations.values_list("public_id", flat=True))
        workspaces.remove_after_commit(public_ids)
        after_commit(partial(events.forget, public_ids, Turn.objects.latest_ids_in(conversations)))
        counts["rows"] += archived.delete()[0]
        _add(receipt, counts)


def _counts_of(keys: Sequence[int]) -> dict[str, int]:
    conversations = Conversation.objects.filter(archive__in=keys)
    traces = Trace.objects.filter(archive__in=keys)
    payloads = Payload.objects.filter(span__trace__in=traces)
    attachments = Attachment.objects.filter(message__conversation__in=conversations)
    files = [
        total(workspaces.folder(public_id), MAX_ZIPPED_FILES).files
        for public_id in conversations.values_list("public_id", flat=True)
    ]
    return {
        "conversations": conversations.filter(parent_call=None).count(),
        "messages": Message.objects.filter(conversation__in=conversations).count(),
        "traces": traces.count(),
        "payload_bytes": payloads.aggregate(sum=Sum("size"))["sum"] or 0,
        "attachments": attachments.count(),
        "files": sum(files),
    }


def _counts_of_rest(user: User) -> dict[str, int]:
    return {
        "attachments": Attachment.objects.filter(owner=user).count(),
        "projects": Project.objects.for_user(user).count(),
        "project_files": ProjectFile.objects.for_user(user).count(),
    }


def _remove_files(user: User) -> None:
    for archive in DataArchive.objects.for_user(user):
        archives.remove(archive)
    for public_id in Import.objects.for_user(user).values_list("public_id", flat=True):
        spooling.remove(public_id)


def _add(receipt: AccountDeletion | None, counts: Counter[str]) -> None:
    """In the transaction that deletes, so that the receipt is right after a crash too."""
    if receipt is None:
        return
    receipt.counts = dict(Counter(receipt.counts) + counts)
    AccountDeletion.objects.filter(pk=receipt.pk).update(counts=receipt.counts)
