"""Subagents: a nested turn in a conversation of its own, begun by a call of `task`.

    execute ──begin──► the nested turn is rung; the call is `waiting`, without an owner
    finish_turn ──finish_parent_call──► the call has its result, the parent's turn is rung

A nested turn is a turn like any other: it survives the end of its worker, and Stop stops it. Its
conversation belongs to the same user, is reached through the call, and is deleted with the parent's
archive.
"""

from functools import partial
from typing import Any

from django.db import transaction

from chat import doorbell, events
from chat.agent.claimed_call import ClaimedCall, Status
from chat.errors import Fenced
from chat.events.subagents import SubagentState
from chat.models import Conversation, Message, Turn
from chat.turn_facts import stop, wake
from db.threads import after_commit, in_database
from limits.chat import MAX_SUBAGENT_TITLE
from tools.calls.arguments import with_note
from tools.local.agent import TASK
from tools.values.call import ToolResult
from tracing import recorder
from tracing.models import Archive, Span, Trace
from tracing.models.attributes import TraceAttributes, call_attributes, trace_attributes
from tracing.store import payloads

NO_SUMMARY = "(no summary)"
SYSTEM_PROMPT = (
    "You are a subagent: another agent gave you a part of its work. Do it with the tools that you "
    "have. Nobody can answer questions. Your last message is all that the other agent reads: say "
    "in it what you found or did, completely and briefly."
)
STOPPED = "The user stopped the subagent before it had finished."
NO_PROMPT = "The prompt is empty. Say in it what the subagent is to do, with all that it needs."


def begin(call: ClaimedCall, arguments: dict[str, Any]) -> ToolResult | None:
    """Begins the nested turn and releases the call, in one transaction; an empty prompt is an
    error. Raises `Fenced`."""
    if not str(arguments["prompt"]).strip():
        return ToolResult.error(NO_PROMPT)
    with transaction.atomic():
        if not wake(call.turn.pk):
            raise Fenced(f"the turn of call {call.span.pk} is over")
        turn = _turn(call, str(arguments["prompt"]), str(arguments.get("description") or ""))
        call_attributes(call.span)["subagent"] = str(turn.conversation.public_id)
        owned = Span.objects.filter(
            pk=call.span.pk, token=call.token, status__in=(Status.APPROVED, Status.SENT)
        )
        waiting = {"status": Status.WAITING, "owner": "", "lease_expires": None}
        if not owned.update(**waiting, attributes=call.span.attributes):
            raise Fenced(f"call {call.span.pk} is over or was taken over")
        call.span.status = Status.WAITING
        after_commit(partial(_announce, call.turn, call.span, None))
        after_commit(partial(announce_progress, turn))
        after_commit(partial(doorbell.ring_turn, turn.pk, turn.counted_user_id))
    return None


def finish_parent_call(turn: Turn) -> None:
    """Writes the result of a nested turn that is over to its call, inside the owner's transaction.
    A call that is over already stays as it is."""
    call = _call_of(turn)
    parent = Turn.objects.select_related("conversation").get(trace_id=call.trace_id)
    if not wake(parent.pk):
        return
    result = with_note(_result(turn), TASK, call_attributes(call).get("left_out", []))
    status = Status.FAILED if result.is_error else Status.SUCCEEDED
    call_attributes(call).update(recorder.result_attributes(result))
    held = Span.objects.filter(pk=call.pk, status=Status.WAITING, owner="")
    if not recorder.settle_call(held, call, status):
        return
    records = recorder.result_records(call, result, result.shown)
    payloads.store_all(call.trace.archive, records)
    after_commit(partial(_announce, parent, call, result.shown))
    after_commit(partial(doorbell.ring_turn, parent.pk, parent.counted_user_id))


def stop_nested(turn_id: int) -> None:
    """Stops the open subagents of a turn that is over or is to stop."""
    nested = Turn.objects.open().filter(conversation__parent_call__trace__turn=turn_id)
    for turn in nested.filter(stop_requested=None):
        stop(turn)


def stop_orphans() -> None:
    """Stops the subagents whose parent's turn is over or is to stop, if its process did not."""
    nested = Turn.objects.open().filter(
        conversation__parent_call__isnull=False, stop_requested=None
    )
    over = nested.exclude(
        conversation__parent_call__trace__turn__status__in=Turn.OPEN,
        conversation__parent_call__trace__turn__stop_requested=None,
    )
    for turn in over:
        stop(turn)


