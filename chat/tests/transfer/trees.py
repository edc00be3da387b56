"""Conversations with branches, attachments, compactions and feedback, as they are stored."""

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from chat.attachments.references import content_with
from chat.models import (
    Attachment,
    Compaction,
    Conversation,
    Feedback,
    LanguageModel,
    Message,
    Tag,
    Turn,
)
from tracing.models import Archive

TEXTS = (
    "Hello",
    "数据库有几张表？",
    "lone \ud83d and \udc00",
    "nul \0",
    "𠮷 emoji 🦘",
    " ",
    "a" * 300,
)
BEGAN = datetime(2025, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)


class Growing:
    """Grows a conversation by turns in random places. The same seed makes the same tree."""

    def __init__(self, owner: User, seed: int, model: LanguageModel | None = None) -> None:
        self.random = random.Random(seed)
        self.owner, self.model = owner, model
        self.row = Conversation.objects.create(
            owner=owner,
            archive=Archive.objects.create(owner=owner),
            title="表 " + str(seed),
            model=model,
            created=BEGAN,
            updated=BEGAN + timedelta(hours=1),
            tools={"servers": ["sqlite"], "off": [], "on": []},
            limits={"auto_share": 0.5},
            pinned=BEGAN if seed % 3 == 1 else None,
            archived=BEGAN if seed % 3 == 2 else None,
        )
        for name in ("动物", "zoo")[: seed % 3]:
            self.row.tags.add(Tag.objects.get_or_create(owner=owner, name=name)[0])
        self.turns: list[Turn] = []
        self.tails: dict[int | None, Message | None] = {None: self._prompt()}

    def grow(self, count: int) -> "Growing":
        for _ in range(count):
            self._turn(self.random.choice([None, *self.turns]))
        self._show()
        if self.turns:
            self._compact()
        return self

    def _prompt(self) -> Message:
        return self._message(None, None, {"role": "system", "content": "Be kind."})

    def _turn(self, parent: Turn | None) -> Turn:
        siblings = [one for one in self.turns if one.parent_id == (parent.pk if parent else None)]
        original = self.random.choice([None, *siblings])
        turn = Turn.objects.create(
            conversation=self.row,
            user=self.owner,
            client_key=str(uuid.uuid4()),
            model=self.model,
            parent=parent,
            original=(original.original or original) if original else None,
            is_shown=False,
            status=self.random.choice(["done", "failed", "stopped"]),
            error=self.random.choice(["", "The provider refused."]),
            rounds=2,
            tokens_in=self.random.randrange(1000),
            tokens_out=self.random.randrange(1000),
            seen=1,
            created=BEGAN,
            started=BEGAN,
            ended=BEGAN + timedelta(seconds=2),
        )
        tail = self._question(turn, self.tails[parent.pk if parent else None])
        turn.question = tail
        turn.answer = tail = self._answers(turn, tail)
        turn.save()
        self._rate(turn)
        self.turns.append(turn)
        self.tails[turn.pk] = tail
        return turn

    def _question(self, turn: Turn, tail: Message | None) -> Message:
        text, attached = self.random.choice(TEXTS), []
        if self.random.random() < 0.3:
            content = f"内容 {self.random.random()}".encode()
            attached = [
                Attachment.objects.create(
                    owner=self.owner,
                    name="笔记.txt",
                    media_type="text/plain",
                    size=len(content),
                    content=content,
                    created=BEGAN,
                )
            ]
        body = {"role": "user", "content": content_with(text, attached)}
        message = self._message(turn, tail, body)
        Attachment.objects.filter(pk__in=[one.pk for one in attached]).update(message=message)
        return message

    def _answers(self, turn: Turn, tail: Message) -> Message:
        if self.random.random() < 0.5:
            call = {
                "id": "call_1",
                "type": "function",
                "function": {"name": "sqlite-read_query", "arguments": '{"query": "SELECT 1"}'},
            }
            asks = {"role": "assistant", "content": "", "tool_calls": [call]}
            tail = self._message(turn, tail, asks)
            told = {"role": "tool", "tool_call_id": "call_1", "content": self._text()}
            tail = self._message(turn, tail, told)
        body = {"role": "assistant", "content": self._text(), "reasoning_content": self._text()}
        return self._message(turn, tail, body)

    def _text(self) -> str:
        return self.random.choice(TEXTS)

    def _rate(self, turn: Turn) -> None:
        if self.random.random() < 0.3:
            rating = self.random.choice(["up", "down"])
            Feedback.objects.create(turn=turn, rating=rating, note="好", changed=BEGAN)

    def _show(self) -> None:
        """Shows a path from a root to a leaf."""
        turn = self.turns[-1] if self.turns else None
        while turn is not None:
            Turn.objects.filter(pk=turn.pk).update(is_shown=True)
            turn = turn.parent

    def _compact(self) -> None:
        upto = self.random.choice(self.turns).answer
        assert upto is not None
        Compaction.objects.create(
            conversation=self.row, kind="summary", upto=upto, summary="摘要", created=BEGAN
        )

    def _message(self, turn: Turn | None, parent: Message | None, body: Any) -> Message:
        return Message.objects.create(
            conversation=self.row,
            turn=turn,
            parent=parent,
            role=body["role"],
            body=body,
            created=BEGAN,
        )
