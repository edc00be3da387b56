"""Processes."""

from typing import Annotated

from limits.table import Limit

MAX_DATABASE_CONNECTIONS: Annotated[
    int,
    Limit(
        "connections",
        "Connections of a process to PostgreSQL",
        "Waits for a free one",
        "`DATABASE_POOL`",
    ),
] = 20
MAX_REDIS_SILENCE_S: Annotated[
    int, Limit("seconds", "Silence of Redis towards a worker", "Connected again")
] = 5
MAX_LOG_LINE_BYTES: Annotated[
    int, Limit("bytes", "Line of a process in the log", "Broken into two")
] = 64 * 1024
MAX_LOG_FILE_BYTES: Annotated[int, Limit("bytes", "Log file of a process", "A new one begins")] = (
    10_000_000
)
MAX_OLD_LOG_FILES: Annotated[
    int, Limit("files", "Older log files of a process", "The oldest is deleted")
] = 3
MAX_MODEL_IMPORT_S: Annotated[
    float, Limit("seconds", "First look at whether a local model can run", "Continued without it")
] = 30.0
MAX_LEFTOVER_STOP_S: Annotated[
    float, Limit("seconds", "End of processes that an earlier run left", "Killed")
] = 3.0
MAX_RESTART_PAUSE_S: Annotated[
    float, Limit("seconds", "Pause before a process is started again", "Started after this one")
] = 10.0
MAX_DRAIN_S: Annotated[
    float, Limit("seconds", "Wait for the last lines of a process that ended", "Not read")
] = 0.5
MAX_STOP_S: Annotated[float, Limit("seconds", "End of all processes but Redis", "Killed")] = 6.0
MAX_REDIS_STOP_S: Annotated[float, Limit("seconds", "End of Redis", "Killed")] = 2.0
