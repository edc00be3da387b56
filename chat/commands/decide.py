"""Deciding on a tool call that waits for approval: it runs, or ends as denied.

Each is one transaction whose first statement moves the turn's `wakeups` (see
`chat.turn_facts`); the compare-and-set on the call's state makes the first decision the only
one.
"""

import json
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from audit.models import Action
from audit.recording import record
from chat import doorbell, events
from chat.agent import subagents
from chat.engine.tool_calls.endings import sentence_without_result
from chat.engine.tool_calls.policies import Grant
from chat.errors import Rejected
from chat.models import Conversation, Turn
from chat.turn_facts import wake
from db.threads import after_commit
from languages.later import later
from limits.chat import MAX_DENIAL_REASON, MAX_EDITED_ARGUMENTS
from tools.calls.arguments import parse_arguments
from tools.catalogue import registry
from tools.values.call import ToolResult
from tracing.journal import actions
from tracing.models import Payload, Span
from tracing.models.attributes import CallAttributes, call_attributes
from tracing.store import payloads

OF_OWNER = later(
    "This call uses an account or a server of the owner of this conversation, so only they can "
    "allow it. You can deny it."
)
GONE = later("This tool is no longer available: it was switched off or changed. Deny the call.")


def decide_call(
    call: Span,
    *,
    approve: bool,
    reason: str = "",
    for_conversation: bool = False,
    arguments: str | None = None,
    user: User | None = None,
) -> bool:
    """Decides on a call that waits for approval. Returns False for a second decision, which changes
    nothing.

    `arguments` (JSON text) replace the model's; `for_conversation` allows this tool, as it is now,
    for the rest of the conversation, its subagents included, and with it the other calls of it that
    wait. `user` is who decides, None: the conversation's owner. Raises `Rejected` if the arguments
    do not fit, or if the owner has to decide.
    """
    turn = Turn.objects.select_related("conversation", "user").get(trace_id=call.trace_id)
    call = Span.objects.select_related("parent", "trace").get(pk=call.pk)
    if call.status != Span.Status.AWAITING_APPROVAL:
        return False
    decider = user or turn.user
    if approve and decider != turn.user:
        _check_member(call, for_conversation)
    changes: CallAttributes = {}
    edited = _edited(call, arguments, turn.user) if approve and arguments is not None else None
    if edited is not None:
        changes["edited_arguments"] = edited
    with transaction.atomic():
        if not wake(turn.pk):
            return False
        decision = {"approve": approve, "for_conversation": approve and for_conversation}
        changes["decision"] = {**decision, "by": decider.get_username()}
        if not _settle(turn, call, decider, reason, changes):
            return False
        if approve and for_conversation:
            _grant(turn.conversation, call)
    if approve and for_conversation:
        _approve_granted(turn.conversation.top, call, decider)
    return True


def _check_member(call: Span, for_conversation: bool) -> None:
    """Refuses what only the owner may agree to. Raises `Rejected`."""
    if call_attributes(call).get("asks_owner"):
        raise Rejected(OF_OWNER)
    if for_conversation:
        raise Rejected(
            gettext(
                "Only the owner of this conversation can allow a tool for all of it. Allow it once."
            )
        )


def _settle(turn: Turn, call: Span, decider: User, reason: str, changes: CallAttributes) -> bool:
    """Settles one call by compare-and-set, and rings the workers. False if it was settled."""
    now = timezone.now()
    attributes = call_attributes(call)
    attributes.update(changes)
    approve = attributes["decision"]["approve"]
    attributes["decision"] = {**attributes["decision"], "at": now.isoformat()}
    call.status = Span.Status.APPROVED if approve else Span.Status.DENIED
    call.error, call.ended = reason[:MAX_DENIAL_REASON], None if approve else now
    waiting = Span.objects.filter(pk=call.pk, status=Span.Status.AWAITING_APPROVAL)
    fields = ("status", "error", "ended", "attributes")
    if not waiting.update(**{name: getattr(call, name) for name in fields}):
        return False
    kind = "approve" if approve else "deny"
    actions.record(turn.trace_id, kind, decider.pk, call, **_action_details(call))
    done = Action.CALL_APPROVED if approve else Action.CALL_DENIED
    granted = bool(call_attributes(call)["decision"].get("for_conversation"))
    about = {"tool": call.name, "for_conversation": granted}
    record(done, decider, turn, **about)
    after_commit(partial(_announce, turn, call))
    after_commit(partial(doorbell.ring_turn, turn.pk, turn.counted_user_id))
    if approve:
        after_commit(partial(doorbell.ring_call, call.pk, turn.counted_user_id))
    return True


