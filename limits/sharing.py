"""Read-only links to conversations."""

from typing import Annotated

from limits.table import Limit

MAX_SHARED_LINKS: Annotated[
    int, Limit("links", "Open links of a user", "Refused until one is revoked or has ended")
] = 200
MAX_LISTED_LINKS: Annotated[
    int, Limit("links", "Links that the settings list", "Older ones that are over are not listed")
] = 300
MAX_SHARED_TURNS: Annotated[
    int, Limit("turns", "Turns on a page of a link", "The others are on further pages")
] = 40
MAX_SNAPSHOT_BYTES: Annotated[
    int, Limit("bytes", "Text of a snapshot, with its traces", "Refused with an error message")
] = 20_000_000
MAX_SNAPSHOT_FILE_BYTES: Annotated[
    int,
    Limit("bytes", "Attachments and media that a snapshot keeps", "Refused with an error message"),
] = 40_000_000
MAX_REDACTIONS: Annotated[
    int, Limit("items", "Items that are hidden one by one", "Refused with an error message")
] = 500
MAX_SHARED_TEXT: Annotated[
    int,
    Limit("characters", "A message, an argument or a result on a page of a link", "Truncated"),
] = 200_000
MAX_SHARED_STAGE: Annotated[
    int,
    Limit(
        "characters",
        "A message in a stage of a shared trace",
        "Truncated, which the page says",
    ),
] = 50_000
MAX_UNKNOWN_LINKS: Annotated[
    int,
    Limit(
        "addresses",
        "Addresses of no link that an address, or a signed-in user, opens in 10 minutes",
        "Each link is refused with status 429 until then",
    ),
] = 60
