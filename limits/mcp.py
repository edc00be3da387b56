"""MCP servers."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_FRAME_BYTES: Annotated[int, Limit("bytes", "Message of a server", "The call gets an error")] = (
    8 * 1024 * 1024
)
MAX_INPUT_ROUNDS: Annotated[
    int, Limit("rounds", "Rounds in which a server asks for input for one call", "The call fails")
] = 20
MAX_CHANGED_LIST_S: Annotated[
    float, Limit("seconds", "List of tools that a server announced as changed", "Tried again later")
] = 30.0
MAX_FIRST_START_S: Annotated[
    float,
    Limit(
        "seconds",
        "First start of a program, which may have to be downloaded",
        "Ended; the test fails",
    ),
] = 300.0
MAX_CONFORMANCE_S: Annotated[
    float, Limit("seconds", "Scenario of the conformance suite", "Fails")
] = 25.0
MAX_CONNECT_S: Annotated[float, Limit("seconds", "Start of a session", "The connection fails")] = (
    60.0
)
MAX_IDLE_S: Annotated[
    float, Limit("seconds", "Session without a call", "Closed; opened again by the next call")
] = 300.0
MAX_INPUT_KEY: Annotated[
    int, Limit("characters", "Key of a question of a server", "The call fails")
] = 200
MAX_LISTED_TOOL_NAME: Annotated[
    int, Limit("characters", "Name of a server's tool", "Left out, with a note")
] = 200
MAX_NOTES: Annotated[int, Limit("notes", "Notes about a server", "Left out")] = 20
MAX_FORMER_TOOLS: Annotated[
    int,
    Limit(
        "tools", "Tools that a server lists no more, and are remembered", "The oldest are forgotten"
    ),
] = 200
MAX_KEPT_NOTIFICATIONS: Annotated[
    int, Limit("messages", "Messages beside the answer that a call's trace keeps", "Counted")
] = 500
MAX_KEPT_OPENING: Annotated[
    int, Limit("messages", "Messages of a session's start that are kept", "Counted")
] = 20
MAX_KEPT_FRAMES: Annotated[
    int, Limit("characters", "All messages that a session keeps for traces", "Counted")
] = 8 * 1024 * 1024
MAX_ADDRESSES: Annotated[
    int, Limit("addresses", "Addresses of a name that are tried", "Not tried")
] = 4
MAX_HTTP_CONNECT_S: Annotated[
    float, Limit("seconds", "Connection to a server", "The connection fails")
] = 10.0
MAX_HTTP_SILENCE_S: Annotated[
    float, Limit("seconds", "Silence of a server's stream", "The stream is closed")
] = 2 * 3600.0
MAX_STREAM_BURST: Annotated[
    int, Limit("bytes", "Bytes of a stream at once", "Read at the rate below")
] = 8 * MAX_FRAME_BYTES
MAX_STREAM_RATE: Annotated[
    int, Limit("bytes a second", "Stream of a server", "Read more slowly")
] = MAX_FRAME_BYTES // 8
MAX_GETS: Annotated[
    int, Limit("requests", "Streams that are opened again at once", "At the rate below")
] = 10
MAX_GET_RATE: Annotated[
    int, Limit("requests a second", "Streams that are opened again", "Opened later")
] = 1
MAX_GOODBYE_S: Annotated[
    float, Limit("seconds", "Answer to the end of a session", "Not waited for")
] = 2.0
MAX_REFUSALS: Annotated[
    int, Limit("refusals", "Refused requests that a session remembers", "The oldest are forgotten")
] = 100
MAX_MESSAGE_RATE: Annotated[
    int, Limit("messages a second", "Messages of a server", "Read more slowly")
] = 2_000
MAX_NOTIFICATION_RATE: Annotated[
    int, Limit("messages a second", "Notifications that a session is given", "Dropped")
] = 500
MAX_DROPPED_RATE: Annotated[
    int, Limit("messages a second", "Notifications that are dropped", "Read more slowly")
] = 20_000
MAX_UNASKED: Annotated[
    int, Limit("messages", "Messages that no call waits for, at once", "Read at the rate below")
] = 1_000
MAX_UNASKED_RATE: Annotated[
    int, Limit("messages a second", "Messages that no call waits for", "Read more slowly")
] = 20
MAX_LIST_ENTRIES: Annotated[
    int, Limit("entries", "List in one answer", "Left out, with a note")
] = 1_000
MAX_UNANSWERABLE: Annotated[
    int,
    Limit(
        "requests", "Requests without a usable id that are remembered", "The oldest are forgotten"
    ),
] = 100
MAX_LEFT_OUT_NOTES: Annotated[
    int, Limit("notes", "Tools that were left out and are named", "Left out")
] = 20
MAX_LAST_WORDS: Annotated[int, Limit("characters", "Line of stderr in an error", "Cut")] = 300
MAX_KEPT_ENDS_BYTES: Annotated[
    int, Limit("bytes", "Each end of a line that is too long", "Left out")
] = 1024
MAX_BATCH: Annotated[int, Limit("messages", "Messages of a JSON-RPC batch", "Left out")] = 100
MAX_HTTP_ERROR_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Body of an HTTP error that is read as an MCP error", "Taken for any other error"
    ),
] = 256 * 1024
MAX_LOG_FILES: Annotated[int, Limit("files", "Log files of a server", "The oldest are deleted")] = 8
MAX_LOG_AGE_S: Annotated[int, Limit("seconds", "Age of a log file of a server", "Deleted")] = (
    7 * 24 * 3600
)
MAX_LIST_WAIT_S: Annotated[
    float, Limit("seconds", "Wait for tools that a live session announced", "Listed anew")
] = 5.0
MAX_OAUTH_FAILURE: Annotated[
    int, Limit("characters", "Error of a provider at a sign-in", "Cut")
] = 300
MAX_TOOL_PAGES: Annotated[
    int, Limit("pages", "Pages of a server's list of tools", "Not read, with a note")
] = 100
MAX_TOOLS: Annotated[int, Limit("tools", "Tools of a server", "Left out, with a note")] = 1_000
MAX_TOOL_LIST_BYTES: Annotated[
    int, Limit("bytes", "List of tools of a server", "Not read, with a note")
] = 4 * MAX_FRAME_BYTES
MAX_RECONNECT_PAUSE_S: Annotated[
    float,
    Limit(
        "seconds", "Pause before a server that failed is connected again", "Tried after this one"
    ),
] = 30.0
MAX_STOP_GRACE_S: Annotated[
    float,
    Limit(
        "seconds",
        "End of a program after its stdin is closed, and again after SIGTERM",
        "SIGTERM, then SIGKILL",
    ),
] = 1.0
MAX_RESOURCES: Annotated[int, Limit("entries", "Prompts or resources of a server", "Left out")] = (
    500
)
MAX_RESOURCE_PAGES: Annotated[int, Limit("pages", "Pages of such a list", "Not read")] = 20
MAX_RESOURCE_LIST_S: Annotated[
    float, Limit("seconds", "Such a list", "What was read by then counts")
] = 10.0
MAX_QUERY_ROWS: Annotated[
    int, Limit("rows", "Rows of a query of the bundled SQLite server", "An error for the model")
] = 10_000
MAX_QUERY_VALUE_BYTES: Annotated[
    int, Limit("bytes", "Value or row of the bundled SQLite server", "An error for the model")
] = 10_000_000
MAX_QUERY_S: Annotated[
    float, Limit("seconds", "Query of the bundled SQLite server", "An error for the model")
] = 30.0
MAX_POST_S: Annotated[
    float, Limit("seconds", "Message that a server with SSE takes", "The connection fails")
] = 30.0
MAX_GARBAGE_EVENTS: Annotated[
    int, Limit("events", "Events between two messages that are not MCP", "The connection fails")
] = 1_000
MAX_STDERR_BYTES: Annotated[
    int, Limit("bytes", "What is kept of a program's stderr", "The last of it is kept")
] = 64 * 1024
MAX_STDOUT_RATE: Annotated[
    int, Limit("bytes a second", "Output of a program", "Read more slowly")
] = 64 * 1024 * 1024
MAX_STDERR_RATE: Annotated[
    int, Limit("bytes a second", "What a program writes to stderr", "Read more slowly")
] = 32 * 1024 * 1024
MAX_LINE_BYTES: Annotated[
    int, Limit("bytes", "Output of a program without a newline", "The connection fails")
] = 8 * MAX_FRAME_BYTES
MAX_GARBAGE_BYTES: Annotated[
    int, Limit("bytes", "Output between two messages that is not MCP", "The connection fails")
] = 1024 * 1024
MAX_LAST_WORDS_S: Annotated[
    float,
    Limit("seconds", "Wait for what is still in the pipes of a program that ended", "Not read"),
] = 0.3
MAX_TRIAL: Annotated[
    timedelta, Limit("seconds", "Trial of a server or tool", "Shown as failed")
] = timedelta(seconds=MAX_FIRST_START_S + 60)
MAX_QUESTION_S: Annotated[
    float,
    Limit(
        "seconds",
        "Wait of a server on a live session for the answer of a person",
        "The call fails",
        "`QUESTION_SECONDS`",
    ),
] = 3600.0
MAX_SESSIONS: Annotated[
    int,
    Limit(
        "sessions",
        "Open sessions with servers, and so running programs",
        "Waits",
        "`MCP_CONNECTIONS`",
    ),
] = 32
