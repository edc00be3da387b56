"""Export, import, and the data of a person."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_IMPORT_BYTES: Annotated[
    int,
    Limit("bytes", "File of conversations, as uploaded and unzipped", "Refused with a message"),
] = 1_000_000_000
MAX_IMPORTED_CONVERSATION_BYTES: Annotated[
    int,
    Limit("bytes", "JSON of one imported conversation or attachment", "Counts as broken"),
] = 64 * 1024 * 1024
MAX_IMPORTED_VALUES: Annotated[
    int, Limit("values", "JSON values of one imported conversation", "Counts as broken")
] = 4_000_000
MAX_IMPORTED_DEPTH: Annotated[
    int, Limit("levels", "Nesting of JSON in an imported file", "Refused with a message")
] = 600
MAX_IMPORTED_MESSAGES: Annotated[
    int,
    Limit(
        "messages",
        "Messages of one imported conversation, with those that branches repeat",
        "Counts as broken",
    ),
] = 20_000
MAX_IMPORTED_CONVERSATIONS: Annotated[
    int, Limit("conversations", "Conversations of one imported file", "Refused with a message")
] = 100_000
MAX_ZIPPED_IMPORTS: Annotated[
    int, Limit("files", "Files of conversations in one imported zip", "Refused with a message")
] = 1_000
MAX_ZIP_DIRECTORY_BYTES: Annotated[
    int, Limit("bytes", "Directory of an imported zip", "Refused with a message")
] = 8_000_000
MAX_KEPT_IMPORTS: Annotated[
    int, Limit("imports", "Imports of a user that are kept", "The oldest is deleted")
] = 5
MAX_IMPORT_AGE: Annotated[
    timedelta, Limit("seconds", "Time that an uploaded file waits for its import", "Deleted")
] = timedelta(days=1)
MAX_IMPORT_WAIT: Annotated[
    timedelta, Limit("seconds", "Wait of an import for a worker", "It fails, with a message")
] = timedelta(minutes=15)
MAX_IMPORT_SILENCE: Annotated[
    timedelta,
    Limit("seconds", "Silence of a worker that imports", "The import fails, with a message"),
] = timedelta(seconds=60)
MAX_PREVIEWED_TITLES: Annotated[
    int, Limit("titles", "Titles in the preview of an import", "The others are counted")
] = 8
MAX_PREVIEWED_PROBLEMS: Annotated[
    int, Limit("sentences", "Problems in the preview of an import", "The others are counted")
] = 20
MAX_EXPORTED_CHOICE: Annotated[
    int, Limit("conversations", "Chosen conversations of one export", "Refused with a message")
] = 10_000
MAX_EXPORT_SOURCES: Annotated[
    int, Limit("addresses", "Sources of an answer in Markdown", "The others are omitted")
] = 30
MAX_DATA_ARCHIVE_AGE: Annotated[
    timedelta, Limit("seconds", "Time that the archive of a person's data is kept", "Deleted")
] = timedelta(days=3)
MAX_FEEDBACK_NOTE: Annotated[
    int, Limit("characters", "Note of a feedback", "Refused with a message")
] = 2_000
