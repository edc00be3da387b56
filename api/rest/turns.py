"""Turns: started by a message, followed, decided, answered, stopped, taken back."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Schema
from ninja.responses import Status
from pydantic import Field

from api.rest import event_stream, idempotency
from api.rest.conversations import ToolChoice, find, own
from api.rest.pagination import ListPage, Order, Page, page_of
from api.rest.resource import ApiRequest, Resource
from api.rest.shapes import Named, named
from chat.commands import comparisons, deletion, queue
from chat.commands.answer import answer_question
from chat.commands.compact import compact_conversation
from chat.commands.decide import decide_call
from chat.commands.send import send_message
from chat.commands.stop import stop_turn
from chat.feedback import rating
from chat.live.frames import new_message
from chat.llm.messages import text_of
from chat.models import Conversation, PersonalSettings, Question, Turn, of_owner_or_author
from db.users import AnyUser
from limits.api import MAX_API_TEXT
from limits.chat import MAX_CLIENT_KEY, MAX_EDITED_ARGUMENTS, MAX_MESSAGE
from limits.transfer import MAX_FEEDBACK_NOTE
from tokens.models import Scope
from tracing.models import Payload, Span
from tracing.models.attributes import call_attributes
from tracing.store import payloads

resource = Resource("Turns")
EVENTS = "text/event-stream"
RELATED = ("conversation", "question", "answer", "model", "trace", "parent", "retry_of", "author")


class CallOut(Schema):
    """A tool call of a turn that has not ended."""

    id: UUID
    name: str
    server: str
    state: str
    arguments: str = Field(description="JSON text, as the model wrote it.")


class QuestionOut(Schema):
    """What a server asks a person in the middle of a call."""

    id: UUID
    call: UUID
    kind: str
    message: str
    form: dict[str, Any] | None = Field(description="JSON Schema of the answer's content.")
    url: str
    expires: datetime | None


class TurnOut(Schema):
    """From one user message to the final assistant message."""

    id: UUID
    conversation: UUID
    state: Literal["queued", "streaming", "waiting", "done", "failed", "stopped"]
    in_line: bool = Field(description="It waits for an earlier turn.")
    shown: bool = Field(description="It is on the branch that the conversation goes on with.")
    parent: UUID | None = Field(description="The turn that it follows.")
    question: UUID | None = Field(description="Id of the user's message.")
    answer: str | None = Field(description="The text of the final message, as Markdown.")
    answer_message: UUID | None
    model: Named | None
    trace: UUID | None
    error: str
    rounds: int
    tokens_in: int
    tokens_out: int
    created: datetime
    started: datetime | None
    ended: datetime | None
    calls: list[CallOut] = Field(description="Those that are open.")
    questions: list[QuestionOut] = Field(description="Those that wait for an answer.")


class Answerer(Schema):
    """Exactly one of the two."""

    model: UUID | None = None
    assistant: UUID | None = None


class NewTurn(Schema):
    """A message. Without `conversation` it begins one."""

    text: str = Field("", max_length=MAX_MESSAGE)
    conversation: UUID | None = None
    model: UUID | None = None
    assistant: UUID | None = Field(None, description="Of a new conversation, or of `regenerate`.")
    attachments: list[UUID] = Field(default_factory=list, max_length=100)
    tools: ToolChoice | None = None
    skills: list[str] | None = None
    project: UUID | None = None
    temporary: bool = False
    note: bool = Field(False, description="It goes into the running turn, if there is one.")
    compare: list[Answerer] | None = Field(None, description="They answer side by side.")
    edit: UUID | None = Field(None, description="The message whose place it takes, on a branch.")
    regenerate: UUID | None = Field(None, description="The turn whose question is asked again.")
    continue_: UUID | None = Field(
        None, alias="continue", description="The turn whose cut answer is gone on with."
    )
    again: UUID | None = Field(None, description="The message that is sent once more.")
    key: str | None = Field(
        None, max_length=MAX_CLIENT_KEY, description="Sent again, it finds the same turn."
    )

    def frame(self, key: str) -> dict[str, Any]:
        """As a `send` frame of the websocket."""
        fields = self.model_dump(mode="json", exclude_none=True, exclude={"key", "continue_"})
        if not self.text and (self.regenerate or self.continue_ or self.again):
            del fields["text"]
        if (assistant := fields.pop("assistant", None)) is not None:
            fields["preset"] = assistant
        fields["compare"] = _compare(self.compare)
        if self.continue_:
            fields["continue"] = str(self.continue_)
        if self.again:
            fields.setdefault("text", "")
        return {**fields, "key": key}


class Decision(Schema):
    decision: Literal["approve", "deny"]
    reason: str = Field("", max_length=MAX_API_TEXT, description="What the model is told.")
    scope: Literal["once", "conversation"] = "once"
    arguments: str | None = Field(
        None, max_length=MAX_EDITED_ARGUMENTS, description="JSON text, in place of the model's."
    )


class Answer(Schema):
    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = None


class Rating(Schema):
    rating: Literal["up", "down"]
    note: str = Field("", max_length=MAX_FEEDBACK_NOTE)


class Changed(Schema):
    """Whether it was still to be done: of several the first one counts."""

    changed: bool


class QueueChange(Schema):
    """Exactly one of them, of a message that waits in line."""

    text: str | None = Field(None, max_length=MAX_MESSAGE)
    before: UUID | Literal["end"] | None = Field(None, description="The turn to be moved before.")
    act: Literal["now", "steer", "wait"] | None = Field(
        None, description="`now` stops the running turn; `steer` puts it into that turn."
    )


class Compaction(Schema):
    focus: str = Field("", max_length=MAX_MESSAGE, description="What the summary has to keep.")
    model: UUID | None = None


@resource.post("/turns", Scope.CHAT, TurnOut, "Start a turn", 201)
def start_turn(request: ApiRequest, new: NewTurn) -> Any:
    """Stores the message and answers at once; the turn runs in a worker, whoever follows it."""
    zone = PersonalSettings.zone_of(request.user, request.COOKIES)
    key = new.key or _client_key(request)
    turn = send_message(request.user, new_message(new.frame(key), zone))
    return Status(201, shape(turn_of(request.user, turn.public_id)))


@resource.get("/conversations/{uuid:id}/turns", Scope.READ, Page[TurnOut], "List its turns")
def list_turns(request: ApiRequest, id: UUID, paging: ListPage, branches: bool = False) -> Any:
    """The oldest first: those of the shown branch, or with `branches` of the whole tree."""
    conversation = find(request.user, id)
    rows = Turn.objects.readable_by(request.user).filter(conversation=conversation)
    rows = (rows if branches else rows.filter(is_shown=True)).select_related(*RELATED)
    return page_of(rows, paging, Order(ascending=True), shape, f"turns.{id}")


@resource.get("/turns/{uuid:id}", Scope.READ, TurnOut, "Read a turn")
def read_turn(request: ApiRequest, id: UUID) -> Any:
    return shape(turn_of(request.user, id))


@resource.content("/turns/{uuid:id}/events", Scope.READ, "Follow a turn, as events", EVENTS)
def follow_turn(request: ApiRequest, id: UUID) -> HttpResponseBase:
    """The events of `docs/protocol.md`, from a `snapshot` on, until the turn is over. With
    Last-Event-ID those after it; 204 if there are none any more."""
    turn = turn_of(request.user, id)
    return event_stream.respond(request, turn.conversation, turn)


@resource.content("/conversations/{uuid:id}/events", Scope.READ, "Follow it, as events", EVENTS)
def follow_conversation(request: ApiRequest, id: UUID) -> HttpResponseBase:
    """The same of all its turns, without an end."""
    return event_stream.respond(request, find(request.user, id), None)


@resource.post("/turns/{uuid:id}/stop", Scope.CHAT, Changed, "Stop a turn")
def stop(request: ApiRequest, id: UUID) -> Any:
    """And its subagents. Closing a stream of its events stops nothing."""
    turn_of(request.user, id)
    return {"changed": stop_turn(request.user, id)}


@resource.post("/turns/{uuid:id}/choose", Scope.CHAT, TurnOut, "Go on with one of several answers")
def choose(request: ApiRequest, id: UUID) -> Any:
    own_turn(request.user, id)
    comparisons.choose(request.user, id)
    return shape(turn_of(request.user, id))


@resource.patch("/turns/{uuid:id}", Scope.CHAT, TurnOut, "Change a message that waits in line")
def change_queued(request: ApiRequest, id: UUID, change: QueueChange) -> Any:
    user = request.user
    turn_of(user, id)
    if change.text is not None:
        queue.edit(user, id, change.text)
    if change.before is not None:
        queue.move(user, id, None if change.before == "end" else change.before)
    if change.act is not None:
        acts = {"now": queue.send_now, "steer": queue.steer, "wait": queue.wait_again}
        acts[change.act](user, id)
    return shape(turn_of(user, id))


@resource.delete("/turns/{uuid:id}", Scope.CHAT, "Delete a message with all that follows it")
def delete_turn(request: ApiRequest, id: UUID) -> Any:
    """It can be restored for 15 minutes. One that waits in line is withdrawn alone."""
    turn = turn_of(request.user, id)
    if turn.is_in_line:
        deletion.withdraw(request.user, id)
    else:
        own_turn(request.user, id)
        deletion.delete(request.user, id)
    return Status(204, None)


@resource.post("/turns/{uuid:id}/restore", Scope.CHAT, TurnOut, "Undo the deletion of a message")
def restore_turn(request: ApiRequest, id: UUID) -> Any:
    within = Conversation.objects.writable_by(request.user)
    get_object_or_404(Turn.objects.filter(conversation__in=within), public_id=id)
    deletion.restore(request.user, id)
    return shape(turn_of(request.user, id))


@resource.put("/turns/{uuid:id}/feedback", Scope.CHAT, Rating, "Rate an answer")
def rate(request: ApiRequest, id: UUID, given: Rating) -> Any:
    rating.rate(request.user, own_turn(request.user, id), given.rating, given.note)
    return given


@resource.delete("/turns/{uuid:id}/feedback", Scope.CHAT, "Take a rating back")
def unrate(request: ApiRequest, id: UUID) -> Any:
    rating.remove(own_turn(request.user, id))
    return Status(204, None)


@resource.post("/calls/{uuid:id}/decision", Scope.CHAT, Changed, "Approve or deny a tool call")
def decide(request: ApiRequest, id: UUID, given: Decision) -> Any:
    """The first decision counts."""
    calls = Span.objects.filter(of_owner_or_author(request.user, "trace__turn"))
    call = get_object_or_404(calls.filter(kind=Span.Kind.TOOL), public_id=id)
    changed = decide_call(
        call,
        approve=given.decision == "approve",
        reason=given.reason,
        for_conversation=given.scope == "conversation",
        arguments=given.arguments,
        user=request.user,
    )
    return {"changed": changed}


@resource.post("/questions/{uuid:id}/answer", Scope.CHAT, Changed, "Answer a server's question")
def answer(request: ApiRequest, id: UUID, given: Answer) -> Any:
    """The first answer counts; 422 names the fields of the form that do not fit."""
    question = get_object_or_404(Question.objects.answerable_by(request.user), public_id=id)
    return {"changed": answer_question(question, given.action, given.content, request.user)}


@resource.post(
    "/conversations/{uuid:id}/compact", Scope.CHAT, TurnOut, "Summarise its older part", 201
)
def compact(request: ApiRequest, id: UUID, wanted: Compaction) -> Any:
    key, row = _client_key(request), own(request.user, id)
    turn = compact_conversation(
        request.user, row, key=key, focus=wanted.focus, model_id=wanted.model
    )
    return Status(201, shape(turn_of(request.user, turn.public_id)))


def turn_of(user: AnyUser, public_id: UUID) -> Turn:
    """One that the user may read. Raises Http404."""
    rows = Turn.objects.readable_by(user).select_related(*RELATED)
    return get_object_or_404(rows, public_id=public_id)


def own_turn(user: AnyUser, public_id: UUID) -> Turn:
    """One of the user's own conversations. Raises Http404."""
    rows = Turn.objects.for_user(user).select_related(*RELATED)
    return get_object_or_404(rows, public_id=public_id)


