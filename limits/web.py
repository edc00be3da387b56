"""Requests and accounts."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of a request, except uploads", "Refused with status 413")
] = 4 * 1024 * 1024
MAX_ANONYMOUS_BODY_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Body of a request without a signed-in user",
        "Refused with status 401, the rest unread",
    ),
] = 64 * 1024
MAX_FORM_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Form fields that accompany an uploaded file, without the file",
        "Refused with status 413",
    ),
] = 64 * 1024
MAX_FOLDER_FORM_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Form fields that accompany an uploaded folder, without its files",
        "Refused with status 413",
    ),
] = 256 * 1024
MAX_BODY_GRACE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time before the rate of a body is checked",
        "A body that is slower than `MIN_BODY_RATE` is refused with status 408",
    ),
] = 20.0
MIN_BODY_RATE: Annotated[
    int,
    Limit(
        "bytes a second",
        "Lowest average rate of a body after `MAX_BODY_GRACE_S`",
        "Slower ones are refused with status 408",
    ),
] = 10_000
# Pages of several threads hold each other up: four leave another user's within a second.
MAX_REQUESTS: Annotated[
    int, Limit("requests", "Requests of a user that are processed at once", "Further requests wait")
] = 4
MAX_IDLE_REQUEST_THREADS: Annotated[
    int,
    Limit(
        "threads",
        "Threads without a request that a web process keeps, each with its database connection",
        "Ended after their request",
    ),
] = 8
MAX_WAITING_REQUESTS: Annotated[
    int, Limit("requests", "Waiting requests of a user", "Refused with status 429")
] = 64
MAX_ANONYMOUS_REQUESTS: Annotated[
    int,
    Limit(
        "requests",
        "Requests from one address without a signed-in user, processed at once",
        "Further requests wait",
    ),
] = 16
MAX_ANONYMOUS_WAITING: Annotated[
    int,
    Limit(
        "requests",
        "Waiting requests from one address without a signed-in user",
        "Refused with status 429",
    ),
] = 256
MAX_SEND_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time for a client to receive one chunk of a response",
        "The next request may start",
    ),
] = 1.0
MAX_KNOWN_SESSIONS: Annotated[
    int,
    Limit("sessions", "Sessions whose user a process caches", "The oldest is dropped"),
] = 10_000
MAX_DEVICE_DAYS: Annotated[
    int, Limit("days", "Age of a device cookie", "The device counts as unknown")
] = 365
MAX_SIGN_IN_LINK_MINUTES: Annotated[
    int, Limit("minutes", "Age of a sign-in link", "Refused; a new link has to be made")
] = 15
MAX_INVITATION_DAYS: Annotated[
    int, Limit("days", "Age of an invitation", "Refused; a new one has to be made")
] = 30
MAX_OPEN_INVITATIONS: Annotated[
    int, Limit("invitations", "Invitations that can be used at once", "Refused")
] = 1000
MAX_LISTED_PEOPLE: Annotated[
    int, Limit("people", "People, or invitations, on one page of their list", "On further pages")
] = 50
MAX_JOINED_STYLESHEETS: Annotated[
    int, Limit("stylesheets", "Stylesheets that are served as one file", "Status 404")
] = 50
MAX_PADDING: Annotated[
    int, Limit("bytes", "Random padding of a compressed response", "Padding is never longer")
] = 100
MAX_HEALTH_CHECK_S: Annotated[
    float, Limit("seconds", "Time for Redis to answer `/health`", "Redis counts as down")
] = 1.0
MAX_WATCHED_SUBAGENTS: Annotated[
    int, Limit("subagents", "Subagents that one socket follows", "Refused with an error message")
] = 32
MAX_SOCKET_FRAME_BYTES: Annotated[
    int, Limit("bytes", "Frame from a browser", "The socket is closed")
] = 1024 * 1024
MAX_SOCKETS: Annotated[
    int, Limit("sockets", "Open sockets of a user", "Refused with close code 4429")
] = 50
MAX_EVENTS_A_FRAME: Annotated[
    int, Limit("events", "Events in one frame to a browser", "Sent in the next frame")
] = 200
MAX_LOG_EVENTS: Annotated[
    int,
    Limit(
        "events",
        "Events in the event log of a conversation",
        "The oldest are deleted; readers behind them get a snapshot",
    ),
] = 20_000
MAX_LOG_S: Annotated[
    int,
    Limit("seconds", "Time that an event log is kept after its last event", "Deleted from Redis"),
] = 3600
MAX_DELETED_LOG_S: Annotated[
    int,
    Limit(
        "seconds",
        "Time that the event log of a deleted conversation is kept",
        "Deleted from Redis",
    ),
] = 60
MAX_ANNOUNCED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Event that is included in its announcement",
        "Only announced; readers fetch it from the log",
    ),
] = 32_768
MAX_FEED_EVENTS: Annotated[
    int,
    Limit(
        "events",
        "Events of a conversation that a process caches",
        "At twice as many the oldest are dropped; readers behind them read the log",
    ),
] = 250
MAX_EVENT_RESULT: Annotated[
    int, Limit("characters", "Tool result in an event", "Truncated; the page has more")
] = 400
MAX_FLUSH_WINDOW_S: Annotated[
    float, Limit("seconds", "Time for which streamed text is buffered", "Sent")
] = 0.1
MAX_STEP_S: Annotated[
    float,
    Limit("seconds", "Time between two writes of all streamed texts of a worker", "Written"),
] = 0.04
MAX_READ_SESSIONS: Annotated[
    int,
    Limit("sessions", "Latest sessions among which those of a person are found", "Not listed"),
] = 5_000
MAX_AGENT: Annotated[int, Limit("characters", "Browser's name of itself", "Truncated")] = 300
MAX_TIME_ZONE: Annotated[
    int, Limit("characters", "Name of a browser's time zone", "Treated as unknown")
] = 64
MAX_ENTRIES_A_READ: Annotated[
    int,
    Limit("events", "Events of one read of an event log", "Read by the next"),
] = 500
MAX_ENTRIES_SEARCHED: Annotated[
    int,
    Limit(
        "events",
        "Last events of a log that are searched for the ends of turns",
        "The end is announced again",
    ),
] = 500
MAX_ENDS_COMPARED: Annotated[
    int,
    Limit(
        "turns",
        "Turns of a conversation, the last ended, whose ends are looked for in its event log",
        "An end that no event told is seen after a reload",
    ),
] = 10
MAX_REMOTE_IMAGE_S: Annotated[
    float, Limit("seconds", "Fetching an image of another host", "An error message in its place")
] = 10.0
MAX_REMOTE_IMAGE_BYTES: Annotated[
    int, Limit("bytes", "Image of another host in an answer", "An error message in its place")
] = 10_000_000
MAX_REMOTE_IMAGE_PIXELS: Annotated[
    int,
    Limit(
        "pixels",
        "Image of another host in an answer, width times height",
        "An error message in its place",
    ),
] = 40_000_000
MAX_REMOTE_IMAGE_REDIRECTS: Annotated[
    int,
    Limit("redirects", "Fetching an image of another host", "An error message in its place"),
] = 3
MAX_USE_AGE: Annotated[
    timedelta,
    Limit(
        "minutes",
        "Age of what a session says of its last use",
        "The next page that is opened is noted",
    ),
] = timedelta(minutes=15)
