"""Playground, cassettes and code of a request."""

from typing import Annotated

from limits.table import Limit

MAX_CASSETTE_ANSWER_BYTES: Annotated[
    int, Limit("bytes", "Unpacked answer of a cassette", "Refused")
] = 64 * 1024 * 1024
MAX_CASSETTE_NAME: Annotated[int, Limit("characters", "Name of a cassette", "Cut")] = 80
MAX_CASSETTE_STARTERS: Annotated[
    int, Limit("questions", "Questions of a cassette that are offered as starters", "Left out")
] = 4
MAX_CACHED_CASSETTES: Annotated[
    int,
    Limit(
        "cassettes",
        "Cassettes that a process keeps in memory",
        "The one used longest ago is read again",
    ),
] = 4
MAX_CASSETTE_COLLECTIONS: Annotated[
    int, Limit("collections", "Lists and objects of a cassette's file", "Refused with a sentence")
] = 2_000_000
MAX_CASSETTE_REQUEST_BYTES: Annotated[
    int, Limit("bytes", "Request to the server of cassettes of `manage.py cassette`", "Refused")
] = 64 * 1024 * 1024
MAX_CASSETTE_START_S: Annotated[
    float, Limit("seconds", "Start and end of that server", "Gone on without")
] = 5.0
MAX_CURL_ARGUMENT_BYTES: Annotated[
    int, Limit("bytes", "Body within a `curl` command", "Read from a file beside it")
] = 100_000
MAX_CODE_DEPTH: Annotated[
    int, Limit("levels", "JSON that is written as Python", "Refused with a sentence")
] = 100
MAX_SHOWN_CODE: Annotated[
    int, Limit("bytes", "Code on a page", "Cut; all of it is one link away")
] = 200_000
MAX_RERUN_LINE: Annotated[
    int, Limit("characters", "Line of a difference that a rerun prints", "Cut")
] = 160
MAX_DIFFERENCE_STEPS: Annotated[
    int, Limit("steps", "Work of comparing two outputs", "Not compared")
] = 400_000
MAX_COMPARED_WORDS: Annotated[
    int, Limit("words", "Words of two outputs that are compared", "Shown whole")
] = 60_000
MAX_DRAFT_BYTES: Annotated[
    int, Limit("bytes", "Draft in the playground", "Refused with a sentence")
] = 2_000_000
MAX_DRAFT_PROBLEMS: Annotated[
    int, Limit("problems", "Problems of a draft that are told", "Left out")
] = 20
MAX_OUTPUT_TEXT: Annotated[
    int, Limit("characters", "Text of an output on the page", "Cut; the trace has all of it")
] = 200_000
MAX_PARTIAL_S: Annotated[
    int, Limit("seconds", "Age of a run's text in Redis", "Deleted; the database has it")
] = 3600
MAX_OPEN_RUNS: Annotated[
    int, Limit("runs", "Playground runs of a user at once", "Refused with a sentence")
] = 4
MAX_LISTED_PLAYGROUNDS: Annotated[
    int, Limit("playgrounds", "Playgrounds on the page", "Not shown")
] = 100
MAX_PLAYGROUND_TITLE: Annotated[int, Limit("characters", "Title of a playground", "Cut")] = 120
MAX_FOLDED_PROMPT: Annotated[
    int, Limit("characters", "Unchanged text of a prompt, folded on its page", "Cut")
] = 20_000
MAX_SHOWN_PROMPT: Annotated[int, Limit("characters", "New text of a prompt on its page", "Cut")] = (
    60_000
)
MAX_COMPARED_LINES: Annotated[
    int, Limit("lines", "Lines of two prompts that are compared", "Shown as new")
] = 1_500
MAX_CASSETTE_BYTES: Annotated[
    int, Limit("bytes", "Uploaded cassette", "Refused with a sentence", "`CASSETTE_BYTES`")
] = 32_000_000
