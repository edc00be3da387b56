"""Conversations, messages and assistants."""

from datetime import timedelta
from typing import Annotated

from limits.table import Limit

MAX_MESSAGE: Annotated[
    int, Limit("characters", "Message of a person", "Refused with an error message")
] = 1_000_000
MAX_SOURCES: Annotated[
    int, Limit("links", "Sources of web searches below an answer", "The others are not listed")
] = 30
MAX_MESSAGE_DRAFT_BYTES: Annotated[
    int,
    Limit("bytes", "Draft of a message on the server", "Kept in the browser only, which says so"),
] = 1_000_000
MAX_PROMPT_TEMPLATE: Annotated[
    int, Limit("characters", "Text of a prompt", "Refused with an error message")
] = 100_000
MAX_IMPORTED_PROMPTS: Annotated[
    int, Limit("prompts", "Prompts in an imported file", "Refused with an error message")
] = 500
MAX_PROMPT_FILE_BYTES: Annotated[
    int, Limit("bytes", "Imported file of prompts", "Refused with an error message")
] = 4_000_000
MAX_MENTIONED_FILES: Annotated[
    int,
    Limit("files", "Files of a workspace that `@` in a message lists", "The others are omitted"),
] = 1_000
MAX_MENTIONED_TOOLS: Annotated[
    int, Limit("tools", "Tools that `@` in a message lists", "The others are omitted")
] = 1_000
MAX_USED_MODELS: Annotated[
    int,
    Limit("rows", "Models in the usage of a month", "Those with fewer tokens are omitted"),
] = 20
MAX_NAMED_ADMINS: Annotated[
    int,
    Limit(
        "names", "Admins whom the first steps name as those who can do one", "Others are omitted"
    ),
] = 3
MAX_STEP_ROWS: Annotated[
    int,
    Limit("rows", "Models, and servers, that the first steps look at", "Others are left out"),
] = 50
MAX_CLIENT_KEY: Annotated[
    int, Limit("characters", "Idempotency key of a send", "Refused with an error message")
] = 64
MAX_FIRST_TITLE: Annotated[
    int, Limit("characters", "Title made of the first message", "Truncated")
] = 80
MAX_TITLE: Annotated[int, Limit("characters", "Title of a conversation", "Truncated")] = 200
MAX_TITLE_SOURCE: Annotated[
    int, Limit("characters", "Question, and answer, of which a model makes a title", "Truncated")
] = 2_000
MAX_PERSONAL_INSTRUCTIONS: Annotated[
    int, Limit("characters", "Custom instructions of a person", "Refused with an error message")
] = 4_000
MAX_OWN_INSTRUCTIONS: Annotated[
    int, Limit("characters", "Instructions of a conversation", "Refused with an error message")
] = 8_000
MAX_FACTS: Annotated[
    int, Limit("facts", "What models remember of a person", "The model is told to forget one first")
] = 100
MAX_FACT: Annotated[
    int, Limit("characters", "A fact that a model remembers", "Refused with an error message")
] = 300
MAX_COMPARED: Annotated[
    int, Limit("answers", "Models or assistants side by side", "Refused with an error message")
] = 3
MAX_TEMPORARY_ABSENCE: Annotated[
    timedelta,
    Limit("seconds", "Time that a temporary conversation is followed by no socket", "Erased"),
] = timedelta(minutes=10)
MAX_IN_LINE: Annotated[
    int,
    Limit("messages", "Messages of a conversation in its queue", "Refused with an error message"),
] = 100
MAX_SHARES: Annotated[
    int,
    Limit("groups", "Groups with which a conversation is shared", "Refused with an error message"),
] = 20
MAX_SHARED_LISTED: Annotated[
    int,
    Limit("conversations", "Conversations of others in the sidebar", "The list has the others"),
] = 5
MAX_SHOWN_MEMBERS: Annotated[
    int,
    Limit("people", "Members of a group that the share panel names", "The rest is counted"),
] = 20
MAX_UNDO: Annotated[
    timedelta,
    Limit("seconds", "Time in which a deleted message can be restored", "Erased for good"),
] = timedelta(minutes=15)
MAX_DELETIONS: Annotated[
    int,
    Limit(
        "deletions",
        "Deletions in a conversation that can be undone",
        "The oldest can no longer be undone",
    ),
] = 20
MAX_QUEUED_PREVIEW: Annotated[
    int,
    Limit("characters", "Queued message, as the queue shows it", "Truncated until it is edited"),
] = 400
MAX_ERASED_CONVERSATIONS: Annotated[
    int,
    Limit("conversations", "Conversations with deleted messages to erase in a run", "Next run"),
] = 20
MAX_COMPACTION_FOCUS: Annotated[
    int, Limit("characters", "A user's instructions for a summary", "Truncated")
] = 2_000
MAX_DENIAL_REASON: Annotated[
    int, Limit("characters", "Reason for a denied tool call", "Truncated")
] = 1000
MAX_EDITED_ARGUMENTS: Annotated[
    int,
    Limit("characters", "Arguments of a call that a person edits", "Refused with an error message"),
] = 200_000
MAX_OFFERED_NAMES: Annotated[
    int,
    Limit("names", "Tools in the tool choice of a conversation", "Refused with an error message"),
] = 5_000
MAX_OFFERED_NAME: Annotated[
    int,
    Limit(
        "characters",
        "Name of a tool in the tool choice of a conversation",
        "Refused with an error message",
    ),
] = 300
MAX_CHOSEN_SKILLS: Annotated[
    int,
    Limit("names", "Skills in the skill choice of a conversation", "Refused with an error message"),
] = 1_000
MAX_KNOWN_USAGES: Annotated[
    int, Limit("users", "Users whose storage a process caches", "The cache is emptied")
] = 10_000
MAX_ATTACHMENT_NAME: Annotated[
    int, Limit("characters", "Name of an attachment", "Truncated before its extension")
] = 200
MAX_UNSENT_ATTACHMENTS: Annotated[
    int,
    Limit("attachments", "Unsent attachments of a user", "Refused with an error message"),
] = 50
MAX_UNSENT_AGE: Annotated[timedelta, Limit("seconds", "Age of an unsent attachment", "Deleted")] = (
    timedelta(days=1)
)
MAX_JPEG_SEGMENTS: Annotated[
    int,
    Limit(
        "segments",
        "Segments before the image data of a JPEG",
        "The file is not treated as an image",
    ),
] = 2_000
MAX_PATTERNS: Annotated[
    int, Limit("lines", "Tool patterns of an assistant", "Refused with an error message")
] = 500
MAX_PATTERN: Annotated[
    int, Limit("characters", "One tool pattern of an assistant", "Refused with an error message")
] = 300
MAX_STARTERS: Annotated[
    int, Limit("lines", "Conversation starters of an assistant", "Refused with an error message")
] = 12
MAX_STARTER: Annotated[
    int,
    Limit(
        "characters", "One conversation starter of an assistant", "Refused with an error message"
    ),
] = 2_000
MAX_SYSTEM_PROMPT: Annotated[
    int, Limit("characters", "System prompt of an assistant", "Refused with an error message")
] = 200_000
MAX_PRESET_TEXT: Annotated[
    int, Limit("characters", "Imported assistant, as pasted text", "Refused with an error message")
] = 1_000_000
MAX_PRESET_BYTES: Annotated[
    int, Limit("bytes", "Imported assistant, as a file", "Refused with an error message")
] = 4_000_000
MAX_TODO_TEXT: Annotated[int, Limit("characters", "Text of a todo", "Truncated")] = 1_000
MAX_TODO_ID: Annotated[int, Limit("characters", "Id of a todo", "Truncated")] = 100
MAX_SUBAGENT_TITLE: Annotated[
    int, Limit("characters", "Title of a subagent's conversation", "Truncated")
] = 80
MAX_COMPACTION_QUESTION: Annotated[
    int, Limit("characters", "Latest question, repeated after a summary", "Truncated")
] = 4_000
MAX_SKILL_FILE_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "`SKILL.md`, or another file of a skill that a model reads",
        "Omitted, with the reason",
    ),
] = 500_000
MAX_SKILL_HEAD: Annotated[
    int,
    Limit("characters", "YAML head of a `SKILL.md`", "Omitted, with the reason"),
] = 20_000
MAX_SKILL_HEAD_COLLECTIONS: Annotated[
    int,
    Limit(
        "collections",
        "Lists and objects in the YAML head of a `SKILL.md`",
        "Omitted, with the reason",
    ),
] = 200
MAX_SKILL_FILES: Annotated[
    int, Limit("files", "Files of a skill besides its `SKILL.md`", "The others are omitted")
] = 500
MAX_SKILL_NAME: Annotated[
    int, Limit("characters", "Name of a skill", "Its folder's name is used")
] = 64
MAX_SKILL_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a skill", "Truncated, with a warning")
] = 1_024
MAX_SKILL_FOLDERS: Annotated[
    int, Limit("folders", "Folders that are searched for skills", "The others are not searched")
] = 20_000
MAX_SEARCHED_TOOLS: Annotated[
    int, Limit("tools", "Tools in a result of `search_tools`", "The others are omitted")
] = 8
MAX_SEARCHED_NAMES: Annotated[
    int,
    Limit(
        "names",
        "Tool names that `search_tools` lists when nothing matches",
        "The others are counted, not listed",
    ),
] = 100
MAX_ACTIVATED_TOOLS: Annotated[
    int,
    Limit(
        "tools", "Tools of a conversation that `search_tools` activated", "The oldest are dropped"
    ),
] = 100
MAX_SEARCHED_DESCRIPTION: Annotated[
    int, Limit("characters", "Description of a tool in a result of `search_tools`", "Truncated")
] = 300
MAX_FORKED_FILES: Annotated[
    int,
    Limit(
        "files",
        "Files of the workspace that a fork copies",
        "The workspace is not copied, with a message",
    ),
] = 2_000
MAX_FORKED_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Size of the workspace that a fork copies",
        "The workspace is not copied, with a message",
    ),
] = 64 * 1024 * 1024
MAX_USER_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Stored messages, attachments and workspaces of a user; 0 for no limit",
        "Refused with an error message",
        "`USER_STORAGE_BYTES`",
    ),
] = 10_000_000_000
MAX_SKILL_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "Uploaded skill, compressed and uncompressed",
        "Refused with an error message",
        "`SKILL_BYTES`",
    ),
] = 10_000_000
MAX_IMAGE_BYTES: Annotated[
    int,
    Limit("bytes", "Attached image", "Refused with an error message", "`ATTACHMENT_IMAGE_BYTES`"),
] = 10_000_000
MAX_IMAGE_PIXELS: Annotated[
    int,
    Limit(
        "pixels",
        "Longer side of an attached image",
        "Refused with an error message",
        "`ATTACHMENT_IMAGE_PIXELS`",
    ),
] = 8_000
MAX_TEXT_FILE_BYTES: Annotated[
    int,
    Limit(
        "bytes", "Attached text file", "Refused with an error message", "`ATTACHMENT_TEXT_BYTES`"
    ),
] = 1_000_000
MAX_ATTACHMENTS: Annotated[
    int,
    Limit(
        "attachments",
        "Attachments of a message",
        "Refused with an error message",
        "`ATTACHMENTS_A_MESSAGE`",
    ),
] = 10
MAX_ATTACHMENTS_BYTES: Annotated[
    int,
    Limit(
        "bytes",
        "All attachments of a message",
        "Refused with an error message",
        "`ATTACHMENTS_MESSAGE_BYTES`",
    ),
] = 20_000_000
MAX_NAMES: Annotated[
    int,
    Limit("names", "Running calls named in the progress of a subagent", "Only counted"),
] = 3
MAX_BRIEF: Annotated[
    int,
    Limit(
        "characters",
        "Argument or result on the one line of a tool card",
        "Truncated; the card's details show it",
    ),
] = 120
MAX_UNFOLDED_DESCRIPTION: Annotated[
    int,
    Limit("characters", "Description of a tool that an approval shows unfolded", "Folded"),
] = 280
MAX_ROWS_A_PAGE: Annotated[
    int,
    Limit("conversations", "Page of the sidebar's list", "On the next page"),
] = 60
# Three screens: more would only delay the first paint.
MAX_LAST_TURNS: Annotated[
    int,
    Limit("turns", "Turns shown when a conversation is opened", "Loaded as one scrolls up"),
] = 10
MAX_TURNS_A_PAGE: Annotated[
    int,
    Limit("turns", "Turns of a conversation that are loaded at once", "Loaded as one scrolls on"),
] = 30
MAX_LINKED_BRANCHES: Annotated[
    int,
    Limit("branches", "Branches beside a turn that its trace links to", "Counted"),
] = 20
MAX_SHOWN_ROUNDS: Annotated[
    int,
    Limit("rounds", "Rounds shown of a turn, the last ones", "Shown by the trace"),
] = 30
MAX_UNFOLDED_CHARACTERS: Annotated[
    int,
    Limit("characters", "User message shown unfolded", "Folded to a preview"),
] = 1500
MAX_UNFOLDED_LINES: Annotated[
    int,
    Limit("lines", "User message shown unfolded", "Folded to a preview"),
] = 16
MAX_PREVIEW_CHARACTERS: Annotated[
    int,
    Limit("characters", "Preview of a folded user message", "Truncated"),
] = 600
