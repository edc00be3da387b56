"""Conversations, messages and assistants."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_MESSAGE: Annotated[
    int, Limit("characters", "Message of a person", "Refused with a sentence")
] = 1_000_000
MAX_CLIENT_KEY: Annotated[
    int, Limit("characters", "Key by which a repeated send is known", "Refused")
] = 64
MAX_FIRST_TITLE: Annotated[int, Limit("characters", "Title made of the first message", "Cut")] = 80
MAX_TITLE: Annotated[int, Limit("characters", "Title of a conversation", "Cut")] = 200
MAX_COMPACTION_FOCUS: Annotated[
    int, Limit("characters", "What a person wants a summary to keep", "Cut")
] = 2_000
MAX_DENIAL_REASON: Annotated[int, Limit("characters", "Reason for a denied tool call", "Cut")] = (
    1000
)
MAX_EDITED_ARGUMENTS: Annotated[
    int, Limit("characters", "Arguments of a call that a person edits", "Refused with a sentence")
] = 200_000
MAX_OFFERED_NAMES: Annotated[int, Limit("names", "Tools that a conversation names", "Refused")] = (
    5_000
)
MAX_OFFERED_NAME: Annotated[int, Limit("characters", "Name of such a tool", "Refused")] = 300
MAX_CHOSEN_SKILLS: Annotated[int, Limit("names", "Skills that a conversation names", "Refused")] = (
    1_000
)
MAX_KNOWN_USAGES: Annotated[
    int, Limit("users", "Users whose stored bytes a process remembers", "All are looked up again")
] = 10_000
MAX_ATTACHMENT_NAME: Annotated[
    int, Limit("characters", "Name of an attachment", "Cut before its ending")
] = 200
MAX_UNSENT_ATTACHMENTS: Annotated[
    int,
    Limit("attachments", "Attachments of a user that are not sent yet", "Refused with a sentence"),
] = 50
MAX_UNSENT_AGE: Annotated[
    timedelta, Limit("seconds", "Age of an attachment that was not sent", "Deleted")
] = timedelta(days=1)
MAX_JPEG_SEGMENTS: Annotated[
    int, Limit("segments", "Segments before the picture of a JPEG", "Taken for no image")
] = 2_000
MAX_PATTERNS: Annotated[
    int, Limit("lines", "Tool patterns of an assistant", "Refused with a sentence")
] = 500
MAX_PATTERN: Annotated[int, Limit("characters", "One of them", "Refused with a sentence")] = 300
MAX_STARTERS: Annotated[
    int, Limit("lines", "Conversation starters of an assistant", "Refused with a sentence")
] = 12
MAX_STARTER: Annotated[int, Limit("characters", "One of them", "Refused with a sentence")] = 2_000
MAX_SYSTEM_PROMPT: Annotated[
    int, Limit("characters", "System prompt of an assistant", "Refused with a sentence")
] = 200_000
MAX_PRESET_TEXT: Annotated[
    int, Limit("characters", "Pasted assistant that is imported", "Refused with a sentence")
] = 1_000_000
MAX_PRESET_BYTES: Annotated[
    int, Limit("bytes", "File of an assistant that is imported", "Refused with a sentence")
] = 4_000_000
MAX_TODO_TEXT: Annotated[int, Limit("characters", "Text of a todo", "Cut")] = 1_000
MAX_TODO_ID: Annotated[int, Limit("characters", "Id of a todo", "Cut")] = 100
MAX_SUBAGENT_TITLE: Annotated[
    int, Limit("characters", "Title of a subagent's conversation", "Cut")
] = 80
MAX_COMPACTION_QUESTION: Annotated[
    int, Limit("characters", "Latest question, repeated beside a summary", "Cut")
] = 4_000
MAX_SKILL_FILE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "`SKILL.md`, or another file of a skill that a model reads",
        "Left out, with the reason",
    ),
] = 500_000
MAX_SKILL_HEAD: Annotated[
    int, Limit("characters", "YAML head of a `SKILL.md`", "Left out, with the reason")
] = 20_000
MAX_SKILL_HEAD_COLLECTIONS: Annotated[
    int, Limit("collections", "Lists and objects in such a head", "Left out, with the reason")
] = 200
MAX_SKILL_FILES: Annotated[
    int, Limit("files", "Files of a skill beside its `SKILL.md`", "Left out")
] = 500
MAX_SKILL_NAME: Annotated[
    int, Limit("characters", "Name of a skill", "Replaced by its folder's name")
] = 64
MAX_SKILL_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a skill", "Cut, with a warning")
] = 1_024
MAX_SKILL_FOLDERS: Annotated[
    int, Limit("folders", "Folders that are searched for skills", "Not searched")
] = 20_000
MAX_FOUND_TOOLS: Annotated[
    int, Limit("tools", "Tools that one `search_tools` finds", "Left out")
] = 8
MAX_SEARCHED_NAMES: Annotated[
    int, Limit("names", "Tool names that `search_tools` lists where nothing fits", "Counted")
] = 100
MAX_ACTIVATED_TOOLS: Annotated[
    int,
    Limit("tools", "Tools of a conversation that a search activated", "The oldest are forgotten"),
] = 100
MAX_FOUND_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a tool that was found", "Cut")
] = 300
MAX_FORKED_FILES: Annotated[
    int, Limit("files", "Workspace that a fork copies", "Not copied, with a sentence")
] = 2_000
MAX_FORKED_BYTES: Annotated[
    int, Limit("bytes", "Workspace that a fork copies", "Not copied, with a sentence")
] = 64 * 1024 * 1024
MAX_USER_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Messages, attachments and workspaces of a user; 0 for no limit",
        "Refused with a sentence",
        "`USER_STORAGE_BYTES`",
    ),
] = 10_000_000_000
MAX_SKILL_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Uploaded skill, packed and unpacked", "Refused with a sentence", "`SKILL_BYTES`"
    ),
] = 10_000_000
MAX_IMAGE_BYTES: Annotated[
    int, Limit("bytes", "Attached image", "Refused with a sentence", "`ATTACHMENT_IMAGE_BYTES`")
] = 10_000_000
MAX_IMAGE_PIXELS: Annotated[
    int,
    Limit(
        "pixels",
        "Longer side of an attached image",
        "Refused with a sentence",
        "`ATTACHMENT_IMAGE_PIXELS`",
    ),
] = 8_000
MAX_TEXT_FILE_BYTES: Annotated[
    int, Limit("bytes", "Attached text file", "Refused with a sentence", "`ATTACHMENT_TEXT_BYTES`")
] = 1_000_000
MAX_ATTACHMENTS: Annotated[
    int,
    Limit(
        "attachments",
        "Attachments of a message",
        "Refused with a sentence",
        "`ATTACHMENTS_A_MESSAGE`",
    ),
] = 10
MAX_ATTACHMENTS_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "All attachments of a message",
        "Refused with a sentence",
        "`ATTACHMENTS_MESSAGE_BYTES`",
    ),
] = 20_000_000
