"""Advances a turn with recorded answers; its calls get their recorded results."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import transaction

from chat.agent import todos
from chat.cassettes.answers import document
from chat.cassettes.recorded import Cassette, CassetteCall, CassetteRound, CassetteTurn
from chat.cassettes.server import CassetteApplication, running
from chat.engine.tool_calls import call_claims, call_outcome
from chat.engine.turn.advance import advance
from chat.models import Conversation
from chat.models import Turn as TurnRow
from chat.rerun import scratch
from chat.rerun.script import Deviation, Script
from chat.turn_facts import wake
from db.public_ids import parse_public_id
from db.threads import in_database
from tools.local.agent import SEARCH_TOOLS, TODO
from tools.values.call import ToolResult
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import CallAttributes

# States of a recorded turn that ended early.
CUT_SHORT = ("stopped", "running")
COMPACTED = (
    "It cannot be replayed: older messages were left out during the turn, and when that happens "
    "depends on the conversation before it. It can be served "
    "(`manage.py cassette serve`)."
)
SEARCHED = (
    "It cannot be replayed: the model searched for tools, which changed what it was offered, and "
    "this older cassette does not say how. Export the trace again; or serve it "
    "(`manage.py cassette serve`)."
)


@dataclass(frozen=True)
class ReplayedTurn:
    """The result for one turn: the number of equal requests, and the first problem."""

    turn: CassetteTurn
    equal: int
    expected: int
    deviation: Deviation | None = None
    problem: str = ""

    @property
    def is_equal(self) -> bool:
        return self.deviation is None and not self.problem


def replay(cassette: Cassette) -> Iterator[ReplayedTurn]:
    """Runs each turn again, in this process and its database. Raises `BrokenCassette`."""
    for turn in cassette.turns:
        script = Script(turn)
        if problem := _unplayable(turn):
            yield ReplayedTurn(turn, 0, len(script.expected), problem=problem)
            continue
        with running(CassetteApplication(script.answer, document({}))) as url:
            row = scratch.begin(turn, url)
            problem = _play(row, turn, script)
        yield ReplayedTurn(turn, script.equal, len(script.expected), script.deviation, problem)


def _unplayable(turn: CassetteTurn) -> str:
    """Why the turn cannot be replayed; "" if it can."""
    if any(found.compactions for found in turn.rounds):
        return COMPACTED
    if any(_is_other_offer(before, after) for before, after in pairwise(turn.rounds)):
        return SEARCHED
    return ""


def _is_other_offer(before: CassetteRound, after: CassetteRound) -> bool:
    """Whether a search changed the tools, and the new ones were not recorded."""
    searched = any(call.name == SEARCH_TOOLS.name for call in before.calls)
    if not searched or after.tools is not None or not (before.generations and after.generations):
        return False
    return _offer(before.generations[0].sent) != _offer(after.generations[0].sent)


def _offer(sent: dict[str, Any]) -> list[Any]:
    """The tools of a request; some dialects write them into the system message."""
    system = [one for one in sent["messages"] if one.get("role") == "system"]
    return [sent.get("tools"), sent.get("functions"), sent.get("system"), system]


def _play(row: TurnRow, recorded: CassetteTurn, script: Script) -> str:
    """Advances to the end of the turn or of the recording; a sentence if neither is reached."""
    while True:
        advance(row.pk)
        row.refresh_from_db()
        if script.deviation is not None or (script.is_played and recorded.status in CUT_SHORT):
            return ""
        if not row.is_open:
            break
        problem = _settle_calls(row, recorded)
        if problem:
            return problem
        following = next((one for one in recorded.rounds if one.number > row.rounds), None)
        if following is not None and following.tools is not None:
            in_database(scratch.offer, row, following.tools)
    if script.is_played:
        return ""
    why = f": {row.error}" if row.error else ""
    return f"The turn ended ({row.status}{why}) before all that was recorded had been asked."


def _settle_calls(row: TurnRow, recorded: CassetteTurn) -> str:
    spans = Span.objects.filter(
        trace=row.trace, kind=Span.Kind.TOOL, status=Span.Status.APPROVED
    ).select_related("parent")
    waiting = list(spans.order_by("parent__number", "number"))
    if not waiting:
        return f"The turn does not go on: it is {row.status}."
    for span in waiting:
        assert span.parent is not None
        call = _recorded_call(recorded, span.parent.number, span.number)
        if call is None:
            return f"The engine read a call of {span.name} that was not recorded."
        in_database(_settle, row, span, call)
    return ""


def _recorded_call(recorded: CassetteTurn, round_number: int, position: int) -> CassetteCall | None:
    found = next((each for each in recorded.rounds if each.number == round_number), None)
    calls = found.calls if found else ()
    return calls[position - 1] if position <= len(calls) else None


def _settle(row: TurnRow, span: Span, call: CassetteCall) -> None:
    """Finishes a call with its recorded result, or with its recorded end if it has none."""
    edited = call.edited_arguments
    changes: CallAttributes = {"edited_arguments": edited} if edited is not None else {}
    Span.objects.filter(pk=span.pk).update(
        public_id=_public_id(span, call), attributes={**span.attributes, **changes}
    )
    if call.result is None:
        _end(row, span, call)
        return
    if span.name == TODO.name and not call.is_error:
        _keep_todos(row, call)
    claimed = call_claims.claim_call(span.pk)
    assert claimed is not None, "nobody else is here to claim it"
    result = call.result
    call_outcome.finish_call(
        claimed,
        ToolResult(
            result["content"],
            result.get("structured"),
            bool(result.get("is_error", call.is_error)),
            unknown=call.status == Span.Status.OUTCOME_UNKNOWN,
        ),
    )


def _keep_todos(row: TurnRow, call: CassetteCall) -> None:
    """Stores the todo list, the only effect of a call on later requests besides its result."""
    conversation = Conversation.objects.get(pk=row.conversation_id)
    items = todos.list_after_call(conversation.todos, call.edited_arguments or call.arguments)
    Conversation.objects.filter(pk=conversation.pk).update(todos=items)


def _public_id(span: Span, call: CassetteCall) -> UUID:
    """The recorded id, which a long result names to the model (`read_result`)."""
    recorded = parse_public_id(call.span)
    if recorded is None or Span.objects.filter(public_id=recorded).exists():
        return span.public_id
    return recorded


def _end(row: TurnRow, span: Span, call: CassetteCall) -> None:
    attributes: CallAttributes = {"is_error": True}
    if call.denied_by:
        attributes["denied_by"] = call.denied_by
    with transaction.atomic():
        wake(row.pk)
        stored = Span.objects.get(pk=span.pk)
        recorder.close_span(stored, Span.Status(call.status), call.error, attributes=attributes)
