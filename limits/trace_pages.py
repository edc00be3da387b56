"""Pages of traces."""

from typing import Annotated

from limits.table import Limit

MAX_ARCHIVE_TURNS: Annotated[
    int, Limit("turns", "Turns on one page of a conversation's traces", "Shown on the next page")
] = 50
MAX_LINKED_ROUNDS: Annotated[
    int,
    Limit(
        "rounds",
        "Rounds of a turn that are linked one by one",
        "The others are counted, not listed",
    ),
] = 20
MAX_ARRIVAL_BYTES: Annotated[int, Limit("bytes", "Event in the list of arrivals", "Truncated")] = (
    600
)
MAX_BASELINES: Annotated[
    int, Limit("turns", "Turns that are offered for comparison", "The others are not offered")
] = 30
MAX_SIDE_BY_SIDE_MESSAGE: Annotated[
    int, Limit("characters", "Message in a comparison of two requests", "Truncated")
] = 4_000
MAX_CALL_BYTES: Annotated[
    int, Limit("bytes", "Arguments or result of a call", "Truncated, with a link to all of it")
] = 50_000
MAX_CALL_FRAMES_BYTES: Annotated[
    int, Limit("bytes", "MCP messages of a call that its page reads", "The rest is not read")
] = 4_000_000
MAX_CHANGED_MESSAGES: Annotated[
    int,
    Limit(
        "messages",
        "Changed messages that a comparison of two requests pairs",
        "Shown as removed and added",
    ),
] = 100
MAX_COMPARED_MESSAGE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Messages of two requests that are compared word by word",
        "Shown without differences",
    ),
] = 2_000_000
MAX_SHOWN_SUMMARY: Annotated[
    int, Limit("characters", "Summary of a compaction on its page", "Truncated")
] = 20_000
MAX_REPLACED_RESULTS: Annotated[
    int, Limit("results", "Replaced results on the page of a compaction", "The others are omitted")
] = 200
MAX_DIFFERENCES: Annotated[
    int,
    Limit(
        "differences", "Differences of two lists of messages", "Treated as different conversations"
    ),
] = 400
MAX_MESSAGE_VIEW: Annotated[
    int, Limit("characters", "Message of a request on the page", "Truncated")
] = 12_000
MAX_FRAMES: Annotated[
    int,
    Limit("messages", "MCP messages of a call on the page", "The others are counted, not listed"),
] = 200
MAX_SHOWN_FRAME_BYTES: Annotated[
    int, Limit("bytes", "One MCP message of a call on the page", "Truncated")
] = 10_000
MAX_TOOL_DEFINITION: Annotated[
    int, Limit("characters", "Tool definition on the page", "Truncated")
] = 20_000
MAX_CHANGED_LINES: Annotated[
    int, Limit("lines", "Changed lines of two texts", "Shown without differences")
] = 300
MAX_CHANGED_WORDS: Annotated[
    int, Limit("words", "Changed words of two lines", "The lines are shown without differences")
] = 200
MAX_COMPARED_TEXT: Annotated[
    int, Limit("characters", "Text that is compared word by word", "Compared by lines only")
] = 20_000
MAX_SHOWN_CHANGE: Annotated[int, Limit("characters", "Changed part of a text", "Truncated")] = 4_000
MAX_COLOURED_JSON: Annotated[
    int, Limit("characters", "JSON that is highlighted", "Shown without highlighting")
] = 60_000
MAX_ESCAPES: Annotated[
    int, Limit("escapes", "Escape sequences of a string that are marked", "Shown without marks")
] = 5_000
MAX_INDENTED: Annotated[int, Limit("characters", "JSON that is indented", "Shown on one line")] = (
    4_000_000
)
MAX_INDENT: Annotated[
    int, Limit("levels", "Depth of indentation of JSON", "Indented no further")
] = 40
MAX_TREE_NODES: Annotated[
    int, Limit("nodes", "Nodes of JSON that is shown as a tree", "Shown as text, in parts")
] = 6_000
MAX_TREE_DEPTH: Annotated[
    int, Limit("levels", "Nesting of JSON that is shown as a tree", "Shown as text, in parts")
] = 60
MAX_NESTED_SPANS: Annotated[
    int, Limit("spans", "Spans of subagents that a page reads", "The others are omitted")
] = 3_000
MAX_NESTED_ROUNDS: Annotated[
    int,
    Limit("rounds", "Rounds of a subagent that are listed", "The others are counted, not listed"),
] = 40
MAX_MARKS: Annotated[
    int, Limit("marks", "Marks within a part of a body", "The others are not shown")
] = 2_000
MAX_WHOLE_DOWNLOAD_BYTES: Annotated[
    int, Limit("bytes", "Body that is downloaded in one piece", "Streamed")
] = 1_000_000
MAX_PLAYED_PIECES: Annotated[
    int, Limit("pieces", "Steps of the player of a response", "Neighbours are merged")
] = 2_000
MAX_REQUEST: Annotated[
    int, Limit("characters", "All messages of a request on the page", "Each is truncated")
] = 200_000
MAX_RESPONSE_TEXT: Annotated[int, Limit("characters", "Response text on the page", "Truncated")] = (
    200_000
)
MAX_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Stage on a page", "Truncated, with a link to all of it")
] = 200_000
MAX_UNPACKED_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Uncompressed body that is read", "The rest is not read")
] = 16 * 1024 * 1024
MAX_READ_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Body that is parsed for the page", "Shown in parts")
] = 32 * 1024 * 1024
MAX_LISTED_ROUNDS: Annotated[
    int, Limit("rounds", "Rounds that the tree of a trace lists at once", "Behind a link")
] = 100
MAX_LISTED_SPANS: Annotated[
    int,
    Limit(
        "spans",
        "Spans below the listed rounds of a trace",
        "Only those of the chosen round are listed",
    ),
] = 120
MAX_LOCATED_MESSAGES: Annotated[
    int, Limit("messages", "Messages that are located in a prompt", "The others are not marked")
] = 200
MAX_OFFENDERS: Annotated[
    int,
    Limit("rows", "Slowest and most failing, a table of the dashboard", "Not listed"),
] = 8
