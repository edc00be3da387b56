"""Steps that make room: placeholders at once, a summary by a model call of its own.

Each is a span of kind `compaction` that says what was left out and why. A summary that was cut by a
worker's end is made again; one that fails twice in a turn is done without.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone

from chat import events
from chat.agent.compaction import transcript
from chat.database import after_commit
from chat.engine.claims import Claim, fenced
from chat.engine.context import Context
from chat.engine.evidence import records
from chat.engine.generated import Generated
from chat.engine.journal import Journal
from chat.engine.served import described, served
from chat.llm.messages import Message, text_of
from chat.llm.served import ModelInput, ServedModel
from chat.models import Compaction, LanguageModel, Turn
from tools.local.agent import COMPACT
from tracing import payloads
from tracing.models import Span
from tracing.prepared import insert

MOST_FAILURES = 2
# Characters of a token in a transcript, at least; and the share of the window that it may fill.
_SPARSEST = 2
_SHARE = 0.6
INSTRUCTIONS = (
    "You write the summary with which an assistant goes on with a conversation that became too "
    "long. Keep what the user wants, what was decided, what was found (names, paths, figures, "
    "exact values), what was done, and what is still open. Leave out what does not matter any "
    "more. Write in the language of the conversation. Answer with the summary alone."
)
ENDS = {True: Span.Status.SUCCEEDED, False: Span.Status.FAILED}


@dataclass(frozen=True)
class Summarising:
    """A summary that is about to be written, with all that its model call needs."""

    turn: Turn
    span: Span
    generation: Span
    model: LanguageModel
    served: ServedModel
    meant: ModelInput
    upto: int


def shorten(journal: Journal, done: dict[str, Any], upto: int) -> None:
    """Writes down that older results are placeholders from the next round on."""
    now = timezone.now()
    span = _span(journal, "micro", done, Span.Status.SUCCEEDED, ended=now)
    turn = journal.turn
    Compaction.objects.create(
        conversation_id=turn.conversation_id, span=span, kind=Compaction.Kind.MICRO, upto_id=upto
    )
    after_commit(partial(_announce, turn, span))


def due(journal: Journal, context: Context) -> str:
    """Why a summary is to be written before the next round: `auto`, `manual`, or "" for not."""
    if not context.summary_upto or _failures(journal) >= MOST_FAILURES:
        return ""
    if any(_asked(call) for call in journal.calls) and not _done(journal):
        return "manual"
    return "auto" if context.is_full else ""


def begin(journal: Journal, context: Context, why: str) -> Summarising:
    """Writes the spans of a summary, inside the owner's transaction."""
    turn, model = journal.turn, journal.turn.model
    assert model is not None
    _supersede(journal)
    upto = context.summary_upto
    older = [one for one in context.kept if one.pk <= upto and one.body["role"] != "system"]
    noted = {
        "layer": why,
        "messages": len(older),
        "tokens_before": context.tokens,
        "context_window": context.limits.context_window,
    }
    span = _span(journal, why, noted, Span.Status.RUNNING)
    most = round(context.limits.context_window * _SHARE * _SPARSEST)
    asked = _asked_for(journal, transcript(older, most))
    generation = insert(
        Span(
            trace=journal.root.trace,
            parent=span,
            kind=Span.Kind.GENERATION,
            name=model.name[:200],
            started=timezone.now(),
            attributes=described(model, 1),
        )
    )
    meant = ModelInput(asked, [], dict(model.parameters))
    return Summarising(turn, span, generation, model, served(model), meant, upto)


def settle(claim: Claim, summary: Summarising, generated: Generated) -> None:
    """Writes what came of it: the evidence, and the summary if there is one."""
    turn = summary.turn
    usage = generated.usage or {}
    turn.tokens_in += int(usage.get("prompt_tokens") or 0)
    turn.tokens_out += int(usage.get("completion_tokens") or 0)
    with fenced(claim, tokens_in=turn.tokens_in, tokens_out=turn.tokens_out):
        said = _said(generated)
        evidence = records(summary.generation, summary.meant, generated)
        payloads.store_all(turn.conversation.archive, evidence)
        _close(summary.generation, generated.status, generated.sentence, generated.described())
        sentence = generated.sentence or ("" if said else "The model wrote no summary.")
        _close(summary.span, ENDS[bool(said)], sentence, {"summary_characters": len(said)})
        if said:
            Compaction.objects.create(
                conversation_id=turn.conversation_id,
                span=summary.span,
                kind=Compaction.Kind.SUMMARY,
                upto_id=summary.upto,
                summary=said,
            )
        after_commit(partial(_announce, turn, summary.span))


def _said(generated: Generated) -> str:
    if generated.error is not None or generated.cut is not None or generated.answer is None:
        return ""
    return text_of(generated.message.get("content")).strip()


def _asked_for(journal: Journal, text: str) -> list[Message]:
    focus = next((call.attributes.get("focus") for call in journal.calls if _asked(call)), "")
    instructions = f"{INSTRUCTIONS} Above all keep: {focus}" if focus else INSTRUCTIONS
    return [{"role": "system", "content": instructions}, {"role": "user", "content": text}]


def _asked(call: Span) -> bool:
    return call.name == COMPACT.name and call.status == Span.Status.SUCCEEDED


def _done(journal: Journal) -> bool:
    """Whether what the latest round asked for has been done."""
    assert journal.round is not None
    return Span.objects.filter(
        trace=journal.root.trace_id,
        kind=Span.Kind.COMPACTION,
        name="manual",
        status=Span.Status.SUCCEEDED,
        pk__gt=journal.round.pk,
    ).exists()


def _failures(journal: Journal) -> int:
    return Span.objects.filter(
        trace=journal.root.trace_id, kind=Span.Kind.COMPACTION, status=Span.Status.FAILED
    ).count()


def _supersede(journal: Journal) -> None:
    """Those that a worker left behind in the middle."""
    now = timezone.now()
    left = Span.objects.filter(
        trace=journal.root.trace_id, kind=Span.Kind.COMPACTION, status=Span.Status.RUNNING
    )
    ended = {"status": Span.Status.SUPERSEDED, "ended": now}
    Span.objects.filter(parent__in=list(left), status=Span.Status.RUNNING).update(**ended)
    left.update(**ended)


def _span(
    journal: Journal,
    name: str,
    attributes: dict[str, Any],
    status: Span.Status,
    **fields: Any,
) -> Span:
    number = Span.objects.filter(trace=journal.root.trace_id, kind=Span.Kind.COMPACTION).count()
    return insert(
        Span(
            trace=journal.root.trace,
            parent=journal.root,
            kind=Span.Kind.COMPACTION,
            name=name,
            number=number + 1,
            status=status,
            started=timezone.now(),
            attributes=attributes,
            **fields,
        )
    )


def _close(span: Span, status: Span.Status, error: str, noted: dict[str, Any]) -> None:
    span.status, span.ended, span.error = status, timezone.now(), error
    span.attributes |= noted
    span.save(update_fields=["status", "ended", "error", "attributes"])


def _announce(turn: Turn, span: Span) -> None:
    event = {
        "type": "compaction",
        "turn": str(turn.public_id),
        "span": str(span.public_id),
        "state": str(span.status),
        **{name: span.attributes.get(name) for name in ("layer", "results", "messages")},
    }
    events.emit(turn.conversation.public_id, event)
