"""Tool calls as cards: server, tool, arguments, state, result."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext, ngettext

from chat.engine.tool_calls.results import edit_note
from chat.events.subagents import SubagentState
from chat.markdown import Citation, citations
from chat.models import Question
from chat.presentation import values
from chat.presentation.questions import QuestionView, question_view
from chat.presentation.skills import SkillView, skill_view
from chat.presentation.text import one_line, well_formed
from chat.presentation.values import Value
from languages.later import later
from limits.chat import MAX_BRIEF, MAX_UNFOLDED_DESCRIPTION
from limits.tools import MAX_SOURCE_QUOTE
from tools.errors import FailureKind
from tools.local.agent import TASK
from tracing.formatting.figures import duration
from tracing.formatting.json_text import indented
from tracing.formatting.text import visible
from tracing.models import Span
from tracing.models.attributes import CallAttributes, call_attributes

ACCOUNT_NEEDED = (FailureKind.NO_ACCOUNT, FailureKind.ACCOUNT_ENDED)
# Calls that were made before the kind of a failure was stored have nothing but the sentence.
_ACCOUNT_SENTENCE = "the person has to connect their account to this server "
# Names of arguments that a card shows in short, most telling first.
_BRIEF_KEYS = (
    *("query", "sql", "command", "code", "expression", "path", "file", "url", "uri"),
    *("table_name", "name", "text", "prompt", "title"),
)
# Word and icon of a state. `static/js/chat/thread/words.js` has the same for live updates.
STATES = {
    "proposed": (later("proposed"), "clock"),
    "awaiting_approval": (later("waits for you"), "waiting"),
    "approved": (later("queued"), "clock"),
    "denied": (later("denied"), "denied"),
    "sent": (later("running"), "running"),
    "waiting": (later("waits for you"), "waiting"),
    "succeeded": (later("done"), "done"),
    "failed": (later("failed"), "failed"),
    "cancelled": (later("cancelled"), "stopped"),
    "outcome_unknown": (later("outcome unknown"), "unknown"),
}


@dataclass(frozen=True)
class CallView:
    """One card. `id` is the span's, empty if retention has removed it."""

    id: str
    state: str
    server: str
    tool: str
    brief: str
    outcome: str
    elapsed: str
    arguments: Value
    result: Value | None
    is_error: bool
    started: datetime | None = None
    ended: datetime | None = None
    # Structured content of the result, and its blocks that are no text
    # (`tools.results.content.described`).
    structured: Value | None = None
    blocks: Sequence[dict[str, Any]] = ()
    # The model's own arguments, if a person changed them.
    asked: Value | None = None
    # If the call waits for approval.
    approval: "ApprovalView | None" = None
    # Open questions of its server.
    questions: Sequence[QuestionView] = ()
    reason: str = ""
    # The subagent that the call began.
    subagent: "SubagentView | None" = None
    # The skill that the call loaded.
    skill: SkillView | None = None
    # What the result quotes, with words of each.
    sources: Sequence[tuple[Citation, str]] = ()
    # The person has to sign in at the server first, or again.
    wants_account: bool = False
    # Only the conversation's owner may agree; the name of who decided.
    asks_owner: bool = False
    decided_by: str = ""

    @property
    def word(self) -> str:
        return STATES[self.state][0]

    @property
    def icon(self) -> str:
        return STATES[self.state][1]

    @property
    def shows_result(self) -> bool:
        """False for a subagent that is done: its result is its last text, which its rounds show."""
        return self.subagent is None or self.subagent.state != "done"

    @property
    def result_label(self) -> str:
        return gettext("Error") if self.is_error else gettext("Result")


@dataclass(frozen=True)
class SubagentView:
    """`conversation` and `turn` are public ids; `names` are its unfinished calls, `waiting` counts
    those that wait for a person."""

    conversation: str
    turn: str
    state: str
    rounds: int
    names: Sequence[str]
    waiting: int
    tokens_in: int
    tokens_out: int

    @property
    def line(self) -> str:
        """Its progress; `static/js/chat/thread/words.js` has the same for live updates."""
        if self.state == "queued":
            return gettext("waiting for a worker")
        parts = [gettext("round %(round)s") % {"round": self.rounds}, ", ".join(self.names)]
        tokens = self.tokens_in + self.tokens_out
        return " · ".join(filter(None, [*parts, _tokens(tokens)]))


