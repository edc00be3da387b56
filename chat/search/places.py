"""Addresses of messages in conversations. `static/js/chat/thread/place_names.js` parses them."""

from urllib.parse import urlencode
from uuid import UUID

from chat.models import Conversation


def message_url(conversation: Conversation, query: str, turn: UUID, message: UUID) -> str:
    """The address of a message with the query, whose words are marked there. It names the turn
    twice, because a server does not get what follows the #."""
    parameters = urlencode({"find": query, "at": turn})
    return f"{conversation.get_absolute_url()}?{parameters}#turn-{turn}.message-{message}"
