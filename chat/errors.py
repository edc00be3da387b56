"""Errors of conversations; those of model endpoints are in `chat.llm.errors`.

ChatError
├── Rejected          a person's request cannot be done; the sentence is for them
│   └── Invalid       an answer does not fit its form; a sentence by field
├── Overtaken         another tab has changed the draft, or another message came, meanwhile
├── BrokenCassette    a file is no cassette, or a broken one; the sentence names the place
├── Fenced            another owner has taken the turn (or call) over: stop writing
├── LinkIsOver        a shared link was revoked or has ended while it was read
└── RightsEnded       the user of a socket was logged out or deactivated
"""

from django.utils.translation import gettext


class ChatError(Exception):
    """Base of all errors of the chat."""


class Rejected(ChatError):
    """A request that cannot be done. `str(error)` says why and what to do."""


class Invalid(Rejected):
    """A form is filled in wrongly. `fields` has a sentence by the name of each wrong field."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__(gettext("The answer does not fit the form."))
        self.fields = fields


class Overtaken(ChatError):
    """Another tab has changed the draft since this one read it; or the conversation does not end
    any more where a program wanted to go on."""


class BrokenCassette(ChatError):
    """A file that is no cassette, or a broken one. `str(error)` names the place."""


class Fenced(ChatError):
    """The turn or call is over, or belongs to a newer owner."""


class LinkIsOver(ChatError):
    """What a shared link showed was erased since the link was found."""


class RightsEnded(ChatError):
    """The session of a socket is over, or its user inactive."""
