"""What can go wrong in a conversation, beside the model endpoint (see `chat.llm.errors`).

ChatError
├── Rejected          a person asked for something that cannot be; the sentence is for them
├── Fenced            another owner has taken the turn (or call) over: stop writing, quietly
└── RightsEnded       the user of a socket was logged out or deactivated
"""


class ChatError(Exception):
    """Base of all errors of the chat."""


class Rejected(ChatError):
    """A request that cannot be obeyed. `str(error)` says why and what to do."""


class Fenced(ChatError):
    """The turn or call is over, or belongs to a newer owner."""


class RightsEnded(ChatError):
    """The session of a socket is over, or its user inactive."""