def announce_progress(turn: Turn) -> None:
    """Emits the state of a nested turn to the page of its parent; nothing for any other turn. Not
    inside a transaction: the state is read from the database."""
    if turn.conversation.parent_call_id is None:
        return
    progress = in_database(_progress, turn.conversation.parent_call_id)
    if progress is not None:
        parent, state = progress
        events.emit(parent.conversation.public_id, events.subagent_event(parent, state))


def _progress(call_id: int) -> tuple[Turn, SubagentState] | None:
    """The parent's turn and where its subagent stands; None if they are deleted."""
    state = events.subagent_states([call_id]).get(call_id)
    parents = Turn.objects.select_related("conversation").filter(trace__spans=call_id)
    parent = parents.first()
    return (parent, state) if parent is not None and state is not None else None


def _call_of(turn: Turn) -> Span:
    call_id = turn.conversation.parent_call_id
    assert call_id is not None, "only a nested turn has a call to report to"
    return Span.objects.select_related("parent", "trace__archive").get(pk=call_id)


def _turn(call: ClaimedCall, prompt: str, description: str) -> Turn:
    conversation = _conversation(call, _title(description.strip() or prompt))
    prompt_body = {"role": "system", "content": SYSTEM_PROMPT}
    system = Message.objects.insert(
        conversation=conversation, role=Message.Role.SYSTEM, body=prompt_body
    )
    key = f"task-{call.span.public_id}"
    turn = Turn(
        conversation=conversation,
        user=call.turn.user,
        author_id=call.turn.author_id,
        is_of_member=call.turn.is_of_member,
        client_key=key,
        model=call.turn.model,
    )
    turn.trace = _trace(call, turn)
    Turn.objects.insert_all([turn])
    asked = {"role": "user", "content": prompt}
    turn.question = Message.objects.insert(
        conversation=conversation,
        turn=turn,
        parent=system,
        role=Message.Role.USER,
        body=asked,
    )
    Turn.objects.filter(pk=turn.pk).update(question=turn.question)
    return turn


def _conversation(call: ClaimedCall, title: str) -> Conversation:
    """That of the nested turn, with the settings of the parent's."""
    parent = call.turn.conversation
    return Conversation.objects.insert(
        owner=call.turn.user,
        archive=Archive.objects.insert(owner=call.turn.user, parent=parent.archive),
        parent_call=call.span,
        title=title,
        model=call.turn.model,
        preset=parent.preset,
        tools=parent.tools,
        skills=parent.skills,
        activated=parent.activated,
        limits=parent.limits,
        parameters=parent.parameters,
    )


def _title(text: str) -> str:
    """What a database refuses is left out, or replaced."""
    storable = text.replace("\0", "").encode(errors="replace").decode()
    return " ".join(storable.split())[:MAX_SUBAGENT_TITLE]


def _trace(call: ClaimedCall, turn: Turn) -> Trace:
    attributes: TraceAttributes = {
        "conversation": str(turn.conversation.public_id),
        "turn": str(turn.public_id),
        "model": turn.model.name if turn.model else "",
    }
    if zone := trace_attributes(call.span.trace).get("timezone"):
        attributes["timezone"] = zone
    root = recorder.begin_trace(
        turn.conversation.archive_id,
        call.turn.user_id,
        turn.conversation.title,
        attributes,
        kind=Trace.Kind.SUBAGENT,
        parent=call.span,
        is_listed=not call.turn.conversation.is_temporary,
    )
    return root.trace


def _result(turn: Turn) -> ToolResult:
    """The final text; of a turn that broke a ceiling, the latest text that it has."""
    text = _last_text(turn)
    if turn.status == Turn.Status.STOPPED:
        return ToolResult.error(STOPPED)
    if turn.status == Turn.Status.FAILED and not turn.ceiling:
        return ToolResult.error(f"The subagent failed: {turn.error}")
    return ToolResult.of_text(text or NO_SUMMARY)


def _last_text(turn: Turn) -> str:
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT)
    last = answers.order_by("-id").first()
    content = last.body.get("content") if last else ""
    return content.strip() if isinstance(content, str) else ""


def _announce(turn: Turn, call: Span, shown: str | None) -> None:
    number = call.parent.number if call.parent else 0
    event = events.call_event(turn, number, call, "", shown)
    events.emit(turn.conversation.public_id, event)
