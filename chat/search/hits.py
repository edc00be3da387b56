"""Messages that match, with the text around the match."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Value
from django.db.models.functions import Coalesce

from chat.models import Message
from chat.search import texts
from tracing.search.document import Document
from tracing.search.query import Term
from tracing.search.snippets import SnippetPart, snippet


@dataclass(frozen=True)
class Hit:
    """`turn` is the one that the message asks or belongs to; `is_shown`: whether it is on the
    branch that the conversation shows; `is_of_member`: whether another than the owner asked."""

    key: int
    conversation: int
    message: UUID
    turn: UUID
    role: str
    created: datetime
    is_shown: bool
    is_of_member: bool
    parts: Sequence[SnippetPart]

    @property
    def is_question(self) -> bool:
        return self.role == Message.Role.USER


def hits(keys: Collection[int], terms: Sequence[Term]) -> dict[int, Hit]:
    """By key, in two queries; without messages that belong to no turn."""
    if not keys:
        return {}
    names = texts.attachment_names(keys)
    # An imported question may have no turn but the one that it asks.
    turn = Coalesce("turn__public_id", "asked_turn__public_id")
    shown = Coalesce("turn__is_shown", Value(True))
    of_member = Coalesce("turn__is_of_member", "asked_turn__is_of_member", Value(False))
    rows = texts.messages(keys).annotate(turn_public_id=turn, is_shown=shown, of_member=of_member)
    columns = rows.values_list(
        "pk",
        "conversation_id",
        "public_id",
        "turn_public_id",
        "role",
        "created",
        "is_shown",
        "of_member",
        "body",
    )
    return {
        row[0]: Hit(*row[:-1], parts=_parts(row[-1], names.get(row[0], ()), terms))
        for row in columns
        if row[3] is not None
    }


def marked(text: str, terms: Sequence[Term]) -> Sequence[SnippetPart]:
    """The text around the first match, with the matches marked."""
    return snippet(Document(text), terms).parts


def _parts(body: Any, names: Collection[str], terms: Sequence[Term]) -> Sequence[SnippetPart]:
    return marked(texts.of_message(body, names), terms)