def _tokens(count: int) -> str:
    return gettext("%(count)s tokens") % {"count": f"{count:,}"} if count else ""


def subagent_view(state: SubagentState) -> SubagentView:
    return SubagentView(
        conversation=state["conversation"],
        turn=state["subagent"],
        state=state["state"],
        rounds=state["round"],
        names=[visible(name) for name in state["calls"]],
        waiting=len(state["waiting"]),
        tokens_in=state["tokens_in"],
        tokens_out=state["tokens_out"],
    )


@dataclass(frozen=True)
class ApprovalView:
    """The arguments on which a person decides. `readable` is the exact text with invisible and
    misleading characters named; `editable` is the text indented, if it is JSON."""

    editable: str
    readable: str
    lines: int
    is_for_tool: bool
    # Of the tool; `warning` and `hint` are its server's claims, unchecked.
    description: str = ""
    warning: str = ""
    hint: str = ""

    @property
    def is_long(self) -> bool:
        return len(self.description) > MAX_UNFOLDED_DESCRIPTION or self.description.count("\n") > 2

    @property
    def beginning(self) -> str:
        return one_line(self.description, MAX_UNFOLDED_DESCRIPTION)


@dataclass(frozen=True)
class CallGroup:
    """The calls of one round."""

    calls: list[CallView]

    @property
    def waiting(self) -> int:
        """How many wait for approval."""
        return sum(call.approval is not None for call in self.calls)

    @property
    def heading(self) -> str:
        """Their number and wall time; "" for a single call."""
        if len(self.calls) < 2:
            return ""
        times = [(call.started, call.ended) for call in self.calls if call.started and call.ended]
        heading = (
            gettext("%(count)s calls in parallel")
            if _overlap(times)
            else gettext("%(count)s calls")
        ) % {"count": len(self.calls)}
        if len(times) < len(self.calls):
            return heading
        wall = max(ended for _, ended in times) - min(started for started, _ in times)
        return f"{heading} · {duration(wall.total_seconds() * 1000)}"


def call_view(
    call: dict[str, Any],
    span: Span | None,
    result: str | None,
    questions: Sequence[Question] = (),
    subagent: SubagentView | None = None,
) -> CallView:
    """`call` is from the canonical message; `span` is None once retention has removed it, `result`
    is the text that the model was shown."""
    name, model_arguments = str(call["function"]["name"]), str(call["function"]["arguments"])
    attributes: CallAttributes = call_attributes(span) if span else {}
    arguments = str(attributes.get("edited_arguments", model_arguments))
    result = _without_edit_note(result, span)
    is_error = bool(span and span.status in ("failed", "denied", "outcome_unknown"))
    sources = _sources(attributes)
    return CallView(
        id=str(span.public_id) if span else "",
        state=_state(span, subagent),
        server=visible(str(attributes.get("server") or "")),
        tool=visible(str(attributes.get("tool") or name)),
        brief=brief(arguments, of_task=name == TASK.name),
        outcome=_outcome(result, is_error, subagent, sources),
        elapsed=_elapsed(span),
        arguments=values.value(_of_object(arguments)),
        result=values.value(result) if result is not None else None,
        is_error=is_error,
        structured=_structured(attributes),
        blocks=_blocks(attributes),
        started=span.started if span else None,
        ended=span.ended if span else None,
        asked=(values.value(_of_object(model_arguments)) if arguments != model_arguments else None),
        approval=_approval(span, model_arguments),
        questions=[question_view(question) for question in questions],
        reason=visible(span.error) if span and span.status == "denied" else "",
        subagent=subagent,
        skill=skill_view(name, result, is_error),
        sources=sources,
        wants_account=is_error and _wants_account(attributes, result or ""),
        asks_owner=bool(attributes.get("asks_owner")),
        decided_by=_decided_by(attributes),
    )


def _without_edit_note(result: str | None, span: Span | None) -> str | None:
    """The result without the line that tells the model of edited arguments."""
    if result is None or span is None:
        return result
    return result.removeprefix(edit_note(span))


def _decided_by(attributes: CallAttributes) -> str:
    decision = attributes.get("decision")
    return visible(str(decision.get("by") or "")) if isinstance(decision, dict) else ""