def shape(turn: Turn) -> dict[str, Any]:
    answer = turn.answer
    return {
        "id": turn.public_id,
        "conversation": turn.conversation.public_id,
        "state": turn.status,
        "in_line": turn.is_in_line,
        "shown": turn.is_shown,
        "parent": turn.parent.public_id if turn.parent else None,
        "question": turn.question.public_id if turn.question else None,
        "answer": text_of(answer.body.get("content")) if answer else None,
        "answer_message": answer.public_id if answer else None,
        "model": named(turn.model),
        "trace": turn.trace.public_id if turn.trace else None,
        "error": turn.error,
        "rounds": turn.rounds,
        "tokens_in": turn.tokens_in,
        "tokens_out": turn.tokens_out,
        "created": turn.created,
        "started": turn.started,
        "ended": turn.ended,
        **_open_parts(turn),
    }


def _open_parts(turn: Turn) -> dict[str, Any]:
    if not turn.is_open or turn.is_in_line:
        return {"calls": [], "questions": []}
    calls = Span.objects.filter(trace=turn.trace_id, kind=Span.Kind.TOOL, status__in=Span.OPEN)
    asked = Question.objects.filter(span__trace=turn.trace_id, state=Question.State.OPEN)
    return {
        "calls": [_call(call) for call in calls.select_related("trace").order_by("id")],
        "questions": [_question(one) for one in asked.select_related("span").order_by("id")],
    }


def _call(call: Span) -> dict[str, Any]:
    stored = Payload.objects.filter(span=call, stage=Payload.Stage.ARGUMENTS)
    arguments = stored.select_related("span__trace").first()
    return {
        "id": call.public_id,
        "name": call.name,
        "server": call_attributes(call).get("server", ""),
        "state": call.status,
        "arguments": payloads.load(arguments).decode(errors="replace") if arguments else "",
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "id": question.public_id,
        "call": question.span.public_id,
        "kind": question.kind,
        "message": question.message,
        "form": question.schema or None,
        "url": question.url,
        "expires": question.expires,
    }


def _compare(values: list[Answerer] | None) -> list[dict[str, str]] | None:
    if values is None:
        return None
    pairs = [{"model": one.model, "preset": one.assistant} for one in values]
    return [{name: str(one) for name, one in pair.items() if one} for pair in pairs]


def _client_key(request: ApiRequest) -> str:
    """The idempotency key, if it is one that a turn can have, else one of its own."""
    key = idempotency.key_of(request)
    return key if 0 < len(key) <= MAX_CLIENT_KEY else uuid4().hex
