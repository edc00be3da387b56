"""What is wrong with an imported file.

Rejected
└── BrokenFile            nothing of the file can be read; the sentence says why
    └── BrokenConversation    one conversation cannot be read; the others can
"""

from chat.errors import Rejected


class BrokenFile(Rejected):
    """A file that cannot be imported."""


class BrokenConversation(BrokenFile):
    """A conversation of a file that cannot be imported."""
