"""MCP servers."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_FRAME_BYTES: Annotated[int, Limit("bytes", "Message of a server", "The call fails")] = (
    8 * 1024 * 1024
)
MAX_INPUT_ROUNDS: Annotated[
    int, Limit("rounds", "Requests for input that a server makes during one call", "The call fails")
] = 20
MAX_CHANGED_LIST_S: Annotated[
    float,
    Limit(
        "seconds", "Time to list the tools after a server announced a change", "Tried again later"
    ),
] = 30.0
MAX_FIRST_START_S: Annotated[
    float,
    Limit(
        "seconds",
        "First start of a program, including its download",
        "Ended; the test fails",
    ),
] = 300.0
MAX_CONFORMANCE_S: Annotated[
    float, Limit("seconds", "Scenario of the conformance suite", "The scenario fails")
] = 25.0
MAX_CONNECT_S: Annotated[
    float, Limit("seconds", "Time to open a session", "The connection fails")
] = 60.0
MAX_IDLE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time that a session stays open without a call",
        "Closed; the next call opens a new one",
    ),
] = 300.0
MAX_INPUT_KEY: Annotated[
    int, Limit("characters", "Key of a server's request for input", "The call fails")
] = 200
MAX_LISTED_TOOL_NAME: Annotated[
    int, Limit("characters", "Name of a server's tool", "The tool is omitted, with a note")
] = 200
MAX_NOTES: Annotated[int, Limit("notes", "Notes about a server", "The others are omitted")] = 20
MAX_FORMER_TOOLS: Annotated[
    int,
    Limit("tools", "Remembered tools that a server no longer lists", "The oldest are dropped"),
] = 200
MAX_KEPT_NOTIFICATIONS: Annotated[
    int,
    Limit(
        "messages",
        "Messages besides the result that the trace of a call keeps",
        "The others are counted, not listed",
    ),
] = 500
MAX_KEPT_HANDSHAKE: Annotated[
    int,
    Limit(
        "messages",
        "Messages of a session's start that are kept",
        "The others are counted, not listed",
    ),
] = 20
MAX_KEPT_FRAMES: Annotated[
    int,
    Limit(
        "characters",
        "All messages that a session keeps for traces",
        "The others are counted, not listed",
    ),
] = 8 * 1024 * 1024
MAX_ADDRESSES: Annotated[
    int, Limit("addresses", "Addresses of a host name that are tried", "The others are not tried")
] = 4
MAX_HTTP_CONNECT_S: Annotated[
    float, Limit("seconds", "Time to connect to a server", "The connection fails")
] = 10.0
MAX_HTTP_SILENCE_S: Annotated[
    float, Limit("seconds", "Time without data on a server's stream", "The stream is closed")
] = 2 * 3600.0
MAX_STREAM_BURST: Annotated[
    int,
    Limit(
        "bytes",
        "Bytes of a stream that are read without a rate limit",
        "Reading is slowed down to `MAX_STREAM_RATE`",
    ),
] = 8 * MAX_FRAME_BYTES
MAX_STREAM_RATE: Annotated[
    int,
    Limit(
        "bytes a second",
        "Bytes that are read of a server's stream",
        "Reading is slowed down to this rate",
    ),
] = MAX_FRAME_BYTES // 8
MAX_STREAM_REOPENS: Annotated[
    int,
    Limit(
        "requests",
        "Streams of a session that are reopened without a rate limit",
        "Reopened at `MAX_STREAM_REOPEN_RATE`",
    ),
] = 10
MAX_STREAM_REOPEN_RATE: Annotated[
    int, Limit("requests a second", "Rate of reopening streams of a session", "Reopened later")
] = 1
MAX_SESSION_END_S: Annotated[
    float, Limit("seconds", "Wait for the response to the end of a session", "Not waited for")
] = 2.0
MAX_REFUSALS: Annotated[
    int, Limit("refusals", "Refused requests that a session remembers", "The oldest are dropped")
] = 100
MAX_MESSAGE_RATE: Annotated[
    int, Limit("messages a second", "Messages of a server", "Reading is slowed down to this rate")
] = 2_000
MAX_NOTIFICATION_RATE: Annotated[
    int,
    Limit(
        "messages a second", "Notifications that are passed to a session", "The others are dropped"
    ),
] = 500
MAX_DROPPED_RATE: Annotated[
    int,
    Limit(
        "messages a second", "Notifications that are dropped", "Reading is slowed down to this rate"
    ),
] = 20_000
MAX_UNSOLICITED: Annotated[
    int,
    Limit(
        "messages",
        "Messages without a waiting call that are read without a rate limit",
        "Reading is slowed down to `MAX_UNSOLICITED_RATE`",
    ),
] = 1_000
MAX_UNSOLICITED_RATE: Annotated[
    int,
    Limit(
        "messages a second",
        "Messages without a waiting call",
        "Reading is slowed down to this rate",
    ),
] = 20
MAX_LIST_ENTRIES: Annotated[
    int,
    Limit("entries", "Entries of a list in one response", "The others are omitted, with a note"),
] = 1_000
MAX_UNANSWERABLE: Annotated[
    int,
    Limit("requests", "Remembered requests without a usable id", "The oldest are dropped"),
] = 100
MAX_LEFT_OUT_NOTES: Annotated[
    int, Limit("notes", "Notes that name an omitted tool", "The others are omitted")
] = 20
MAX_STDERR_LINE: Annotated[
    int, Limit("characters", "Line of standard error in an error message", "Truncated")
] = 300
MAX_KEPT_ENDS_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Bytes kept of the beginning and of the end of an overlong line",
        "The middle is omitted",
    ),
] = 1024
MAX_BATCH: Annotated[
    int, Limit("messages", "Messages of a JSON-RPC batch", "The others are omitted")
] = 100
MAX_HTTP_ERROR_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Body of an HTTP error that is parsed as an MCP error", "Treated as an HTTP error"
    ),
] = 256 * 1024
MAX_LOG_FILES: Annotated[int, Limit("files", "Log files of a server", "The oldest are deleted")] = 8
MAX_LOG_AGE_S: Annotated[int, Limit("seconds", "Age of a log file of a server", "Deleted")] = (
    7 * 24 * 3600
)
MAX_LIST_WAIT_S: Annotated[
    float,
    Limit(
        "seconds",
        "Wait for the changed tools of live sessions",
        "The tools are listed again later",
    ),
] = 5.0
MAX_OAUTH_FAILURE: Annotated[
    int, Limit("characters", "Error that the authorization server reports", "Truncated")
] = 300
MAX_TOOL_PAGES: Annotated[
    int, Limit("pages", "Pages of a server's list of tools", "The others are not read, with a note")
] = 100
MAX_TOOLS: Annotated[
    int, Limit("tools", "Tools of a server", "The others are omitted, with a note")
] = 1_000
MAX_TOOL_LIST_BYTES: Annotated[
    int,
    Limit("bytes", "Total size of a server's list of tools", "The rest is not read, with a note"),
] = 4 * MAX_FRAME_BYTES
MAX_RECONNECT_PAUSE_S: Annotated[
    float,
    Limit("seconds", "Pause before reconnecting to a failed server", "Lowered to this"),
] = 30.0
MAX_STOP_GRACE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time for a program to end after its stdin is closed, and again after SIGTERM",
        "SIGTERM, then SIGKILL",
    ),
] = 1.0
MAX_RESOURCES: Annotated[
    int, Limit("entries", "Prompts or resources of a server", "The others are omitted")
] = 500
MAX_RESOURCE_PAGES: Annotated[
    int,
    Limit("pages", "Pages of a server's list of prompts or resources", "The others are not read"),
] = 20
MAX_RESOURCE_LIST_S: Annotated[
    float, Limit("seconds", "Time to list a server's prompts or resources", "The rest is not read")
] = 10.0
MAX_QUERY_ROWS: Annotated[
    int,
    Limit(
        "rows",
        "Rows of a query to the bundled SQLite server",
        "The call fails; the model gets the error",
    ),
] = 10_000
MAX_QUERY_VALUE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Value or row of a query to the bundled SQLite server",
        "The call fails; the model gets the error",
    ),
] = 10_000_000
MAX_QUERY_S: Annotated[
    float,
    Limit(
        "seconds",
        "Duration of a query to the bundled SQLite server",
        "The call fails; the model gets the error",
    ),
] = 30.0
MAX_POST_S: Annotated[
    float,
    Limit("seconds", "Time for a server with SSE to accept a message", "The connection fails"),
] = 30.0
MAX_GARBAGE_EVENTS: Annotated[
    int, Limit("events", "Events that are not MCP between two messages", "The connection fails")
] = 1_000
MAX_STDERR_BYTES: Annotated[
    int, Limit("bytes", "Stored standard error of a program", "The end of it is kept")
] = 64 * 1024
MAX_STDOUT_RATE: Annotated[
    int,
    Limit("bytes a second", "Standard output of a program", "Reading is slowed down to this rate"),
] = 64 * 1024 * 1024
MAX_STDERR_RATE: Annotated[
    int,
    Limit("bytes a second", "Standard error of a program", "Reading is slowed down to this rate"),
] = 32 * 1024 * 1024
MAX_LINE_BYTES: Annotated[
    int, Limit("bytes", "Line of a program's standard output", "The connection fails")
] = 8 * MAX_FRAME_BYTES
MAX_GARBAGE_BYTES: Annotated[
    int,
    Limit("bytes", "Standard output that is not MCP between two messages", "The connection fails"),
] = 1024 * 1024
MAX_PIPE_DRAIN_S: Annotated[
    float,
    Limit("seconds", "Wait for the rest in the pipes of an ended program", "The rest is not read"),
] = 0.3
MAX_TRIAL: Annotated[
    timedelta,
    Limit("seconds", "Duration of a trial of a server or tool", "Counts as failed"),
] = timedelta(seconds=MAX_FIRST_START_S + 60)
MAX_QUESTION_S: Annotated[
    float,
    Limit(
        "seconds",
        "Wait of a server on a live session for a person's answer",
        "The call fails",
        "`QUESTION_SECONDS`",
    ),
] = 3600.0
MAX_SESSIONS: Annotated[
    int,
    Limit(
        "sessions",
        "Open sessions with servers, which bounds their processes too",
        "Further sessions wait",
        "`MCP_CONNECTIONS`",
    ),
] = 32
