"""Files, previews and Markdown."""

from typing import Annotated

from limits.table import Limit

MAX_PREVIEW_ROWS: Annotated[int, Limit("rows", "Table in a preview", "Not shown")] = 200
MAX_PREVIEW_COLUMNS: Annotated[int, Limit("columns", "Table in a preview", "Not shown")] = 40
MAX_PREVIEW_CELL: Annotated[int, Limit("characters", "Cell of such a table", "Cut")] = 300
MAX_INDENTED_JSON: Annotated[
    int, Limit("characters", "JSON that a preview indents", "Shown as it is")
] = 400_000
MAX_ZIPPED_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files and folders that are counted, and put into a zip",
        "Left out, with a sentence",
    ),
] = 10_000
MAX_FOLDER_ROWS: Annotated[
    int, Limit("rows", "Rows of a folder on the page of files", "Not shown")
] = 1_000
MAX_OPEN_FOLDERS: Annotated[
    int, Limit("folders", "Folders that are open at once on that page", "Closed")
] = 50
MAX_LISTED_ROWS: Annotated[int, Limit("rows", "All rows of that page", "Not shown")] = 3_000
MAX_LISTED_DEPTH: Annotated[
    int, Limit("levels", "Folders in folders on that page", "Shown as closed")
] = 20
MAX_FILE_NAME_BYTES: Annotated[
    int, Limit("bytes", "Name of an uploaded file", "Cut before its ending")
] = 255
MAX_PREVIEW_BYTES: Annotated[int, Limit("bytes", "What a preview reads of a file", "Not read")] = (
    400_000
)
MAX_PREVIEW: Annotated[int, Limit("characters", "Text in a preview", "Cut, with a note")] = 100_000
MAX_COLOURED_PREVIEW: Annotated[
    int, Limit("characters", "Text in a preview that is coloured", "Shown without colours")
] = 30_000
MAX_PREVIEW_IMAGE_BYTES: Annotated[
    int, Limit("bytes", "Image in a preview", "Offered as a download only")
] = 10_000_000
MAX_PREVIEW_IMAGE_PIXELS: Annotated[
    int, Limit("pixels", "Image in a preview, width times height", "Offered as a download only")
] = 40_000_000
MAX_ATTACHMENT_PREVIEW: Annotated[
    int, Limit("characters", "Text of an attachment in the chat", "Cut; all of it is one link away")
] = 20_000
MAX_VALUE: Annotated[
    int,
    Limit(
        "characters", "Arguments or result of a call in the chat", "Cut; the trace has all of it"
    ),
] = 20_000
MAX_VALUE_ROWS: Annotated[int, Limit("rows", "The same, as a table", "Not shown, with a note")] = 50
MAX_VALUE_COLUMNS: Annotated[
    int, Limit("columns", "The same, as a table", "Not shown, with a note")
] = 12
MAX_VALUE_NODES: Annotated[int, Limit("nodes", "The same, as a tree", "Shown as text")] = 400
MAX_VALUE_DEPTH: Annotated[int, Limit("levels", "The same, as a tree", "Shown as text")] = 12
MAX_SHOWN_REPLACED: Annotated[
    int, Limit("results", "Results that the note of a compaction lists", "Counted")
] = 100
MAX_ARCHIVE_DEPTH: Annotated[
    int, Limit("levels", "Folders in folders of an uploaded skill", "Refused with a sentence")
] = 10
MAX_ARCHIVE_NAME_BYTES: Annotated[
    int, Limit("bytes", "Part of a path in an uploaded skill", "Refused with a sentence")
] = 200
MAX_ARCHIVE_ENTRIES: Annotated[
    int, Limit("entries", "Entries of a zip with a skill", "Refused with a sentence")
] = 5_000
MAX_SKILL_PREVIEW_BYTES: Annotated[int, Limit("bytes", "File of a skill on its page", "Cut")] = (
    100_000
)
MAX_UPLOADED_FILES: Annotated[
    int, Limit("files", "Files of an uploaded folder", "Refused with a sentence")
] = 100
MAX_HIGHLIGHTED: Annotated[int, Limit("characters", "Code that is coloured", "Shown plain")] = (
    100_000
)
MAX_HIGHLIGHT_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Processes that colour code, of a web process or worker",
        "Waits for a free one",
    ),
] = 2
MAX_HIGHLIGHT_WAIT_S: Annotated[float, Limit("seconds", "Wait for a free one", "Shown plain")] = 2.0
MAX_HIGHLIGHT_GRACE_S: Annotated[
    float, Limit("seconds", "Its answer by the clock, beside its CPU time", "Ended; shown plain")
] = 2.0
MAX_FORMULA: Annotated[int, Limit("characters", "Formula", "Shown as text")] = 1000
MAX_REMEMBERED_MARKDOWN: Annotated[
    int, Limit("characters", "Text whose HTML is kept in memory", "Rendered again")
] = 20_000
MAX_MARKDOWN_BLOCK: Annotated[
    int, Limit("characters", "Block of Markdown that is rendered", "Shown as plain text")
] = 200_000
MAX_SPARE_CELLS: Annotated[
    int,
    Limit(
        "cells",
        "Empty cells that the tables of a text may have beside one for each character",
        "Shown as text",
    ),
] = 2_000
