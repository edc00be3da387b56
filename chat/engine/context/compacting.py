"""Compaction: placeholders for older results, and a summary by a model call of its own.

Each is a span of kind `compaction`, whose attributes say what was left out and why. A summary that
was interrupted by the end of its worker is written again; after two failures the turn goes on
without one for some rounds. A person may ask for a summary: that is a turn of its own without a
question (`chat.commands.compact`), and, while another turn runs, a mark on the root of that turn,
which writes the summary before its next round.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone

from chat import events
from chat.agent import share
from chat.agent.compaction import transcript
from chat.agent.estimating import guess
from chat.engine.context import history
from chat.engine.context.request_context import Context, estimated, with_summary
from chat.engine.context.summary_attempts import (
    NO_SUMMARY,
    recent,
    since_success,
    summary_spans,
)
from chat.engine.generation import context_refusals
from chat.engine.generation.evidence import records
from chat.engine.generation.model_settings import opening_attributes, served
from chat.engine.generation.outcome import Generated
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.worker.running_turns import Cut
from chat.llm.errors import StatusFailure
from chat.llm.length_refusal import is_too_long
from chat.llm.messages import Message, text_of
from chat.llm.parameters import for_plain_text
from chat.llm.served import ModelInput, ServedModel
from chat.models import Compaction, LanguageModel, Turn
from chat.quotas import admission
from db.threads import after_commit
from languages.stored import stored
from limits.models import MAX_SUMMARY_PAUSE_S
from tools.local.agent import COMPACT
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import (
    CompactionAttributes,
    call_attributes,
    compaction_attributes,
    turn_attributes,
)
from tracing.store import payloads

# The layer that cuts messages.
CAP = "cap"
# A cut is recorded again if its length differs from the recorded one by more than this share.
_SAME_CUT_SHARE = 0.2
# Upper bound of a transcript, as a share of the window: the summary needs room too.
_TRANSCRIPT_SHARE = 0.5
# Lower bounds of a transcript.
_MIN_TRANSCRIPT_TOKENS = 250
_MIN_TRANSCRIPT_CHARACTERS = 500
INSTRUCTIONS = (
    "You write the summary with which an assistant goes on with a conversation that became too "
    "long. Keep what the user wants, what was decided, what was found (names, paths, figures, "
    "exact values), what was done, and what is still open. Leave out what does not matter any "
    "more. Write in the language of the conversation. Answer with the summary alone."
)
NOTHING = stored("Nothing to summarise yet: there are too few older messages.")
TOO_LONG = stored(
    "The summary was not shorter than the messages that it replaces, so it is not used."
)


@dataclass(frozen=True)
class SummaryOrder:
    """Why a summary is to be written: `layer` is `auto` or `manual`, `reason` a sentence for
    people, `focus` what the summary has to keep. `turn` is the public id of the turn with which a
    person asked for it, "" if none did."""

    layer: str
    reason: str
    focus: str = ""
    turn: str = ""


AFTER_REFUSAL = SummaryOrder("auto", stored("The provider rejected the request as too long."))


@dataclass(frozen=True)
class Summarising:
    """A summary that is about to be written, with all that its model call needs. It stands for the
    messages up to the row `upto`."""

    turn: Turn
    span: Span
    generation: Span
    model: LanguageModel
    served: ServedModel
    meant: ModelInput
    upto: int
    context: Context


def record_placeholders(
    journal: Journal, attributes: CompactionAttributes, upto: int, started: datetime
) -> None:
    """Writes that results up to the row `upto` are placeholders from the next round on."""
    span = recorder.open_compaction(
        journal.root, "micro", attributes, status=Span.Status.SUCCEEDED, started=started
    )
    turn = journal.turn
    Compaction.objects.create(
        conversation_id=turn.conversation_id, span=span, kind=Compaction.Kind.MICRO, upto_id=upto
    )
    after_commit(partial(_announce, turn, span))


def record_cuts(journal: Journal, context: Context, tokens_before: int, started: datetime) -> None:
    """Writes which messages are cut or omitted, unless the same ones are recorded already.
    `tokens_before` estimates the request without the cuts."""
    if not (context.cuts or context.omitted):
        return
    rows = {str(cut.pk): cut.sent for cut in context.cuts}
    if _are_recorded(rows, context.omitted, _latest_cuts(journal.turn)):
        return
    attributes: CompactionAttributes = {
        "layer": CAP,
        "results": len(context.cuts),
        "omitted": context.omitted,
        "replaced": [
            {"tool": cut.what, "characters": cut.characters, "sent": cut.sent}
            for cut in context.cuts
        ],
        "rows": rows,
        "left_out_characters": sum(max(0, cut.characters - cut.sent) for cut in context.cuts),
        "tokens_before": tokens_before,
        "tokens_after": context.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    span = recorder.open_compaction(
        journal.root, CAP, attributes, status=Span.Status.SUCCEEDED, started=started
    )
    after_commit(partial(_announce, journal.turn, span))


def _are_recorded(rows: dict[str, int], omitted: int, latest: CompactionAttributes) -> bool:
    """Whether the latest recorded cuts are of the same messages, to about the same lengths."""
    lengths = latest.get("rows") or {}
    same = (
        abs(sent - lengths.get(pk, 0)) <= _SAME_CUT_SHARE * lengths.get(pk, 0)
        for pk, sent in rows.items()
    )
    return omitted == latest.get("omitted") and all(same)


def _latest_cuts(turn: Turn) -> CompactionAttributes:
    """The attributes of the conversation's latest span of cuts; {} if there is none."""
    spans = Span.objects.filter(
        trace__turn__conversation=turn.conversation_id, kind=Span.Kind.COMPACTION, name=CAP
    )
    latest: CompactionAttributes | None = (
        spans.order_by("-id").values_list("attributes", flat=True).first()
    )
    return latest or {}


