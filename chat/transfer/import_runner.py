"""Running an import, in the `tools` worker: one conversation is in memory at a time."""

import logging
import time
from typing import BinaryIO

from django.db import connection
from django.utils import translation
from django.utils.translation import gettext as _

import jobs
from chat import storage
from chat.errors import Rejected
from chat.models import Import
from chat.transfer import reading, spooling
from chat.transfer.errors import BrokenFile
from chat.transfer.imports import IMPORT, undo
from chat.transfer.plan import Plan
from chat.transfer.preview import Preview
from chat.transfer.storing import Known, is_stored, store

logger = logging.getLogger(__name__)

# Seconds between two reports of how far it is, which also ask whether to stop.
REPORT_S = 0.5
# Longest pause after a conversation, in seconds: other writers get their turn.
PAUSE_S = 0.05


class _Stopped(Exception):
    """The person stopped the import, or another worker has it."""


def run(pk: int, language: str | None = None) -> None:
    """Runs one step, unless another worker has taken it; ends it whatever happens."""
    row = jobs.take(IMPORT, pk, "user")
    if row is None:
        return
    is_preview = row.step == Import.Step.PREVIEW
    with jobs.keep_alive(IMPORT, row), translation.override(language):
        try:
            _preview(row) if is_preview else _import(row)
        except _Stopped:
            _fail(row, is_stopped=True)
        except Rejected as error:
            _fail(row, str(error))
        except FileNotFoundError:
            _fail(row, _("The uploaded file is gone. Upload it again."))
        except Exception:
            logger.exception("import %s failed", row.public_id)
            _fail(row, _("Something went wrong on the server; the log says what. Try again."))
    connection.close()


def _fail(row: Import, error: str = "", *, is_stopped: bool = False) -> None:
    """Ends the import; what it has written is deleted first."""
    if row.step == Import.Step.IMPORT:
        undo(row)
    jobs.finish(IMPORT, row, error, is_stopped=is_stopped)
    spooling.remove(row.public_id)


def _preview(row: Import) -> None:
    row.size = spooling.unpack(row.public_id)
    Import.objects.filter(pk=row.pk).update(size=row.size)
    progress, preview = _Progress(row), Preview(row.user)
    with spooling.path_of(row.public_id).open("rb") as file:
        for read in reading.conversations(file):
            preview.add(read)
            progress.report(read.end)
    found = preview.found
    if not any(found[name] for name in ("conversations", "repeated", "broken")):
        raise BrokenFile(_("The file has no conversations."))
    jobs.finish(IMPORT, row, found=found, bytes_read=row.size)


def _import(row: Import) -> None:
    storage.check_upload(row.user_id, row.size)
    with spooling.path_of(row.public_id).open("rb") as file:
        importer = _Importer(row, file)
        importer.write_all()
    jobs.finish(
        IMPORT,
        row,
        imported=importer.imported,
        repeated=importer.repeated,
        bytes_read=row.size,
    )
    spooling.remove(row.public_id)


class _Importer:
    def __init__(self, row: Import, file: BinaryIO) -> None:
        self._row = row
        self._file = file
        self._progress = _Progress(row)
        self._known = Known.to(row.user)
        self.imported = self.repeated = 0

    def write_all(self) -> None:
        """Raises `Rejected` at a broken conversation, unless those are skipped."""
        # A second opening: the conversations are read on from where they are.
        with spooling.path_of(self._row.public_id).open("rb") as attached:
            files = reading.AttachedFiles(attached)
            for read in reading.conversations(self._file):
                if read.plan is None and not self._row.skips_broken:
                    names = {"number": read.number, "problem": read.problem}
                    raise Rejected(_("Conversation %(number)s: %(problem)s") % names)
                if read.plan is not None:
                    self._write(read.plan, files)
                self._progress.report(read.end, self.imported)

    def _write(self, plan: Plan, files: reading.AttachedFiles) -> None:
        began = time.monotonic()
        is_new = not is_stored(self._row.user, plan)
        if is_new and store(self._row.user, plan, self._known, files, self._row):
            self.imported += 1
            storage.check_disk()
        else:
            self.repeated += 1
        time.sleep(min(PAUSE_S, (time.monotonic() - began) / 2))


class _Progress:
    """Says how far an import is, now and then."""

    def __init__(self, row: Import) -> None:
        self._row = row
        self._last = time.monotonic()

    def report(self, bytes_read: int, imported: int = 0) -> None:
        """Raises `_Stopped`."""
        if time.monotonic() - self._last < REPORT_S:
            return
        self._last = time.monotonic()
        own = Import.objects.filter(pk=self._row.pk, epoch=self._row.epoch, state="running")
        values = {"bytes_read": bytes_read, "imported": imported}
        if not own.filter(stop_requested=False).update(**values):
            raise _Stopped
