"""Object storage with the S3 interface, by boto3, which is imported when it is first used.

Address, region and credentials are boto3's own: `AWS_ENDPOINT_URL_S3`, `AWS_ACCESS_KEY_ID`,
`AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, a role of the machine, and what else its documentation names.
An object holds the bytes of one file and is never written twice: its name is the hash of its
content and a random suffix.
"""

import hashlib
import logging
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO
from urllib.parse import urlsplit
from uuid import UUID

from limits.placement import (
    MAX_FILES_PIECE,
    MAX_STORE_CONNECT_S,
    MAX_STORE_READ_S,
    MAX_STORE_TRANSFERS,
)
from tools.errors import ToolError

logger = logging.getLogger(__name__)

MISSING = "WORKSPACES names object storage, which needs boto3: pip install 'roundtrip[s3]'."
_REMOVED_AT_ONCE = 1_000


class StoreError(ToolError):
    """The storage cannot be used, or does not have an object. No address and no credential is in
    the message."""


class ObjectStore:
    """The objects of workspaces in a bucket: `<prefix>/<workspace>/<content>`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._bucket = parts.netloc
        self._prefix = parts.path.strip("/")
        self._client_made: Any = None
        self._lock = threading.Lock()

    def put(self, workspace: UUID, file: BinaryIO) -> str:
        """Stores a file, and answers its content's name. Raises `StoreError`."""
        digest = hashlib.sha256()
        while piece := file.read(MAX_FILES_PIECE):
            digest.update(piece)
        content = f"{digest.hexdigest()}.{secrets.token_hex(6)}"
        file.seek(0)
        with _told("written"):
            self._client().upload_fileobj(file, self._bucket, self._key(workspace, content))
        return content

    def read(self, workspace: UUID, content: str) -> Iterator[bytes]:
        """The bytes of a content, checked against its hash. Raises `StoreError`."""
        digest = hashlib.sha256()
        with _told("read"):
            answer = self._client().get_object(
                Bucket=self._bucket, Key=self._key(workspace, content)
            )
            for piece in answer["Body"].iter_chunks(MAX_FILES_PIECE):
                digest.update(piece)
                yield piece
        if digest.hexdigest() != content.partition(".")[0]:
            raise StoreError("the object storage answered other bytes than were stored")

    def remove(self, workspace: UUID, contents: Iterable[str]) -> None:
        """Removes these contents; those that are not there are no error. Raises `StoreError`."""
        keys = [self._key(workspace, content) for content in contents]
        for at in range(0, len(keys), _REMOVED_AT_ONCE):
            self._delete(keys[at : at + _REMOVED_AT_ONCE])

    def remove_all(self, workspace: UUID) -> None:
        """Removes all that was stored of a workspace. Raises `StoreError`."""
        with _told("removed"):
            pages = self._client().get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self._bucket, Prefix=self._key(workspace, "")):
                self._delete([one["Key"] for one in page.get("Contents", ())])

    def _delete(self, keys: list[str]) -> None:
        if not keys:
            return
        with _told("removed"):
            objects = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
            answer = self._client().delete_objects(Bucket=self._bucket, Delete=objects)
        if answer.get("Errors"):
            raise StoreError("the object storage did not remove all objects")

    def _key(self, workspace: UUID, content: str) -> str:
        """Of all contents together, if there is none: what their keys begin with."""
        prefix = f"{self._prefix}/" if self._prefix else ""
        return f"{prefix}{workspace}/{content}"

    def _client(self) -> Any:
        """Made once; boto3's clients may be used by many threads."""
        with self._lock:
            if self._client_made is None:
                self._client_made = _new_client()
            return self._client_made


def _new_client() -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise StoreError(MISSING) from None
    config = Config(
        connect_timeout=MAX_STORE_CONNECT_S,
        read_timeout=MAX_STORE_READ_S,
        retries={"total_max_attempts": 3, "mode": "standard"},
        max_pool_connections=2 * MAX_STORE_TRANSFERS,
    )
    return boto3.session.Session().client("s3", config=config)


@contextmanager
def _told(done: str) -> Iterator[None]:
    """What boto3 and its HTTP client raise, as a sentence without addresses and keys."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", "unknown error"))[:60]
        logger.warning("The object storage refused: %s", code)
        raise StoreError(f"the object storage could not be {done}: it answered {code}") from None
    except (BotoCoreError, Boto3Error) as error:
        logger.warning("The object storage failed: %s", type(error).__name__)
        raise StoreError(
            f"the object storage could not be {done}: {type(error).__name__}"
        ) from None
