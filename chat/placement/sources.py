"""Where copies of a workspace come from and changes go: object storage, or the machine that has
the files."""

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Protocol
from uuid import UUID

from django.conf import settings

from chat.models import Conversation, WorkspacePlace
from chat.placement import manifests, pins
from chat.placement.asking import Changed, ask
from db.threads import in_database
from limits.placement import MAX_FILES_PIECE
from tools.errors import NotThere, ToolError
from tools.workspace import tree
from tools.workspace.manifests import Changes, Item, as_written
from tools.workspace.object_store import StoreError


class Source(Protocol):
    """The files of one workspace."""

    def latest(self) -> tuple[str, bytes]:
        """The name of the latest version, and its encoded manifest. Raises `ToolError`."""

    def read(self, path: str, item: Item) -> Iterator[bytes]:
        """The bytes of a file of that version. Raises `Stale`, `ToolError`."""

    def apply(self, root: Path, changes: Changes) -> None:
        """Takes over what was changed in a copy at `root`. Raises `ToolError`."""


class Stale(ToolError):
    """The version is not the latest any more."""


class StoredSource:
    """Object storage."""

    def __init__(self, workspace: UUID) -> None:
        self.workspace = workspace

    def latest(self) -> tuple[str, bytes]:
        place = in_database(_place, self.workspace)
        return (str(place.version), bytes(place.manifest)) if place else ("0", b"")

    def read(self, path: str, item: Item) -> Iterator[bytes]:
        try:
            yield from manifests.store().read(self.workspace, item.content)
        except StoreError as error:
            raise Stale(str(error)) from error

    def apply(self, root: Path, changes: Changes) -> None:
        contents: dict[str, str] = {}
        for path, item in changes.items():
            if item is not None and item.is_file:
                with tree.open_read(root, path) as file:
                    contents[path] = manifests.store().put(self.workspace, file)
        manifests.commit(
            self.workspace,
            {
                path: item if item is None else as_written({path: item}, contents)[path]
                for path, item in changes.items()
            },
        )


class PinnedSource:
    """The machine that has the workspace."""

    def __init__(self, workspace: UUID) -> None:
        self.workspace = workspace
        self._machine: str | None = None

    def latest(self) -> tuple[str, bytes]:
        place = in_database(_place, self.workspace)
        if place is None or not place.machine:
            return "0", b""
        self._machine = place.machine
        answer = self._ask({"do": "names"})
        return hashlib.sha256(answer).hexdigest()[:16], answer

    def read(self, path: str, item: Item) -> Iterator[bytes]:
        offset = 0
        while offset < item.size:
            request = {"do": "read", "path": path, "content": item.content, "offset": offset}
            try:
                piece = self._ask(request)
            except (Changed, NotThere) as error:
                raise Stale(str(error)) from error
            if not piece:
                raise Stale("the file was cut meanwhile")
            offset += len(piece)
            yield piece

    def apply(self, root: Path, changes: Changes) -> None:
        self._machine = in_database(self._choose)
        rows = []
        for path, item in changes.items():
            upload = self._staged(root, path) if item is not None and item.is_file else ""
            rows.append([path, upload, None if item is None else astuple(item)])
        self._ask({"do": "apply"}, json.dumps(rows).encode())

    def _choose(self) -> str:
        return pins.machine_for(Conversation.objects.get(public_id=self.workspace))

    def _staged(self, root: Path, path: str) -> str:
        upload = secrets.token_hex(12)
        with tree.open_read(root, path) as file:
            piece = file.read(MAX_FILES_PIECE)
            while True:  # an empty file is staged, too
                self._ask({"do": "stage", "upload": upload}, piece)
                if not (piece := file.read(MAX_FILES_PIECE)):
                    return upload

    def _ask(self, request: dict[str, object], body: bytes = b"") -> bytes:
        assert self._machine is not None
        return ask(self._machine, {**request, "workspace": str(self.workspace)}, body)


def source_of(workspace: UUID) -> Source:
    if settings.WORKSPACES_KIND == "stored":
        return StoredSource(workspace)
    return PinnedSource(workspace)


def _place(workspace: UUID) -> WorkspacePlace | None:
    return WorkspacePlace.objects.filter(conversation__public_id=workspace).first()
