"""The recording gateway."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_GATEWAY_CALLS: Annotated[
    int, Limit("calls", "Calls of a user that run at once in a web process", "Refused (429)")
] = 200
MAX_GATEWAY_REQUEST_BYTES: Annotated[
    int, Limit("bytes", "Body of a request to a provider", "Refused with status 413")
] = 64 * 1024 * 1024
MAX_GATEWAY_JUDGED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Body of a request that is judged before it is passed on",
        "Refused with status 413",
    ),
] = 32 * 1024 * 1024
MAX_GATEWAY_JUDGED_VALUES: Annotated[
    int,
    Limit(
        "commas and brackets",
        "Commas and opening brackets of a JSON body that is judged",
        "Refused with status 413",
    ),
] = 1_000_000
MAX_GATEWAY_HELD_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Bodies that are judged, until their calls end, in a web process; of a user half of it",
        "Refused (429)",
    ),
] = 256 * 1024 * 1024
MAX_GATEWAY_HELD_PIECES: Annotated[
    int,
    Limit(
        "pieces",
        "Pieces of a request's body, of 64 KB, that wait for the provider to take them",
        "The caller has to wait",
    ),
] = 4
MAX_GATEWAY_SILENCE_S: Annotated[
    float,
    Limit("seconds", "Time without data from a provider", "The call is cut with status 504"),
] = 600.0
MAX_GATEWAY_RECORD_BYTES: Annotated[
    int,
    Limit("bytes", "Recorded request and response of a call together", "The call is not recorded"),
] = 64 * 1024 * 1024
MAX_GATEWAY_CHUNKS: Annotated[
    int, Limit("chunks", "Recorded arrivals of a response", "Later ones count as one")
] = 200_000
MAX_GATEWAY_PENDING_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Bodies of all calls that run or wait to be written, in a web process",
        "Further calls are not recorded",
    ),
] = 256 * 1024 * 1024
MAX_GATEWAY_PENDING_CALLS: Annotated[
    int,
    Limit(
        "calls",
        "Ended calls that wait to be written, in a web process",
        "Further calls are not recorded",
    ),
] = 2_000
MAX_GATEWAY_WRITE_ATTEMPTS: Annotated[
    int,
    Limit(
        "attempts", "Attempts to write a call while the database fails", "The call is not recorded"
    ),
] = 3
MAX_GATEWAY_TOKEN_AGE_S: Annotated[
    float,
    Limit("seconds", "Time for which a token and its providers are cached", "They are read again"),
] = 5.0
MAX_GATEWAY_TOKEN_WAIT_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time that a call waits for the database to read a known token again",
        "What was known of the token counts",
    ),
] = 1.0
MAX_GATEWAY_STALE_TOKEN_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time for which a known token counts while the database does not answer",
        "The call fails",
    ),
] = 300.0
MAX_GATEWAY_TOKENS: Annotated[
    int, Limit("tokens", "Cached tokens in a web process", "The oldest is read again")
] = 5_000
MAX_GATEWAY_SESSION_NAME: Annotated[
    int, Limit("characters", "Name of a session (`X-Roundtrip-Session`)", "Refused (400)")
] = 120
MAX_GATEWAY_READ_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "A recorded body that is read for messages, usage and tool calls",
        "Only its bytes are shown",
    ),
] = 32 * 1024 * 1024
MAX_GATEWAY_CALLS_A_ROUND: Annotated[
    int, Limit("calls", "Tool calls of a round that a trace shows", "The others are left out")
] = 100
MAX_GATEWAY_LOOP_PAUSE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time between two rounds of a loop",
        "The trace is ended; what comes later begins another",
    ),
] = timedelta(minutes=10)
MAX_GATEWAY_RETRY_PAUSE: Annotated[
    timedelta,
    Limit(
        "seconds",
        "Time until the same request counts as another attempt of a failed one",
        "The trace is ended as failed",
    ),
] = timedelta(minutes=1)
