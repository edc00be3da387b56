"""A message that a person or a program sends, parsed."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from chat.commands.alternatives import Alternative
from chat.commands.comparisons import Compared
from chat.offering import Choice
from chat.programs import Program


@dataclass(frozen=True)
class NewMessage:
    """A message that a person sends, parsed.

    `key` is the client's, unique among the user's messages. Without a conversation the message
    begins one, in the project, if one is named, with the named preset, else the project's, else its
    model's; `tools` and `skills` replace those of the preset. Attachments are the user's uploads,
    or those of an earlier message, which are copied. `again` is the message that is sent once more:
    if its turn failed or was stopped and nothing follows it, the new turn replaces it.
    `alternative` says which branch the message begins, or which answer is gone on with: what is
    asked again has the text of its question, and the preset becomes the conversation's. `zone` is
    the person's time zone. A `temporary` one begins a conversation that is erased when it is left
    (`chat.commands.temporary`). A note goes into the running turn, if one runs.
    Those that are `compared` answer side by side, at the same time. A `program` sends what is in it
    beside the text; with results of its tools the text may be empty.
    """

    key: str
    text: str
    conversation_id: uuid.UUID | None = None
    model_id: uuid.UUID | None = None
    attachment_ids: Sequence[uuid.UUID] = ()
    tools: Choice | None = None
    skills: list[str] | None = None
    again: uuid.UUID | None = None
    alternative: Alternative | None = None
    preset_id: uuid.UUID | None = None
    zone: str = ""
    temporary: bool = False
    is_note: bool = False
    compared: Sequence[Compared] = ()
    project_id: uuid.UUID | None = None
    program: Program | None = None
