"""What a person does to a conversation as a whole."""

from chat import events
from chat.models import Conversation
from chat.offering import Choice

LONGEST_TITLE = 200


def rename(conversation: Conversation, title: str) -> None:
    """Gives a new title and tells every page that shows it. A blank one changes nothing."""
    title = " ".join(title.replace("\x00", "").split())[:LONGEST_TITLE]
    if title:
        Conversation.objects.filter(pk=conversation.pk).update(title=title)
        events.emit(conversation.public_id, {"type": "conversation", "title": title})


def choose_tools(conversation: Conversation, choice: Choice | None) -> None:
    """What the next request offers; null is what the model's preset says."""
    Conversation.objects.filter(pk=conversation.pk).update(tools=choice)
