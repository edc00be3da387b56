"""Pages of traces."""

from typing import Annotated

from limits.table import Limit

MAX_ARCHIVE_TURNS: Annotated[
    int, Limit("turns", "Turns on a page of a conversation's traces", "On the next page")
] = 50
MAX_LINKED_ROUNDS: Annotated[
    int, Limit("rounds", "Rounds of a turn that are linked one by one", "Counted")
] = 20
MAX_ARRIVAL_BYTES: Annotated[int, Limit("bytes", "Event in the list of arrivals", "Cut")] = 600
MAX_BASELINES: Annotated[
    int, Limit("turns", "Turns that another one can be compared with", "Not offered")
] = 30
MAX_BESIDE_ENTRY: Annotated[
    int, Limit("characters", "Message of two requests side by side", "Cut")
] = 4_000
MAX_CALL_BYTES: Annotated[
    int, Limit("bytes", "Arguments or result of a call", "Cut; all of it is one link away")
] = 50_000
MAX_CALL_FRAMES_BYTES: Annotated[
    int, Limit("bytes", "MCP messages of a call that are read for its page", "Cut")
] = 4_000_000
MAX_CHANGED_MESSAGES: Annotated[
    int,
    Limit(
        "messages", "Changed messages of two requests that are paired", "Shown as removed and added"
    ),
] = 100
MAX_COMPARED_MESSAGE_BYTES: Annotated[
    int, Limit("bytes", "Messages that are compared word by word", "Shown whole")
] = 2_000_000
MAX_SHOWN_SUMMARY: Annotated[int, Limit("characters", "Summary of a compaction", "Cut")] = 20_000
MAX_REPLACED_RESULTS: Annotated[
    int, Limit("results", "Results that a compaction replaced", "Left out")
] = 200
MAX_DIFFERENCES: Annotated[
    int,
    Limit(
        "differences", "Differences of two lists of messages", "Taken for different conversations"
    ),
] = 400
MAX_ENTRY: Annotated[int, Limit("characters", "Message of a request", "Cut")] = 12_000
MAX_FRAMES: Annotated[int, Limit("messages", "MCP messages of a call", "Counted")] = 200
MAX_SHOWN_FRAME_BYTES: Annotated[int, Limit("bytes", "One of them", "Cut")] = 10_000
MAX_GIVEN_TOOL: Annotated[int, Limit("characters", "Definition of a tool", "Cut")] = 20_000
MAX_CHANGED_LINES: Annotated[int, Limit("lines", "Changed lines of two texts", "Shown whole")] = 300
MAX_CHANGED_WORDS: Annotated[int, Limit("words", "Changed words of two lines", "Shown whole")] = 200
MAX_COMPARED_TEXT: Annotated[
    int, Limit("characters", "Text that is compared word by word", "Changed lines are shown whole")
] = 20_000
MAX_SHOWN_CHANGE: Annotated[int, Limit("characters", "Change of a text", "Cut")] = 4_000
MAX_COLOURED_JSON: Annotated[int, Limit("characters", "JSON that is coloured", "Shown plain")] = (
    60_000
)
MAX_ESCAPES: Annotated[
    int, Limit("escapes", "Escapes of a string that are marked", "Shown as written")
] = 5_000
MAX_INDENTED: Annotated[int, Limit("characters", "JSON that is indented", "On one line")] = (
    4_000_000
)
MAX_INDENT: Annotated[int, Limit("levels", "Indentation of JSON", "Indented no further")] = 40
MAX_TREE_NODES: Annotated[int, Limit("nodes", "JSON as a tree", "Shown as text, by parts")] = 6_000
MAX_TREE_DEPTH: Annotated[int, Limit("levels", "JSON as a tree", "Shown as text, by parts")] = 60
MAX_NESTED_SPANS: Annotated[
    int, Limit("spans", "Spans of subagents that are read for a page", "Left out")
] = 3_000
MAX_NESTED_ROUNDS: Annotated[
    int, Limit("rounds", "Rounds of a subagent that are listed", "Counted")
] = 40
MAX_MARKS: Annotated[int, Limit("marks", "Marks within a part of a body", "Not shown")] = 2_000
MAX_WHOLE_DOWNLOAD_BYTES: Annotated[
    int, Limit("bytes", "Body that is sent at once", "Sent in pieces")
] = 1_000_000
MAX_PLAYED_PIECES: Annotated[
    int, Limit("pieces", "Pieces of an answer that is played again", "Neighbours are joined")
] = 2_000
MAX_REQUEST: Annotated[
    int, Limit("characters", "All messages of a request on a page", "Each is cut")
] = 200_000
MAX_SPOKEN: Annotated[int, Limit("characters", "Answer of a model", "Cut")] = 200_000
MAX_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Stage on a page", "Cut; all of it is one link away")
] = 200_000
MAX_UNPACKED_STAGE_BYTES: Annotated[int, Limit("bytes", "Compressed body that is read", "Cut")] = (
    16 * 1024 * 1024
)
MAX_READ_STAGE_BYTES: Annotated[
    int, Limit("bytes", "Body that is read for what it says", "Shown by parts")
] = 32 * 1024 * 1024
MAX_LISTED_ROUNDS: Annotated[
    int, Limit("rounds", "Rounds of a trace that are listed at once", "One link away")
] = 100
MAX_LISTED_SPANS: Annotated[
    int, Limit("spans", "Spans below them", "Only the chosen round's are listed")
] = 120
MAX_SOUGHT_MESSAGES: Annotated[
    int, Limit("messages", "Messages that are looked for in a prompt", "Not marked")
] = 200