def _outcome(
    result: str | None,
    is_error: bool,
    subagent: SubagentView | None,
    sources: Sequence[tuple[Citation, str]],
) -> str:
    if subagent and result is None:
        return subagent.line
    if not sources:
        return outcome(result, is_error)
    if len(sources) == 1:
        return one_line(sources[0][0].title, MAX_BRIEF)
    return ngettext("%(count)s source", "%(count)s sources", len(sources)) % {"count": len(sources)}


def _sources(attributes: CallAttributes) -> list[tuple[Citation, str]]:
    cited = {one.number: one for one in citations.read(attributes.get("sources") or ())}
    quotes = attributes.get("quotes") or ()
    return [
        (cited[number], one_line(str(quote), MAX_SOURCE_QUOTE))
        for number, quote in quotes
        if number in cited
    ]


def _wants_account(attributes: CallAttributes, result: str) -> bool:
    if "failure" not in attributes:
        return _ACCOUNT_SENTENCE in result
    return attributes["failure"] in ACCOUNT_NEEDED


def _state(span: Span | None, subagent: SubagentView | None) -> str:
    """A call that waits for its subagent waits for a person only if the subagent does."""
    if span is None:
        return "succeeded"
    if span.status == Span.Status.WAITING and subagent and not subagent.waiting:
        return str(Span.Status.SENT)
    return str(span.status)


def _structured(attributes: CallAttributes) -> Value | None:
    structured = attributes.get("structured")
    return values.value(structured) if isinstance(structured, str) else None


def _blocks(attributes: CallAttributes) -> Sequence[dict[str, Any]]:
    blocks = attributes.get("blocks")
    return blocks if isinstance(blocks, list) else ()


def _approval(span: Span | None, arguments: str) -> ApprovalView | None:
    if span is None or span.status != Span.Status.AWAITING_APPROVAL:
        return None
    editable = _indented(arguments)
    return ApprovalView(
        editable=editable,
        readable=visible(well_formed(arguments)),
        lines=editable.count("\n") + 1,
        is_for_tool=bool(span.tool_hash),
        description=visible(str(call_attributes(span).get("description") or "").strip()),
        **_hints(call_attributes(span).get("annotations")),
    )


def _hints(annotations: object) -> dict[str, str]:
    """Sentences for a server's hints that a tool only reads, or may destroy."""
    if not isinstance(annotations, dict):
        return {}
    if annotations.get("destructiveHint") is True:
        return {"warning": gettext("The server says that this may delete or overwrite data.")}
    if annotations.get("readOnlyHint") is True:
        return {"hint": gettext("The server says that this only reads. Nobody checked it.")}
    if annotations.get("destructiveHint") is False:
        return {"hint": gettext("The server says that this destroys nothing. Nobody checked it.")}
    return {}


def _indented(text: str) -> str:
    try:
        parsed = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return well_formed(text)
    return well_formed(indented(parsed))


def brief(arguments: str, *, of_task: bool = False) -> str:
    """The most telling argument on one line: of a task, its description."""
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return one_line(arguments, MAX_BRIEF)
    if not isinstance(parsed, dict):
        return one_line(arguments, MAX_BRIEF)
    keys = ("description", *_BRIEF_KEYS) if of_task else _BRIEF_KEYS
    key = next((key for key in keys if parsed.get(key) and isinstance(parsed[key], str)), None)
    value = parsed[key] if key else next(iter(parsed.values()), "")
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return values.item_count(len(value))
    return one_line(value if isinstance(value, str) else json.dumps(value), MAX_BRIEF)


def outcome(result: str | None, is_error: bool) -> str:
    """The result or error in short."""
    if result is None:
        return ""
    return one_line(result if is_error else values.summary(result), MAX_BRIEF)


def _of_object(arguments: str) -> str:
    return "" if arguments.strip() == "{}" else arguments


def _elapsed(span: Span | None) -> str:
    if span is None or span.started is None or span.ended is None:
        return ""
    return duration((span.ended - span.started).total_seconds() * 1000)


def _overlap(times: Sequence[tuple[datetime, datetime]]) -> bool:
    ordered = sorted(times)
    return any(later[0] < earlier[1] for earlier, later in pairwise(ordered))
