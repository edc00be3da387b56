"""The API for programs, and its tokens."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_TOKEN_SECRET: Annotated[
    int, Limit("characters", "Bearer token that a request has", "Refused as unknown, status 401")
] = 200
MAX_TOKEN_NAME: Annotated[
    int, Limit("characters", "Name of an API token", "Refused with an error message")
] = 80
MAX_TOKENS: Annotated[
    int, Limit("tokens", "API tokens of a person that can be used", "Refused with an error message")
] = 100
MAX_TOKEN_DAYS: Annotated[
    int, Limit("days", "Time until an API token expires", "Refused with an error message")
] = 3660
MAX_LISTED_TOKENS: Annotated[
    int, Limit("tokens", "API tokens in the settings, the latest first", "Not listed")
] = 200
MAX_API_PAGE: Annotated[
    int, Limit("items", "Items of one page of a list of the API", "Refused with status 422")
] = 200
MAX_API_CURSOR: Annotated[
    int, Limit("characters", "Cursor of a list of the API", "Refused with status 422")
] = 1000
MAX_IDEMPOTENCY_KEY: Annotated[
    int, Limit("characters", "Idempotency key of a POST", "Refused with status 400")
] = 200
MAX_IDEMPOTENT_ANSWER: Annotated[
    int,
    Limit("bytes", "Answer to a POST that is kept for its idempotency key", "Not kept"),
] = 256 * 1024
MAX_IDEMPOTENCY_AGE: Annotated[
    timedelta, Limit("hours", "Time that an idempotency key is remembered", "Forgotten")
] = timedelta(hours=24)
MAX_IDEMPOTENT_RUN: Annotated[
    timedelta,
    Limit("minutes", "Time that a request with an idempotency key may run", "Its key can be sent"),
] = timedelta(minutes=10)
MAX_API_TEXT: Annotated[
    int, Limit("characters", "Short text in a request to the API", "Refused with status 422")
] = 1000
MAX_EVENT_STREAMS: Annotated[
    int,
    Limit("streams", "Event streams that a person has open in one process", "Status 429"),
] = 50
MAX_WAITING_SOCKETS: Annotated[
    int,
    Limit("sockets", "Open sockets of a process that have not authenticated yet", "Closed"),
] = 100
MAX_AUTHENTICATION_S: Annotated[
    float,
    Limit("seconds", "Time for a socket without a session to send its token", "Closed"),
] = 10.0
MAX_API_MESSAGES: Annotated[
    int, Limit("messages", "Messages or items of one request to `/v1`", "Refused with status 400")
] = 2000
MAX_API_TOOLS: Annotated[
    int, Limit("tools", "Tools of a client in one request to `/v1`", "Refused with status 400")
] = 128
MAX_API_METADATA: Annotated[
    int, Limit("characters", "`metadata` of a request to `/v1`, as JSON", "Refused with status 400")
] = 16 * 1024
MAX_API_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of a request to `/v1`", "Refused with status 413")
] = 20 * 1024 * 1024
MAX_API_CALLS: Annotated[
    int,
    Limit("calls", "Open calls of `/v1` of a person in a web process", "Refused with status 429"),
] = 64
MAX_API_WAIT_FOR_PERSON_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time that a call of `/v1` waits for a person to approve or answer",
        "The turn is stopped, and the call fails with the code `approval_required`",
    ),
] = 120.0
MAX_API_ANSWER_TOKENS: Annotated[
    int, Limit("tokens", "`max_tokens` of a request of /v1", "Refused with status 400")
] = 10_000_000
MAX_DOCUMENTED_NESTING: Annotated[
    int, Limit("levels", "Nested objects on the page of the API", "Shown as “object”")
] = 3
