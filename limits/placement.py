"""Workspaces of many machines."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_MACHINE_SILENCE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Silence of a `tools` worker until it counts as gone",
        "Another one takes over its workspaces, if they are in object storage",
    ),
] = timedelta(seconds=10)
MAX_MACHINE_ABSENCE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Absence of the machine that has a workspace until its calls no longer wait for it",
        "The call fails; the model gets the error",
    ),
] = timedelta(seconds=60)
MAX_FILES_ANSWER_S: Annotated[
    float,
    Limit("seconds", "Answer of the machine that has a workspace", "Refused with an error message"),
] = 5.0
MAX_FILES_PIECE: Annotated[
    int,
    Limit("bytes", "Piece of a file that one machine asks of another", "Takes a further request"),
] = 1_024 * 1_024
MAX_FILES_THREADS: Annotated[
    int,
    Limit("threads", "Requests for files that a worker answers at once", "Further ones wait"),
] = 8
MAX_STORED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Workspace in object storage",
        "The files that a call wrote are not stored; the model gets the error",
    ),
] = 2 * 1_024 * 1_024 * 1_024
MAX_STORED_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files and folders of a workspace that another machine reads or that is in object storage",
        "The files that a call wrote are not stored, or not shown",
    ),
] = 50_000
MAX_STORE_CONNECT_S: Annotated[
    float, Limit("seconds", "Connecting to the object storage", "Tried again; then an error")
] = 3.0
MAX_STORE_READ_S: Annotated[
    float, Limit("seconds", "Silence of the object storage", "Tried again; then an error")
] = 10.0
MAX_STORE_TRANSFERS: Annotated[
    int, Limit("transfers", "Files on their way to or from the object storage at once", "Wait")
] = 8
MAX_MANIFEST_ATTEMPTS: Annotated[
    int,
    Limit("attempts", "Attempts to store a workspace that others change meanwhile", "An error"),
] = 20
MAX_COPY_AGE_S: Annotated[
    float,
    Limit("seconds", "Unused copy of another machine's workspace", "The copy is removed"),
] = 3_600.0
