"""What is in object storage of a workspace, in the row of its place; replaced by
compare-and-set."""

import logging
from uuid import UUID

from django.conf import settings

from chat.models import Conversation, WorkspacePlace
from chat.placement.pins import place_of
from db.threads import in_database
from limits.placement import MAX_MANIFEST_ATTEMPTS, MAX_STORED_BYTES, MAX_STORED_FILES
from tools.workspace.manifests import Changes, Manifest, changed, decoded, encoded, total_bytes
from tools.workspace.object_store import ObjectStore, StoreError

logger = logging.getLogger(__name__)

_stores: dict[str, ObjectStore] = {}


def store() -> ObjectStore:
    """The object storage of this installation; one client a process."""
    url = str(settings.WORKSPACES_STORE)
    return _stores.setdefault(url, ObjectStore(url))


def current(workspace: UUID) -> WorkspacePlace:
    """The place of a workspace, with its manifest. Raises `StoreError` if the conversation is
    gone."""
    key = Conversation.objects.filter(public_id=workspace).values_list("pk", flat=True).first()
    if key is None:
        raise StoreError("the conversation was deleted")
    return place_of(key)


def commit(workspace: UUID, changes: Changes) -> tuple[WorkspacePlace, bool]:
    """Adds changes, whose contents are stored, to the manifest. The place as it is then, and
    whether nobody else had changed it since it was read first. Who comes later wins, a path at a
    time, as in a shared folder. Raises `StoreError`; then nothing is changed."""
    for attempt in range(MAX_MANIFEST_ATTEMPTS):
        place = in_database(current, workspace)
        before = decoded(bytes(place.manifest))
        after = changed(before, changes)
        _check(after)
        dropped = sorted(_contents(before) - _contents(after))
        old = [content for content in place.dropped if content not in _contents(after)]
        if in_database(_replace, place, after, dropped):
            _forget(workspace, old)
            return place, attempt == 0
    raise StoreError("others change the workspace all the time")


def _check(manifest: Manifest) -> None:
    if len(manifest) > MAX_STORED_FILES or total_bytes(manifest) > MAX_STORED_BYTES:
        raise StoreError(
            f"a workspace has at most {MAX_STORED_FILES:,} files and {MAX_STORED_BYTES:,} bytes"
        )


def _replace(place: WorkspacePlace, manifest: Manifest, dropped: list[str]) -> bool:
    unchanged = WorkspacePlace.objects.filter(pk=place.pk, version=place.version)
    place.version += 1
    place.manifest, place.bytes = encoded(manifest), total_bytes(manifest)
    is_replaced = unchanged.update(
        version=place.version, manifest=place.manifest, dropped=dropped, bytes=place.bytes
    )
    return bool(is_replaced)


def _forget(workspace: UUID, contents: list[str]) -> None:
    """What no manifest has any more. An error is logged: it goes with the conversation."""
    try:
        store().remove(workspace, contents)
    except StoreError as error:
        logger.warning("Contents of the workspace %s stay in the storage: %s", workspace, error)


def _contents(manifest: Manifest) -> set[str]:
    return {item.content for item in manifest.values() if item.is_file}
