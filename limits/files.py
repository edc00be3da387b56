"""Files, previews and Markdown."""

from typing import Annotated

from limits.table import Limit

MAX_PREVIEW_ROWS: Annotated[
    int, Limit("rows", "Rows of a table in a preview", "The others are not shown")
] = 200
MAX_PREVIEW_COLUMNS: Annotated[
    int, Limit("columns", "Columns of a table in a preview", "The others are not shown")
] = 40
MAX_PREVIEW_CELL: Annotated[
    int, Limit("characters", "Cell of a table in a preview", "Truncated")
] = 300
MAX_INDENTED_JSON: Annotated[
    int, Limit("characters", "JSON that a preview indents", "Shown without indentation")
] = 400_000
MAX_ZIPPED_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files and folders of a workspace that are counted and zipped",
        "The others are omitted, with a message",
    ),
] = 10_000
MAX_FOLDER_ROWS: Annotated[
    int, Limit("rows", "Rows of one folder on the page of files", "The others are not shown")
] = 1_000
MAX_OPEN_FOLDERS: Annotated[
    int, Limit("folders", "Expanded folders on the page of files", "The others are shown collapsed")
] = 50
MAX_LISTED_ROWS: Annotated[
    int, Limit("rows", "All rows on the page of files", "The others are not shown")
] = 3_000
MAX_LISTED_DEPTH: Annotated[
    int,
    Limit("levels", "Nesting of folders on the page of files", "Deeper ones are shown collapsed"),
] = 20
MAX_FILE_NAME_BYTES: Annotated[
    int, Limit("bytes", "Name of an uploaded file", "Truncated before its extension")
] = 255
MAX_PREVIEW_BYTES: Annotated[
    int, Limit("bytes", "Bytes of a file that a preview reads", "The rest is not read")
] = 400_000
MAX_PREVIEW: Annotated[int, Limit("characters", "Text in a preview", "Truncated, with a note")] = (
    100_000
)
MAX_COLOURED_PREVIEW: Annotated[
    int, Limit("characters", "Text that a preview highlights", "Shown without highlighting")
] = 30_000
MAX_PREVIEW_IMAGE_BYTES: Annotated[
    int, Limit("bytes", "Image in a preview", "Offered as a download only")
] = 10_000_000
MAX_PREVIEW_IMAGE_PIXELS: Annotated[
    int, Limit("pixels", "Image in a preview, width times height", "Offered as a download only")
] = 40_000_000
MAX_DOCUMENT_BYTES: Annotated[
    int, Limit("bytes", "Attached PDF or Word file", "Refused with an error message")
] = 20_000_000
MAX_DOCUMENT_PAGES: Annotated[
    int,
    Limit("pages", "Pages of an attached PDF that are read", "The others are omitted, with a note"),
] = 1_000
MAX_UNPACKED_DOCUMENT_BYTES: Annotated[
    int,
    Limit("bytes", "Text part of an attached Word file, unpacked", "Refused with an error message"),
] = 50_000_000
MAX_DOCUMENT_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Attached PDF and Word files that a process reads at once",
        "The next one waits",
    ),
] = 2
MAX_DOCUMENT_WAIT_S: Annotated[
    float,
    Limit("seconds", "Wait of an attached file until it is read", "Refused with an error message"),
] = 30.0
MAX_DOCUMENT_S: Annotated[
    float, Limit("seconds", "Reading an attached PDF or Word file", "Refused with an error message")
] = 30.0
MAX_DOCUMENT_CPU_S: Annotated[
    int,
    Limit(
        "seconds",
        "CPU time of reading an attached PDF or Word file",
        "Refused with an error message",
    ),
] = 20
MAX_DOCUMENT_MEMORY_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Memory of reading an attached PDF or Word file", "Refused with an error message"
    ),
] = 1024 * 1024 * 1024
MAX_ATTACHMENT_PREVIEW: Annotated[
    int,
    Limit("characters", "Text of an attachment in the chat", "Truncated, with a link to all of it"),
] = 20_000
MAX_VALUE: Annotated[
    int,
    Limit(
        "characters",
        "Arguments or result of a call in the chat",
        "Truncated; the trace has all of it",
    ),
] = 20_000
MAX_VALUE_ROWS: Annotated[
    int,
    Limit(
        "rows",
        "Rows of a result that the chat shows as a table",
        "The others are not shown, with a note",
    ),
] = 50
MAX_VALUE_COLUMNS: Annotated[
    int,
    Limit(
        "columns",
        "Columns of a result that the chat shows as a table",
        "The others are not shown, with a note",
    ),
] = 12
MAX_VALUE_NODES: Annotated[
    int,
    Limit("nodes", "Arguments or result of a call that the chat shows as a tree", "Shown as text"),
] = 400
MAX_VALUE_DEPTH: Annotated[
    int,
    Limit(
        "levels", "Nesting of arguments or a result that the chat shows as a tree", "Shown as text"
    ),
] = 12
MAX_SHOWN_REPLACED: Annotated[
    int,
    Limit(
        "results",
        "Replaced results that the note of a compaction lists",
        "The others are counted, not listed",
    ),
] = 100
MAX_ARCHIVE_DEPTH: Annotated[
    int, Limit("levels", "Nesting of folders in an uploaded skill", "Refused with an error message")
] = 10
MAX_ARCHIVE_NAME_BYTES: Annotated[
    int,
    Limit("bytes", "One segment of a path in an uploaded skill", "Refused with an error message"),
] = 200
MAX_ARCHIVE_ENTRIES: Annotated[
    int, Limit("entries", "Entries of the zip of a skill", "Refused with an error message")
] = 5_000
MAX_SKILL_PREVIEW_BYTES: Annotated[
    int, Limit("bytes", "File of a skill on its page", "Truncated")
] = 100_000
MAX_UPLOADED_FILES: Annotated[
    int, Limit("files", "Files of an uploaded folder", "Refused with an error message")
] = 100
MAX_HIGHLIGHTED: Annotated[
    int, Limit("characters", "Code that is highlighted", "Shown without highlighting")
] = 100_000
MAX_RENDER_PROCESSES: Annotated[
    int,
    Limit(
        "processes",
        "Processes of a web process or worker that highlight code and set formulas",
        "Further code waits for a free one",
    ),
] = 2
MAX_RENDER_WAIT_S: Annotated[
    float,
    Limit("seconds", "Wait for a free process that highlights and sets", "Shown as plain text"),
] = 2.0
MAX_RENDER_GRACE_S: Annotated[
    float,
    Limit(
        "seconds",
        "Wall time of highlighting, or of a formula, beyond its CPU time",
        "The process is ended; shown as plain text",
    ),
] = 2.0
MAX_BARE_LINK: Annotated[
    int, Limit("characters", "Address without brackets in Markdown", "The rest is text")
] = 2_000
MAX_FORMULA: Annotated[int, Limit("characters", "TeX formula", "Shown as source")] = 4_000
MAX_FORMULA_DEPTH: Annotated[
    int, Limit("levels", "Nesting of a formula's MathML", "Shown as source")
] = 50
MAX_MATHML: Annotated[int, Limit("characters", "MathML of a formula", "Shown as source")] = 60_000
MAX_UNFOLDED_CODE_LINES: Annotated[
    int,
    Limit("lines", "Code in an answer that is shown whole", "Scrolls, with a button for all of it"),
] = 40
MAX_UNFOLDED_VALUE_LINES: Annotated[
    int,
    Limit("lines", "Result of a call that is shown whole", "Scrolls, with a button for all of it"),
] = 20
MAX_REMEMBERED_MARKDOWN: Annotated[
    int, Limit("characters", "Markdown text whose HTML is cached", "Rendered each time")
] = 20_000
MAX_MARKDOWN_BLOCK: Annotated[
    int, Limit("characters", "Block of Markdown that is rendered", "Shown as plain text")
] = 200_000
MAX_SPARE_CELLS: Annotated[
    int,
    Limit(
        "cells",
        "Empty table cells of a Markdown text, beyond one a character of it",
        "Shown as plain text",
    ),
] = 2_000
