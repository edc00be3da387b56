"""Workspaces and commands."""

from typing import Annotated

from limits.table import Limit

MAX_READ_FILE: Annotated[
    int, Limit("characters", "Text that one `read_file` returns", "The rest takes another call")
] = 50_000
MAX_EDITED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that `read_file` or `edit_file` opens",
        "The call fails; the model gets the error",
    ),
] = 5_000_000
MAX_LISTED_FILES: Annotated[
    int, Limit("files", "Files that `list_files` returns", "The others are omitted, with a note")
] = 500
MAX_PATH_DEPTH: Annotated[
    int, Limit("levels", "Nesting of folders in a workspace", "Refused with an error message")
] = 100
MAX_LINKS: Annotated[
    int, Limit("links", "Symbolic links in the path of a file", "Refused with an error message")
] = 40
MAX_PATH_BYTES: Annotated[
    int, Limit("bytes", "Path of a file", "Refused with an error message")
] = 4_096
MAX_TREE_FILES: Annotated[
    int, Limit("files", "Listed files of a folder", "The others are omitted")
] = 2_000
MAX_WRITTEN_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File written into a workspace, without a limit of its own",
        "Refused with an error message",
    ),
] = 100 * 1_024 * 1_024
MAX_COUNTED_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Processes of a command that the watch counts",
        "The others are not counted; `MAX_COMMAND_PROCESSES` is lower",
    ),
] = 2_000
MAX_COUNTED_FILES: Annotated[
    int,
    Limit("files", "Open files of a command that the watch counts", "The others are not counted"),
] = 10_000
MAX_UPLOAD_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that a person uploads into a workspace",
        "Refused with an error message",
        "`WORKSPACE_UPLOAD_BYTES`",
    ),
] = 100_000_000
MAX_COMMAND_S: Annotated[
    float,
    Limit(
        "seconds",
        "Duration of a command that asks for none",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `seconds`",
    ),
] = 60.0
MAX_COMMAND_OUTPUT_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Output of a command",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `output_bytes`",
    ),
] = 1_000_000
MAX_COMMAND_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Concurrent processes of a command",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `processes`",
    ),
] = 64
MAX_COMMAND_MEMORY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Memory of all processes of a command",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `memory_bytes`",
    ),
] = 1024 * 1024 * 1024
MAX_TMP_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "`/tmp` of a command, and separately its `/dev/shm`",
        "Writes fail: the disk is full",
        "`SANDBOX_LIMITS`: `tmp_bytes`",
    ),
] = 256 * 1024 * 1024
MAX_TMP_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files in `/tmp` and `/dev/shm` of a command together",
        "Writes fail: the disk is full",
        "`SANDBOX_LIMITS`: `tmp_files`",
    ),
] = 20_000
MAX_COMMAND_SOCKETS: Annotated[
    int,
    Limit(
        "sockets",
        "Sockets of all processes of a command",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `sockets`",
    ),
] = 256
MAX_COMMAND_FILE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "File that a command writes",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `file_bytes`",
    ),
] = 256 * 1024 * 1024
MAX_WORKSPACE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Size of a workspace",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `workspace_bytes`",
    ),
] = 1024 * 1024 * 1024
MAX_WORKSPACE_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files and folders of a workspace",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `workspace_files`",
    ),
] = 50_000
MIN_FREE_DISK_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Free space on the disk of the home",
        "The command is ended; the model gets the limit's name",
        "`SANDBOX_LIMITS`: `disk_free_bytes`",
    ),
] = 512 * 1024 * 1024
