"""Asking the machine that has a workspace for its files: a request in its Redis list, and the
answer in a list of the request's own. Both expire; a machine that is gone costs a bounded wait."""

import json
import secrets
import time
from typing import Any

import redis

from chat.placement import machines
from chat.placement.pins import Unreachable
from db.redis_pool import client
from db.threads import in_database
from limits.placement import MAX_FILES_ANSWER_S
from tools.errors import NotThere, ToolError

REQUESTS = "rt:files:{machine}"
_ANSWER = "rt:files:answer:{request}"
# Seconds of one wait: shorter than the time-out of the connection.
_WAIT_S = 1


class Changed(ToolError):
    """The file is not what was asked for any more."""


_KINDS: dict[str, type[ToolError]] = {"there": NotThere, "changed": Changed}


def ask(machine: str, request: dict[str, Any], body: bytes = b"") -> bytes:
    """The machine's answer. Raises `Unreachable` without one in time, and the `ToolError` that it
    answers."""
    if not in_database(machines.is_present, machine):
        raise Unreachable(f"the machine {machine}, which has the files, is out of reach")
    key = _ANSWER.format(request=secrets.token_hex(12))
    header = {**request, "answer": key, "until": time.time() + MAX_FILES_ANSWER_S}
    requests = REQUESTS.format(machine=machine)
    try:
        with client().pipeline(transaction=True) as pipeline:
            pipeline.rpush(requests, json.dumps(header).encode() + b"\n" + body)
            pipeline.expire(requests, round(2 * MAX_FILES_ANSWER_S))
            pipeline.execute()
        answer = _wait(key)
    except redis.RedisError as error:
        raise Unreachable("Redis is out of reach, by which files are read") from error
    if answer is None:
        raise Unreachable(f"the machine {machine}, which has the files, did not answer")
    if answer[:1] == b"+":
        return answer[1:]
    failure = json.loads(answer[1:])
    raise _KINDS.get(failure["kind"], ToolError)(failure["message"])


def _wait(key: str) -> bytes | None:
    deadline = time.monotonic() + MAX_FILES_ANSWER_S
    while time.monotonic() < deadline:
        popped: Any = client().blpop([key], timeout=_WAIT_S)
        if popped is not None:
            return bytes(popped[1])
    return None


def kind_of(error: ToolError) -> str:
    """The name of an error in an answer."""
    return next((kind for kind, one in _KINDS.items() if isinstance(error, one)), "")
