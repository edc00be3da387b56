"""The messages of one conversation that match a query, in the order of the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.db.models.functions import Coalesce

from chat.models import Conversation
from chat.search import texts
from chat.search.matching import Scope, matching_messages
from chat.search.results import beginning_of
from limits.search import MAX_FOUND
from tracing.search.query import Term, parse


@dataclass(frozen=True)
class FoundMessage:
    """Public ids of a message and of its turn."""

    message: str
    turn: str


@dataclass(frozen=True)
class FoundMessages:
    """With `is_cut` there are more, before these."""

    messages: Sequence[FoundMessage] = ()
    is_cut: bool = False


def find_within(conversation: Conversation, query: str) -> FoundMessages:
    """The last `MAX_FOUND` messages with all words, of the branch that is shown. Of the last word
    the beginning is enough, for a search while somebody types."""
    terms = parse(query)
    if not terms:
        return FoundMessages()
    keys = _keys(conversation, terms)
    # An imported question may have no turn but the one that it asks.
    turn = Coalesce("turn__public_id", "asked_turn__public_id")
    shown = texts.messages(keys[:MAX_FOUND]).filter(Q(turn=None) | Q(turn__is_shown=True))
    rows = shown.annotate(turn_public_id=turn)
    found = rows.order_by("id").values_list("public_id", "turn_public_id")
    messages = [FoundMessage(str(message), str(turn)) for message, turn in found if turn]
    return FoundMessages(messages, len(keys) > MAX_FOUND)


def _keys(conversation: Conversation, terms: Sequence[Term]) -> list[int]:
    """One more than `MAX_FOUND` if there are so many, the latest first."""
    scope = Scope(conversation.owner_id, [conversation.pk])
    return matching_messages(beginning_of(terms) or terms, scope, MAX_FOUND + 1)
