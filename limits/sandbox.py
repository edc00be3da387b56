"""Workspaces and commands."""

from typing import Annotated

from limits.table import Limit

MAX_READ_FILE: Annotated[
    int, Limit("characters", "What one `read_file` returns", "Read by another call")
] = 50_000
MAX_EDITED_BYTES: Annotated[
    int, Limit("bytes", "File that `read_file` or `edit_file` takes", "An error for the model")
] = 5_000_000
MAX_LISTED_FILES: Annotated[
    int, Limit("files", "Files that `list_files` names", "Left out, with a note")
] = 500
MAX_PATH_DEPTH: Annotated[
    int, Limit("levels", "Folders in folders of a workspace", "Refused with a sentence")
] = 100
MAX_LINKS: Annotated[
    int, Limit("links", "Symbolic links on the way to a file", "Refused with a sentence")
] = 40
MAX_PATH_BYTES: Annotated[int, Limit("bytes", "Path of a file", "Refused with a sentence")] = 4_096
MAX_TREE_FILES: Annotated[int, Limit("files", "Files of a folder that are listed", "Left out")] = (
    2_000
)
MAX_WRITTEN_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that is written from outside, where nothing else is said",
        "Refused with a sentence",
    ),
] = 100 * 1_024 * 1_024
MAX_COUNTED_PROCESSES: Annotated[
    int,
    Limit(
        "processes", "Processes of a command that are counted", "Not counted: the limit is lower"
    ),
] = 2_000
MAX_COUNTED_FILES: Annotated[
    int, Limit("files", "Open files of a command that are counted", "Not counted")
] = 10_000
MAX_UPLOAD_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that people put into a workspace",
        "Refused with a sentence",
        "`WORKSPACE_UPLOAD_BYTES`",
    ),
] = 100_000_000
MAX_COMMAND_S: Annotated[
    float,
    Limit(
        "seconds",
        "Command that asks for no time of its own",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `seconds`",
    ),
] = 60.0
MAX_COMMAND_OUTPUT_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Output of a command",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `output_bytes`",
    ),
] = 1_000_000
MAX_COMMAND_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Processes of a command at once",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `processes`",
    ),
] = 64
MAX_COMMAND_MEMORY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Memory of all its processes together",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `memory_bytes`",
    ),
] = 1024 * 1024 * 1024
MAX_TMP_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Its `/tmp`, and as much again its `/dev/shm`",
        "The disk is full",
        "`SANDBOX_LIMITS`: `tmp_bytes`",
    ),
] = 256 * 1024 * 1024
MAX_TMP_FILES: Annotated[
    int,
    Limit("files", "Names in both together", "The disk is full", "`SANDBOX_LIMITS`: `tmp_files`"),
] = 20_000
MAX_COMMAND_SOCKETS: Annotated[
    int,
    Limit(
        "sockets",
        "Sockets of all its processes together",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `sockets`",
    ),
] = 256
MAX_COMMAND_FILE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that it writes",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `file_bytes`",
    ),
] = 256 * 1024 * 1024
MAX_WORKSPACE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Workspace",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `workspace_bytes`",
    ),
] = 1024 * 1024 * 1024
MAX_WORKSPACE_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files and folders of a workspace",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `workspace_files`",
    ),
] = 50_000
MIN_FREE_DISK_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "What stays free on the disk of the home",
        "Ended; the model is told which limit it was",
        "`SANDBOX_LIMITS`: `disk_free_bytes`",
    ),
] = 512 * 1024 * 1024
