"""What a `tools` worker answers to other processes that ask for files of workspaces that only it
has: a thread that waits for requests, and a few threads that answer them."""

import json
import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from django.db import close_old_connections

from chat import workspaces
from chat.placement import machines
from chat.placement.asking import REQUESTS, Changed, kind_of
from db.redis_pool import client
from host.thread_pool import ThreadPool
from limits.placement import MAX_COPY_AGE_S, MAX_FILES_PIECE, MAX_FILES_THREADS, MAX_STORED_BYTES
from tools.errors import ToolError
from tools.workspace import restoring, tree
from tools.workspace.manifests import Item, encoded, scan, signature

logger = logging.getLogger(__name__)

WAIT_S = 1
PAUSE_S = 0.5
ANSWER_S = 30
_UPLOAD = re.compile(r"[0-9a-f]{24}")


class FileAnswers:
    """Answers requests for files until it is closed."""

    def __init__(self) -> None:
        self._requests = REQUESTS.format(machine=machines.name())
        self._pool = ThreadPool(MAX_FILES_THREADS, "files")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="file requests", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Takes no further request. From any thread or signal."""
        self._stopped.set()

    def close(self) -> None:
        """Waits for those that were taken."""
        self.stop()
        if self._thread.is_alive():
            self._thread.join()
        self._pool.shutdown()

    def _run(self) -> None:
        is_away = False
        while not self._stopped.is_set():
            try:
                popped: Any = client().blpop([self._requests], timeout=WAIT_S)
            except redis.RedisError as error:
                if not is_away:
                    logger.warning("No file is asked for while Redis is out of reach: %s", error)
                is_away = True
                self._stopped.wait(PAUSE_S)
                continue
            is_away = False
            if popped is not None:
                self._pool.submit(_answer, bytes(popped[1]))


def _answer(entry: bytes) -> None:
    head, _, body = entry.partition(b"\n")
    try:
        request = json.loads(head)
        if request["until"] < time.time():
            return  # nobody waits for it
        answer = _answered(request, body)
        with client().pipeline(transaction=True) as pipeline:
            pipeline.rpush(request["answer"], answer)
            pipeline.expire(request["answer"], ANSWER_S)
            pipeline.execute()
    except redis.RedisError as error:
        logger.warning("An answer with files is lost: %s", error)
    except Exception:
        logger.exception("A request for files failed")
    finally:
        close_old_connections()


def _answered(request: dict[str, Any], body: bytes) -> bytes:
    try:
        return b"+" + _OPERATIONS[request["do"]](request, body)
    except ToolError as error:
        failure = {"kind": kind_of(error), "message": str(error)}
    except OSError as error:
        failure = {"kind": "", "message": f"the files cannot be reached: {error.strerror}"}
    return b"-" + json.dumps(failure).encode()


def _names(request: dict[str, Any], body: bytes) -> bytes:
    return encoded(scan(_folder(request)))


def _read(request: dict[str, Any], body: bytes) -> bytes:
    """A piece of a file that still is what its content says. Raises `Changed`."""
    with tree.open_read(_folder(request), request["path"]) as file:
        if signature(os.fstat(file.fileno())) != request["content"]:
            raise Changed("the file was changed meanwhile")
        return os.pread(file.fileno(), MAX_FILES_PIECE, int(request["offset"]))


def _stage(request: dict[str, Any], body: bytes) -> bytes:
    """A further piece of a file that is to be written."""
    staged = _staged(request["upload"])
    staged.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _clear(staged.parent)
    with staged.open("ab") as file:
        if file.tell() + len(body) > MAX_STORED_BYTES:
            raise ToolError(f"a file has at most {MAX_STORED_BYTES:,} bytes")
        file.write(body)
    return b""


def _apply(request: dict[str, Any], body: bytes) -> bytes:
    """Changes the workspace: items with what was staged for them, and what is to be removed."""
    folder = _folder(request)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path, upload, fields in json.loads(body):
        if fields is None:
            restoring.remove(folder, path)
            continue
        restoring.restore(folder, path, Item(*fields), _pieces(upload))
        if upload:
            _staged(upload).unlink(missing_ok=True)
    return b""


def _pieces(upload: str) -> Iterator[bytes]:
    if upload:
        with _staged(upload).open("rb") as file:
            while piece := file.read(MAX_FILES_PIECE):
                yield piece


def _folder(request: dict[str, Any]) -> Path:
    return workspaces.folder(UUID(request["workspace"]))


def _staged(upload: str) -> Path:
    if not _UPLOAD.fullmatch(upload):
        raise ToolError("no upload has this name")
    return Path(settings.WORKSPACES) / ".staged" / upload


def _clear(folder: Path) -> None:
    """Removes what somebody staged who then went away."""
    for rest in folder.iterdir():
        with suppress(FileNotFoundError):
            if time.time() - rest.stat().st_mtime > MAX_COPY_AGE_S:
                rest.unlink()


_OPERATIONS = {"names": _names, "read": _read, "stage": _stage, "apply": _apply}
