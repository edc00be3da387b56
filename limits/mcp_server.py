"""Roundtrip as an MCP server, and the programs that people connect to it."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_MCP_BODY_BYTES: Annotated[
    int, Limit("bytes", "Body of a request to `/mcp`", "Refused with status 413")
] = 1024 * 1024
MAX_MCP_REQUESTS: Annotated[
    int,
    Limit(
        "requests",
        "Requests to `/mcp` of one person, or without a valid token from one address, at once",
        "Refused with status 429",
    ),
] = 16
MAX_MCP_TEXT: Annotated[
    int,
    Limit(
        "characters",
        "A text in the result of a tool of `/mcp`",
        "Cut, with a note on how to read the rest",
    ),
] = 4_000
MAX_MCP_STAGE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Bytes of a stage that one call of `read_stage` gives",
        "The rest is given by further calls",
    ),
] = 64 * 1024
MAX_MCP_ENTRIES: Annotated[
    int,
    Limit(
        "entries",
        "Entries of a list in the result of a tool of `/mcp`",
        "The others are counted, with a note on how to get them",
    ),
] = 50
MAX_MCP_WAIT_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time for which a tool of `/mcp` waits for a turn or a run",
        "It answers with what there is, and with how to wait on",
    ),
] = 300.0
MAX_OAUTH_CLIENTS: Annotated[
    int,
    Limit(
        "programs",
        "Programs that registered themselves for OAuth and that nobody allowed anything",
        "The oldest are forgotten",
    ),
] = 500
MAX_OAUTH_CLIENT_BYTES: Annotated[
    int,
    Limit("bytes", "What a program tells of itself for OAuth", "Refused"),
] = 16 * 1024
MAX_REDIRECT_URIS: Annotated[
    int, Limit("addresses", "Redirect addresses of a program", "Refused")
] = 10
MAX_REDIRECT_URI: Annotated[
    int, Limit("characters", "Redirect address or id of a program", "Refused")
] = 500
MAX_CLIENT_DOCUMENT_S: Annotated[
    float, Limit("seconds", "Time to read the document that describes a program", "Refused")
] = 5.0
MAX_CLIENT_DOCUMENT_AGE: Annotated[
    timedelta, Limit("seconds", "Age of the document that describes a program", "Read anew")
] = timedelta(hours=1)
MAX_AUTHORIZATION_CODE_AGE: Annotated[
    timedelta, Limit("seconds", "Age of an authorization code", "Refused")
] = timedelta(minutes=1)
MAX_ACCESS_TOKEN_AGE: Annotated[
    timedelta, Limit("seconds", "Age of a token that a program got by OAuth", "Refreshed")
] = timedelta(hours=1)
MAX_REFRESH_TOKEN_AGE: Annotated[
    timedelta,
    Limit("seconds", "Time without use of a program's connection", "The person allows it again"),
] = timedelta(days=30)
