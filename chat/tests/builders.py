"""Conversations for the tests, with the rows that the engine leaves behind."""

import json
import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Conversation, LanguageModel, Message, Preset, Provider, Turn
from tracing.models import Archive, Span, Trace

ENDED = ("done", "failed", "stopped")


def a_user(name: str = "owner", **fields: Any) -> User:
    return User.objects.create_user(name, **fields)


def a_model(
    name: str = "walkthrough", starters: tuple[str, ...] = (), **fields: Any
) -> LanguageModel:
    provider, _ = Provider.objects.get_or_create(name="Provider", base_url="http://127.0.0.1:1/v1")
    preset = Preset.objects.create(name=f"Preset of {name}", starters=list(starters))
    return LanguageModel.objects.create(provider=provider, name=name, preset=preset, **fields)


class AConversation:
    """A conversation that grows turn by turn."""

    def __init__(self, owner: User, title: str = "A title", **fields: Any) -> None:
        self.archive = Archive.objects.create(owner=owner)
        self.row = Conversation.objects.create(
            owner=owner, archive=self.archive, title=title, **fields
        )

    @property
    def url(self) -> str:
        return self.row.get_absolute_url()

    def turn(
        self, question: str = "Hello?", answer: str = "", status: str = "done", **fields: Any
    ) -> "ATurn":
        turn = ATurn(self, question, status, **fields)
        if answer:
            turn.round(answer)
        return turn


class ATurn:
    """A turn that grows round by round."""

    def __init__(
        self, conversation: AConversation, question: str, status: str, **fields: Any
    ) -> None:
        self.conversation = conversation.row
        self.began = timezone.now() - timedelta(seconds=10)
        self.trace = Trace.objects.create(
            archive=conversation.archive,
            owner=conversation.archive.owner,
            name=question[:200],
        )
        self.root = self._span(kind="turn", name="turn")
        if "parent" not in fields:
            fields["parent"] = _last_shown(conversation.row, fields.get("retry_of"))
        asked = self._message("user", {"content": question})
        self.row = Turn.objects.create(
            conversation=conversation.row,
            user=conversation.row.owner,
            client_key=str(uuid.uuid4()),
            question=asked,
            trace=self.trace,
            status=status,
            started=self.began,
            ended=self.began + timedelta(seconds=1.24) if status in ENDED else None,
            **fields,
        )
        self.rounds = 0

    @property
    def question(self) -> Message:
        assert self.row.question is not None
        return self.row.question

    def round(
        self,
        text: str = "",
        calls: tuple[tuple[str, Any], ...] = (),
        failed_attempts: tuple[str, ...] = (),
        **body: Any,
    ) -> list[Span]:
        """An answer, and calls as (name, arguments); answers the calls' spans, still approved."""
        self.rounds += 1
        opened = self._span(kind="round", number=self.rounds, parent=self.root)
        for number, error in enumerate(failed_attempts, 1):
            self._span(
                kind="generation", number=number, parent=opened, status="failed", error=error
            )
        generation = self._span(
            kind="generation", number=len(failed_attempts) + 1, parent=opened, status="succeeded"
        )
        if calls:
            body["tool_calls"] = [_tool_call(n, *call) for n, call in enumerate(calls, 1)]
        said = self._message("assistant", {"content": text, **body}, generation)
        return [
            self._call_span(opened, said, position, name)
            for position, (name, _) in enumerate(calls, 1)
        ]

    def attempt(self, status: str, error: str = "") -> None:
        """A first round whose only attempt is in this state."""
        opened = self._span(kind="round", number=1, parent=self.root)
        self._span(kind="generation", number=1, parent=opened, status=status, error=error)

    def end_call(
        self, call: Span, result: str, status: str = "succeeded", ms: int = 21, **body: Any
    ) -> None:
        """The call's result, as the model is told it."""
        call.status = status
        call.started = self.began + timedelta(milliseconds=call.number)
        call.ended = call.started + timedelta(milliseconds=ms)
        call.save()
        told = {"content": result, "tool_call_id": call.attributes["call_id"], **body}
        self._message("tool", told, call)

    def _call_span(self, opened: Span, said: Message, position: int, name: str) -> Span:
        server, _, tool = name.rpartition("-")
        attributes = {
            "call_id": f"call_{position}",
            "server": server,
            "tool": tool,
            "message": str(said.public_id),
        }
        return self._span(
            kind="tool",
            name=name,
            number=position,
            parent=opened,
            status="approved",
            attributes=attributes,
            started=None,
        )

    def _span(self, **fields: Any) -> Span:
        return Span.objects.create(trace=self.trace, **{"started": self.began, **fields})

    def _message(self, role: str, body: dict[str, Any], span: Span | None = None) -> Message:
        return Message.objects.create(
            conversation=self.conversation,
            turn=getattr(self, "row", None),
            role=role,
            body={"role": role, **body},
            span=span,
        )


def _last_shown(conversation: Conversation, retried: Turn | None) -> Turn | None:
    """The turn that the next one follows; what is tried again is not shown any more."""
    if retried is not None:
        Turn.objects.filter(pk=retried.pk).update(is_shown=False)
    return Turn.objects.filter(conversation=conversation, is_shown=True).order_by("pk").last()


def _tool_call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": name, "arguments": text},
    }
