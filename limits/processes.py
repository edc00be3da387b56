"""Processes."""

from typing import Annotated

from limits.table import Limit

MAX_DATABASE_CONNECTIONS: Annotated[
    int,
    Limit(
        "connections",
        "Connections of a process to PostgreSQL",
        "Further queries wait",
        "`DATABASE_POOL`",
    ),
] = 20
MAX_REWRITTEN_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "SQLite database that is written anew after a deletion",
        "Only what was deleted is overwritten",
    ),
] = 64_000_000
MAX_LOG_LOCK_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time for which emptying the log of SQLite holds up writers",
        "It is tried again",
    ),
] = 0.1
MAX_TURNS_PROCESSES: Annotated[
    int, Limit("processes", "Processes that answer turns", "The start is refused")
] = 64
MAX_SHARED_ROWS: Annotated[
    int,
    Limit("rows", "Tools of servers that a process keeps by their columns", "All are made anew"),
] = 2_000
MAX_REDIS_SILENCE_S: Annotated[
    int, Limit("seconds", "Time without data from Redis in a worker", "The worker reconnects")
] = 5
MAX_LOG_LINE_BYTES: Annotated[int, Limit("bytes", "Line of a process's log", "Split in two")] = (
    64 * 1024
)
MAX_LOG_FILE_BYTES: Annotated[
    int, Limit("bytes", "Log file of a process", "A new file is started")
] = 10_000_000
MAX_OLD_LOG_FILES: Annotated[
    int, Limit("files", "Older log files of a process", "The oldest is deleted")
] = 3
MAX_MODEL_IMPORT_S: Annotated[
    float,
    Limit(
        "seconds", "First check of whether a local model can run", "The start goes on without it"
    ),
] = 30.0
MAX_LEFTOVER_STOP_S: Annotated[
    float, Limit("seconds", "Time for leftover processes of an earlier start to end", "Killed")
] = 3.0
MAX_RESTART_PAUSE_S: Annotated[
    float, Limit("seconds", "Pause before a process is restarted", "Lowered to this")
] = 10.0
MAX_DRAIN_S: Annotated[
    float, Limit("seconds", "Wait for the last output of an ended process", "The rest is not read")
] = 0.5
MAX_STOP_S: Annotated[
    float, Limit("seconds", "Time for all processes except Redis to stop", "Killed")
] = 6.0
MAX_REDIS_STOP_S: Annotated[float, Limit("seconds", "Time for Redis to stop", "Killed")] = 2.0
