"""The beginning, the beats and the end of a `tools` worker, where machines share no folder."""

import threading
from pathlib import Path

from django.conf import settings

from chat.models import WorkspacePlace
from chat.placement import machines
from chat.placement.answering import FileAnswers
from chat.placement.routing import is_shared
from db.threads import in_database


class Presence:
    """This machine in the list of machines, from `start` to `close`."""

    def __init__(self) -> None:
        self.answers: FileAnswers | None = None
        self._leaving = threading.Event()

    def start(self) -> None:
        if settings.WORKSPACES_KIND == "pinned":
            self.answers = FileAnswers()
            self.answers.start()

    def beat(self) -> None:
        """Every two seconds."""
        if not is_shared():
            in_database(machines.leave if self._leaving.is_set() else machines.beat)

    def stop(self) -> None:
        """The worker begins to end. From a signal handler: the next beat tells the others."""
        self._leaving.set()

    def close(self) -> None:
        """After the last task. What is in object storage is anybody's at once."""
        if is_shared():
            return
        if self.answers is not None:
            self.answers.close()
        in_database(_leave)


def _leave() -> None:
    machines.leave()
    if settings.WORKSPACES_KIND == "stored":
        own = WorkspacePlace.objects.filter(machine=machines.name())
        unstored = Path(settings.WORKSPACES) / ".unstored"
        kept = [file.name for file in unstored.iterdir()] if unstored.is_dir() else []
        own.exclude(conversation__public_id__in=kept).update(machine="")


presence = Presence()