def _action_details(call: Span) -> dict[str, Any]:
    """The details of a decision, for the trace's list of actions."""
    decision = call_attributes(call)["decision"]
    facts = {
        "reason": call.error,
        "for_conversation": decision.get("for_conversation"),
        "edited": "edited_arguments" in call_attributes(call),
    }
    return {name: value for name, value in facts.items() if value}


def _grant(conversation: Conversation, call: Span) -> None:
    """Stores the grant at the topmost conversation, which counts for its subagents too. The row is
    locked, because several of them may store grants at a time."""
    top = Conversation.objects.select_for_update().get(pk=conversation.top.pk)
    grant = Grant(tool=call.name, hash=call.tool_hash or "")
    if grant not in top.granted:
        top.granted = [*top.granted, grant]
        top.save(update_fields=["granted"])


def _approve_granted(top: Conversation, call: Span, decider: User) -> None:
    """Approves the waiting calls of the same tool in this conversation and its subagents, each in a
    transaction of its own, which locks its turn."""
    open_turns = Turn.objects.open()
    of_it = open_turns.filter(conversation=top)
    of_its_subagents = open_turns.filter(conversation__archive__parent=top.archive_id)
    waiting = Span.objects.select_related("parent", "trace").filter(
        Q(trace__in=of_it.values("trace")) | Q(trace__in=of_its_subagents.values("trace")),
        kind=Span.Kind.TOOL,
        name=call.name,
        tool_hash=call.tool_hash,
        status=Span.Status.AWAITING_APPROVAL,
    )
    for other in waiting:
        _approve_other(other, decider)


def _approve_other(call: Span, decider: User) -> None:
    turn = Turn.objects.select_related("conversation", "user").get(trace_id=call.trace_id)
    with transaction.atomic():
        if wake(turn.pk):
            decision = {"approve": True, "for_conversation": True, "by": decider.get_username()}
            _settle(turn, call, decider, "", {"decision": decision})


def _edited(call: Span, text: str, user: User) -> str | None:
    """The arguments to run instead, as compact JSON; None if they equal the model's."""
    if len(text) > MAX_EDITED_ARGUMENTS:
        raise Rejected(
            gettext("The arguments have more than %(most)s characters. Shorten them.")
            % {"most": f"{MAX_EDITED_ARGUMENTS:,}"}
        )
    tool = registry.find(call.name, user)
    if tool is None:
        raise Rejected(GONE)
    arguments = parse_arguments(tool, text)
    if isinstance(arguments, ToolResult):
        raise Rejected(arguments.text.partition("\n")[0])
    return (
        None if arguments == _model_arguments(call) else json.dumps(arguments, ensure_ascii=False)
    )


def _model_arguments(call: Span) -> Any:
    """The model's own arguments, or None if they are not JSON."""
    stored = Payload.objects.select_related("span__trace").get(
        span=call, stage=Payload.Stage.ARGUMENTS
    )
    try:
        return json.loads(payloads.load(stored) or b"{}")
    except (ValueError, RecursionError):
        return None


def _announce(turn: Turn, call: Span) -> None:
    number = call.parent.number if call.parent else 0
    result = sentence_without_result(call) if call.status == Span.Status.DENIED else None
    event = events.call_event(turn, number, call, "", result)
    events.emit(turn.conversation.public_id, event)
    subagents.announce_progress(turn)
