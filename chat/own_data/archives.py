"""Archives of everything of a person: asked for by a page, written by the `tools` worker, deleted
when they expire."""

import logging
import time
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

import jobs
from audit.models import Action
from audit.recording import record
from chat import storage
from chat.errors import Rejected
from chat.models import Conversation, DataArchive
from chat.own_data import archive_writer
from languages.stored import stored
from limits.transfer import MAX_DATA_ARCHIVE_AGE

logger = logging.getLogger(__name__)

REPORT_S = 1.0
FAILED = stored("The archive could not be written; the log says why. Try again.")
ARCHIVE = jobs.Kind(
    model=DataArchive,
    task="chat.archive_data",
    queue="tools",
    unreachable=stored("Redis is unreachable, so no archive was made. Try again later."),
    not_taken=stored("No worker took it. Check that the worker for tools is running."),
    worker_gone=stored("The worker stopped meanwhile. Try again."),
    wait_in_line=True,
)


def ask(user: User) -> DataArchive:
    """Asks for a new archive, in place of earlier ones; the one that is being made, if there is
    one."""
    open_one = DataArchive.objects.for_user(user).filter(state__in=jobs.OPEN).first()
    if open_one is not None and not open_one.is_overdue:
        return open_one
    for old in DataArchive.objects.for_user(user):
        remove(old)
    row = DataArchive(user=user, total=Conversation.objects.for_user(user).count())
    jobs.ask(ARCHIVE, row, user.pk)
    record(Action.DATA_EXPORTED, user, row)
    return row


def path_of(public_id: UUID) -> Path:
    """Of the zip; the first call creates its folder."""
    folder = Path(settings.HOME) / "archives"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{public_id}.zip"


def remove(row: DataArchive) -> None:
    path_of(row.public_id).unlink(missing_ok=True)
    row.delete()


def sweep() -> None:
    """Removes archives that expired or failed, and files without a row."""
    for row in DataArchive.objects.filter(expires__lt=timezone.now()):
        remove(row)
    names = {f"{one}.zip" for one in DataArchive.objects.values_list("public_id", flat=True)}
    for path in path_of(UUID(int=0)).parent.iterdir():
        if path.name.removesuffix(".part") not in names:
            path.unlink(missing_ok=True)


def run(pk: int) -> None:
    """Writes an archive, unless another worker has taken it; ends it whatever happens."""
    row = jobs.take(ARCHIVE, pk, "user")
    if row is None:
        return
    part = path_of(row.public_id).with_suffix(".zip.part")
    try:
        with jobs.keep_alive(ARCHIVE, row):
            storage.check_disk()
            with part.open("wb") as file:
                archive_writer.write(row.user, file, _Progress(row).report)
            part.replace(path_of(row.public_id))
        length = path_of(row.public_id).stat().st_size
        expires = timezone.now() + MAX_DATA_ARCHIVE_AGE
        jobs.finish(ARCHIVE, row, size=length, done=row.total, expires=expires)
    except Rejected as error:
        jobs.finish(ARCHIVE, row, str(error))
    except Exception:
        logger.exception("archive %s failed", row.public_id)
        jobs.finish(ARCHIVE, row, FAILED)
    finally:
        part.unlink(missing_ok=True)
        connection.close()


class _Progress:
    def __init__(self, row: DataArchive) -> None:
        self._pk = row.pk
        self._last = time.monotonic()

    def report(self, done: int) -> None:
        if time.monotonic() - self._last >= REPORT_S:
            self._last = time.monotonic()
            DataArchive.objects.filter(pk=self._pk).update(done=done)