def due(journal: Journal, context: Context) -> SummaryOrder | None:
    """The summary that is to be written before the next round; None if none is."""
    order = _order_of_model(journal) or _marked_order(journal) or _order_of_full_window(context)
    if order is None or not context.summary_upto:
        return None
    return None if recent(journal).is_given_up else order


def is_done(journal: Journal) -> bool:
    """Whether the summary that is all that a turn is about has been written: by this turn, or by
    the one before it, which still ran when a person asked; on another branch it does not count."""
    summaries = Compaction.objects.filter(
        conversation=journal.turn.conversation_id,
        kind=Compaction.Kind.SUMMARY,
        created__gte=journal.turn.created,
    )
    uptos = set(summaries.values_list("upto", flat=True))
    return bool(uptos) and not uptos.isdisjoint(history.read(journal.turn).pks)


def begin_summary(journal: Journal, context: Context, order: SummaryOrder) -> Summarising:
    """Writes the spans of a summary and of its model call, inside the owner's transaction."""
    turn, model = journal.turn, journal.turn.model
    assert model is not None
    _supersede_interrupted(journal)
    context = context if context.guessed else estimated(context, turn)
    attributes: CompactionAttributes = {
        "layer": order.layer,
        "reason": order.reason,
        "focus": order.focus,
        "for": order.turn,
        "before_round": journal.number + 1,
        "messages": len(context.older),
        "tokens_before": context.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    failures = len(since_success(journal).failed)
    span = recorder.open_compaction(journal.root, order.layer, attributes)
    generation = recorder.open_generation(
        span, model.name, opening_attributes(model, 1, context.window)
    )
    parameters = for_plain_text(model.parameters)
    meant = ModelInput(_request(context, order, failures), [], parameters)
    _announce_begin(journal, span)
    upto = context.summary_upto
    return Summarising(turn, span, generation, model, served(model), meant, upto, context)


def finish_summary(claim: Claim, summary: Summarising, generated: Generated) -> None:
    """Writes the outcome of a summary's model call, and the summary if there is one. Of one that
    another process is to repeat nothing is written."""
    if generated.cut is Cut.HANDOVER:
        return
    turn = summary.turn
    turn.tokens_in += generated.tokens("prompt_tokens")
    turn.tokens_out += generated.tokens("completion_tokens")
    text = _text_of(generated)
    after = with_summary(summary.context, text, summary.upto)
    problem = _problem(summary, generated, text, after)
    with fenced(claim, tokens_in=turn.tokens_in, tokens_out=turn.tokens_out):
        context_refusals.record_refused_summary(turn, summary.model, generated.error)
        evidence = records(summary.generation, summary.meant, generated)
        payloads.store_all(turn.conversation.archive, evidence)
        recorder.close_span(
            summary.generation, generated.status, generated.sentence, generated.attributes()
        )
        if generated.cut is not None:
            recorder.close_span(summary.span, Span.Status.CANCELLED)
        elif problem:
            next_attempt, retry_at = _next_attempt(generated)
            recorder.close_span(
                summary.span, Span.Status.FAILED, problem, next_attempt, retry_at=retry_at
            )
        else:
            _store_summary(summary, text, after)
        admission.count_usage(turn.conversation.owner_id)
        after_commit(partial(_announce, turn, summary.span))


def _store_summary(summary: Summarising, text: str, after: Context) -> None:
    attributes: CompactionAttributes = {
        "summary_characters": len(text),
        "tokens_after": after.tokens,
    }
    recorder.close_span(summary.span, Span.Status.SUCCEEDED, attributes=attributes)
    Compaction.objects.create(
        conversation_id=summary.turn.conversation_id,
        span=summary.span,
        kind=Compaction.Kind.SUMMARY,
        upto_id=summary.upto,
        summary=text,
    )


def _problem(summary: Summarising, generated: Generated, text: str, after: Context) -> str:
    """A sentence why there is no summary; "" if there is one."""
    if generated.sentence:
        return generated.sentence
    if not text:
        return NO_SUMMARY
    return TOO_LONG if after.tokens >= summary.context.tokens else ""


def _next_attempt(generated: Generated) -> tuple[CompactionAttributes, datetime | None]:
    """Whether another attempt may succeed, and when it is due."""
    error = generated.error
    if error is None:
        return {"again": not _text_of(generated)}, None
    if is_too_long(error):
        return {"again": True, "too_long": True}, None
    if not error.retryable:
        return {"again": False}, None
    retry_after = error.retry_after if isinstance(error, StatusFailure) else None
    pause = min(retry_after if retry_after is not None else 1.0, MAX_SUMMARY_PAUSE_S)
    return {"again": True}, timezone.now() + timedelta(seconds=pause)


def _text_of(generated: Generated) -> str:
    """The summary; "" if there is none."""
    if generated.error is not None or generated.cut is not None or generated.answer is None:
        return ""
    return text_of(generated.message.get("content")).strip()


def _request(context: Context, order: SummaryOrder, failures: int) -> list[Message]:
    """The messages that ask for a summary; each failure halves the transcript."""
    focus = f" Above all keep: {order.focus}" if order.focus else ""
    share = _TRANSCRIPT_SHARE / 2**failures
    window = context.room
    if order is AFTER_REFUSAL:
        window = min(window, context.tokens)
    text = _transcript_within(context, max(round(share * window), _MIN_TRANSCRIPT_TOKENS))
    return [
        {"role": "system", "content": f"{INSTRUCTIONS}{focus}"},
        {"role": "user", "content": text},
    ]


def _transcript_within(context: Context, tokens: int) -> str:
    """The transcript in about so many tokens, by the same measure as `Context.tokens`."""
    correction = max(context.tokens / context.guessed, 1.0) if context.guessed else 1.0
    max_characters = round(tokens * 4 / correction)
    text = transcript(context.older, max_characters)
    while (excess := guess([text]) * correction / tokens) > 1:
        if max_characters <= _MIN_TRANSCRIPT_CHARACTERS:
            break
        max_characters = round(min(max_characters, len(text)) / excess * 0.95)
        text = transcript(context.older, max_characters)
    return text


def _order_of_model(journal: Journal) -> SummaryOrder | None:
    """By a call of the tool `compact` in the latest round."""
    request = next((call for call in journal.calls if _is_compact_call(call)), None)
    if request is None or journal.round is None:
        return None
    later = summary_spans(journal).filter(pk__gt=journal.round.pk, status=Span.Status.SUCCEEDED)
    if later.exists():
        return None
    focus = str(call_attributes(request).get("focus") or "")
    return SummaryOrder("manual", stored("The model asked for it."), focus)


def _is_compact_call(call: Span) -> bool:
    return call.name == COMPACT.name and call.status == Span.Status.SUCCEEDED


def _marked_order(journal: Journal) -> SummaryOrder | None:
    """A person's order, marked on the root of the turn that ran when they asked."""
    mark = turn_attributes(journal.root).get("compact")
    if not isinstance(mark, dict):
        return None
    order = order_of_person(mark)
    summaries = summary_spans(journal).filter(status=Span.Status.SUCCEEDED)
    if any(compaction_attributes(span).get("for") == order.turn for span in summaries):
        return None
    return order


def order_of_person(mark: Mapping[str, object]) -> SummaryOrder:
    """From the attribute `compact` or `compact_only` of a turn's root."""
    focus, turn = str(mark.get("focus") or ""), str(mark.get("turn") or "")
    return SummaryOrder("manual", stored("You asked for it."), focus, turn)


def _order_of_full_window(context: Context) -> SummaryOrder | None:
    if not context.is_full or not context.summary_upto or not context.is_worth_a_summary:
        return None
    share = round(100 * context.tokens / context.limits.context_window)
    return SummaryOrder(
        "auto", stored("The context window was %(share)s %% full.", share=f"{share:,}")
    )


def _supersede_interrupted(journal: Journal) -> None:
    """Ends the compactions whose worker ended while they were written, and their generations."""
    running = Span.objects.filter(status=Span.Status.RUNNING)
    compactions = running.filter(trace=journal.root.trace_id, kind=Span.Kind.COMPACTION)
    generations = running.filter(parent__in=list(compactions))
    recorder.close_spans(generations, Span.Status.SUPERSEDED)
    recorder.close_spans(compactions, Span.Status.SUPERSEDED)


def _announce_begin(journal: Journal, span: Span) -> None:
    """The turn's and the summary's state. The round that the summary comes before has not begun."""
    turn = journal.turn
    turn.status, turn.rounds = Turn.Status.STREAMING, journal.number
    Turn.objects.filter(pk=turn.pk).update(rounds=turn.rounds)
    after_commit(partial(events.emit, turn.conversation.public_id, events.turn_event(turn)))
    after_commit(partial(_announce, turn, span))


def _announce(turn: Turn, span: Span) -> None:
    event = events.compaction_event(turn, span)
    tokens = compaction_attributes(span).get("tokens_after")
    if tokens is not None and turn.model is not None:
        attributes = compaction_attributes(span)
        context_share = share.estimated(turn.conversation, turn.model, tokens, attributes)
        event["context"] = context_share.described()
    events.emit(turn.conversation.public_id, event)
