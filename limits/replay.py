"""Playground, cassettes and code of a request."""

from typing import Annotated

from limits.table import Limit

MAX_CASSETTE_ANSWER_BYTES: Annotated[
    int, Limit("bytes", "Uncompressed response of a cassette", "The cassette is refused")
] = 64 * 1024 * 1024
MAX_CASSETTE_NAME: Annotated[int, Limit("characters", "Name of a cassette", "Truncated")] = 80
MAX_CASSETTE_STARTERS: Annotated[
    int,
    Limit(
        "questions",
        "Questions of a cassette that are offered as conversation starters",
        "The others are omitted",
    ),
] = 4
MAX_CACHED_CASSETTES: Annotated[
    int,
    Limit(
        "cassettes",
        "Cassettes that a process caches",
        "The least recently used one is dropped",
    ),
] = 4
MAX_CASSETTE_COLLECTIONS: Annotated[
    int,
    Limit(
        "collections",
        "Lists and objects in the file of a cassette",
        "Refused with an error message",
    ),
] = 2_000_000
MAX_CASSETTE_REQUEST_BYTES: Annotated[
    int, Limit("bytes", "Request to the server of `manage.py cassette`", "Refused")
] = 64 * 1024 * 1024
MAX_CASSETTE_START_S: Annotated[
    float,
    Limit(
        "seconds",
        "Time to start or stop the server of `manage.py cassette`",
        "The command goes on without waiting",
    ),
] = 5.0
MAX_CURL_ARGUMENT_BYTES: Annotated[
    int, Limit("bytes", "Request body within a `curl` command", "The body is in a file of its own")
] = 100_000
MAX_CODE_DEPTH: Annotated[
    int,
    Limit("levels", "Nesting of JSON that is written as Python", "Refused with an error message"),
] = 100
MAX_SHOWN_CODE: Annotated[
    int, Limit("bytes", "Code of a request on its page", "Truncated, with a link to all of it")
] = 200_000
MAX_RERUN_LINE: Annotated[
    int, Limit("characters", "Line of a difference that `manage.py rerun` prints", "Truncated")
] = 160
MAX_DIFFERENCE_STEPS: Annotated[
    int, Limit("steps", "Steps of comparing two outputs", "Shown without differences")
] = 400_000
MAX_COMPARED_WORDS: Annotated[
    int, Limit("words", "Words of two outputs that are compared", "Shown without differences")
] = 60_000
MAX_DRAFT_BYTES: Annotated[
    int, Limit("bytes", "Draft in the playground", "Refused with an error message")
] = 2_000_000
MAX_DRAFT_PROBLEMS: Annotated[
    int, Limit("problems", "Problems of a draft that are listed", "The others are omitted")
] = 20
MAX_OUTPUT_TEXT: Annotated[
    int,
    Limit(
        "characters",
        "Output text on a page of the playground",
        "Truncated; the trace has all of it",
    ),
] = 200_000
MAX_PARTIAL_S: Annotated[
    int,
    Limit("seconds", "Time that the text of a run is kept in Redis", "Deleted; the trace has it"),
] = 3600
MAX_OPEN_RUNS: Annotated[
    int, Limit("runs", "Open playground runs of a user", "Refused with an error message")
] = 4
MAX_LISTED_PLAYGROUNDS: Annotated[
    int, Limit("playgrounds", "Playgrounds on the page that lists them", "The others are not shown")
] = 100
MAX_PLAYGROUND_TITLE: Annotated[int, Limit("characters", "Title of a playground", "Truncated")] = (
    120
)
MAX_FOLDED_PROMPT: Annotated[
    int, Limit("characters", "Unchanged text of a prompt, collapsed on its page", "Truncated")
] = 20_000
MAX_SHOWN_PROMPT: Annotated[
    int, Limit("characters", "New text of a prompt on its page", "Truncated")
] = 60_000
MAX_COMPARED_LINES: Annotated[
    int, Limit("lines", "Lines of two prompts that are compared", "All lines are shown as new")
] = 1_500
MAX_CASSETTE_BYTES: Annotated[
    int, Limit("bytes", "Uploaded cassette", "Refused with an error message", "`CASSETTE_BYTES`")
] = 32_000_000
