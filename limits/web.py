"""Requests and accounts."""

from typing import Annotated

from limits.table import Limit

MAX_BODY_BYTES: Annotated[int, Limit("bytes", "Body of a request, uploads excepted", "413")] = (
    4 * 1024 * 1024
)
MAX_STRANGER_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of a request from nobody who is signed in", "401 before more is read")
] = 64 * 1024
MAX_FORM_BYTES: Annotated[
    int, Limit("bytes", "Fields of a form around an uploaded file, beside the file", "413")
] = 64 * 1024
MAX_FOLDER_FORM_BYTES: Annotated[
    int, Limit("bytes", "Fields of a form around an uploaded folder, beside its files", "413")
] = 256 * 1024
MAX_BODY_GRACE_S: Annotated[
    float,
    Limit("seconds", "Time of a body before its rate counts", "408 where the rate is too low"),
] = 20.0
MIN_BODY_RATE: Annotated[
    int, Limit("bytes a second", "Lowest rate of a body after that time", "408")
] = 10_000
# Pages of several threads hold each other up: four leave another user's within a second.
MAX_REQUESTS: Annotated[int, Limit("requests", "Requests of a user at once", "Waits")] = 4
MAX_WAITING_REQUESTS: Annotated[int, Limit("requests", "Requests of a user that wait", "429")] = 64
MAX_STRANGER_REQUESTS: Annotated[
    int, Limit("requests", "Requests of strangers with one address at once", "Waits")
] = 16
MAX_STRANGER_WAITING: Annotated[
    int, Limit("requests", "Requests of strangers with one address that wait", "429")
] = 256
MAX_SEND_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time in which a client takes a piece of an answer",
        "Its place is given to the next request",
    ),
] = 1.0
MAX_KNOWN_SESSIONS: Annotated[
    int,
    Limit("sessions", "Sessions whose user a process remembers", "The oldest is looked up again"),
] = 10_000
MAX_AUDITED_NAME: Annotated[int, Limit("characters", "Name in the record of sign-ins", "Cut")] = 150
MAX_DEVICE_DAYS: Annotated[
    int, Limit("days", "Age of a device cookie", "The device counts as unknown")
] = 365
MAX_SIGN_IN_LINK_MINUTES: Annotated[
    int, Limit("minutes", "Age of a sign-in link", "Refused; ask for another one")
] = 15
MAX_AUDIT_DAYS: Annotated[int, Limit("days", "Age of a record of a sign-in", "Deleted")] = 180
MAX_PADDING: Annotated[
    int, Limit("bytes", "Random padding of a compressed answer", "None is longer")
] = 100
MAX_HEALTH_CHECK_S: Annotated[
    float, Limit("seconds", "Wait of `/health` for Redis", "Redis counts as down")
] = 1.0
MAX_WATCHED_SUBAGENTS: Annotated[
    int, Limit("subagents", "Subagents that a socket follows", "Refused with a sentence")
] = 32
MAX_SOCKET_FRAME_BYTES: Annotated[
    int, Limit("bytes", "Frame from a browser", "The socket is closed")
] = 1024 * 1024
MAX_SOCKETS: Annotated[
    int, Limit("sockets", "Open sockets of a user", "Refused with code 4429")
] = 50
MAX_EVENTS_A_FRAME: Annotated[
    int, Limit("events", "Events in one frame to a browser", "In the next frame")
] = 200
MAX_LOG_EVENTS: Annotated[
    int, Limit("events", "Event log of a conversation", "The oldest go; readers get a snapshot")
] = 20_000
MAX_LOG_S: Annotated[
    int, Limit("seconds", "Age of an event log after its last event", "Deleted from Redis")
] = 3600
MAX_ANNOUNCED_BYTES: Annotated[
    int, Limit("bytes", "Event that its announcement carries along", "Read from the log")
] = 32_768
MAX_FEED_EVENTS: Annotated[
    int,
    Limit(
        "events",
        "Events of a conversation that a process keeps",
        "Twice as many are cut to these; readers get a snapshot",
    ),
] = 2_000
MAX_EVENT_RESULT: Annotated[
    int, Limit("characters", "Tool result in an event", "Cut; the page has more")
] = 400
MAX_FLUSH_WINDOW_S: Annotated[
    float, Limit("seconds", "Time in which streamed text is collected before it is sent", "Sent")
] = 0.1
MAX_TIME_ZONE: Annotated[
    int, Limit("characters", "Name of a browser's time zone", "Taken for unknown")
] = 64
