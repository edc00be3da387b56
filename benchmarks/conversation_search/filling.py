"""Writes conversations of a searcher and of others, and indexes them."""

import time
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from random import Random

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.chat_page.filling import a_model
from benchmarks.conversation_search.texts import message
from chat.models import Conversation, Message, Turn
from chat.search.indexing import index_noted
from tracing.models import Archive

CONVERSATIONS_AT_ONCE = 50
QUESTION = 120
ANSWER = 500
# Seconds of indexing between two lines that say how far it is.
STEP_S = 20.0


def fill(owner: User, conversations: int, messages: int, say: Callable[[str], None]) -> int:
    """So many conversations of so many messages, the latest last; answers the texts' bytes."""
    random, written, model = Random(owner.pk), 0, a_model()
    begin = timezone.now() - timedelta(days=700)
    step = timedelta(days=700) / max(1, conversations)
    for start in range(0, conversations, CONVERSATIONS_AT_ONCE):
        numbers = range(start, min(conversations, start + CONVERSATIONS_AT_ONCE))
        with transaction.atomic():
            archives = Archive.objects.bulk_create([Archive(owner=owner) for _ in numbers])
            rows = Conversation.objects.bulk_create(
                [
                    Conversation(
                        owner=owner,
                        archive=archive,
                        model=model,
                        title=message(random, number, 40)[:80],
                        updated=begin + step * number,
                    )
                    for number, archive in zip(numbers, archives, strict=True)
                ]
            )
            for number, row in zip(numbers, rows, strict=True):
                texts = list(_texts(random, number * messages, messages))
                written += sum(len(text.encode()) for text in texts)
                _write(row, texts, row.updated)
        if start % 1_000 == 0:
            say(f"{start:,} conversations written")
    return written


def index_all(say: Callable[[str], None]) -> float:
    """Seconds."""
    began, total = time.monotonic(), 0
    while count := index_noted(STEP_S):
        total += count
        say(f"{total:,} texts indexed")
    return time.monotonic() - began


def _texts(random: Random, first: int, count: int) -> Iterator[str]:
    """Questions and answers in turn; a conversation's languages change with its turns."""
    for place in range(count):
        length = ANSWER if place % 2 else QUESTION
        yield message(
            random,
            first + place // 2 * 2 + (place // 2 % 2),
            round(length * random.uniform(0.3, 1.7)),
        )


def _write(conversation: Conversation, texts: list[str], at: datetime) -> None:
    turns = Turn.objects.bulk_create(
        [
            Turn(
                conversation=conversation,
                user_id=conversation.owner_id,
                client_key=uuid.uuid4().hex,
                model_id=conversation.model_id,
                status=Turn.Status.DONE,
                created=at,
                started=at,
                ended=at,
            )
            for _ in range((len(texts) + 1) // 2)
        ]
    )
    Message.objects.bulk_create(
        [
            Message(
                conversation=conversation,
                turn=turns[place // 2],
                role=role,
                body={"role": role, "content": text},
                created=at,
            )
            for place, text in enumerate(texts)
            for role in (["user", "assistant"][place % 2],)
        ]
    )
