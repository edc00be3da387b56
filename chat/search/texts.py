"""The texts that are searched: of questions and answers, with the names of their attachments, and
titles. Not those of subagents, which no list has."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from chat.llm.messages import text_of
from chat.models import Attachment, Conversation, Message
from limits.search import MAX_INDEXED_MESSAGE

ROLES = (Message.Role.USER, Message.Role.ASSISTANT)


@dataclass(frozen=True)
class SearchedText:
    """`owner`, `conversation`: primary keys."""

    owner: int
    conversation: int
    text: str


def read(keys: Collection[int]) -> dict[int, SearchedText]:
    """The texts with these keys, as far as there are any."""
    messages = [key for key in keys if key > 0]
    titles = [-key for key in keys if key < 0]
    texts = dict(_messages(messages)) if messages else {}
    return texts | dict(_titles(titles)) if titles else texts


def messages(keys: Collection[int]) -> "QuerySet[Message]":
    """Those of these messages that are not deleted: what a person deleted stays for a while."""
    return Message.objects.filter(pk__in=keys, turn__deleted=None)


def of_message(body: dict[str, object], names: Collection[str]) -> str:
    """The text of a message's body and the names of its attachments."""
    content = body.get("content")
    text = text_of(content if isinstance(content, str | list) else None)
    return "\n".join([text, *names])[:MAX_INDEXED_MESSAGE]


def attachment_names(messages: Collection[int]) -> dict[int, list[str]]:
    """By message."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    rows = Attachment.objects.filter(message__in=messages).order_by("id")
    for message, name in rows.values_list("message_id", "name"):
        names[message or 0].append(name)
    return names


def _messages(keys: Collection[int]) -> Iterator[tuple[int, SearchedText]]:
    names = attachment_names(keys)
    rows = Message.objects.filter(pk__in=keys, role__in=ROLES, conversation__parent_call=None)
    for pk, conversation, owner, body in rows.values_list(
        "pk", "conversation_id", "conversation__owner_id", "body"
    ):
        text = of_message(body, names[pk])
        if text.strip():
            yield pk, SearchedText(owner, conversation, text)


def _titles(keys: Collection[int]) -> Iterator[tuple[int, SearchedText]]:
    rows = Conversation.objects.filter(pk__in=keys).top_level().exclude(title="")
    for pk, owner, title in rows.values_list("pk", "owner_id", "title"):
        yield -pk, SearchedText(owner, pk, title)
