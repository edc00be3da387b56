"""Steps that make room: placeholders at once, a summary by a model call of its own.

Each is a span of kind `compaction` that says what was left out and why. A summary that was cut by a
worker's end is made again; one that fails twice is done without for some rounds. A person may ask
for one: that is a turn of its own without a question (`chat.commands.compact`), and while
another turn runs, also a mark on that one's root, which does it before its next round.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from chat import events
from chat.agent import share
from chat.agent.compaction import transcript
from chat.agent.estimating import guess
from chat.engine.context.request_context import Context, estimated, with_summary
from chat.engine.context.summary_attempts import NO_SUMMARY, recent, summaries, tries
from chat.engine.generation import context_refusals
from chat.engine.generation.evidence import records
from chat.engine.generation.model_settings import described, served
from chat.engine.generation.outcome import Generated
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.worker.running import Cut
from chat.llm.errors import StatusFailure
from chat.llm.messages import Message, text_of
from chat.llm.served import ModelInput, ServedModel
from chat.llm.too_long import is_too_long
from chat.models import Compaction, LanguageModel, Turn
from db.threads import after_commit
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

# The layer that cuts messages, and by how much of its length a cut may differ without a new note.
CAP = "cap"
_ALIKE = 0.2
# The share of the window that a transcript may fill: the answer needs room too.
_SHARE = 0.5
_LEAST_TOKENS = 250
_LEAST_CHARACTERS = 500
INSTRUCTIONS = (
    "You write the summary with which an assistant goes on with a conversation that became too "
    "long. Keep what the user wants, what was decided, what was found (names, paths, figures, "
    "exact values), what was done, and what is still open. Leave out what does not matter any "
    "more. Write in the language of the conversation. Answer with the summary alone."
)
NOTHING = "Nothing to summarise yet: there are too few older messages."
TOO_LONG = "The summary was not shorter than the messages that it replaces, so it is not used."
# What only makes sense with tools, or for an answer of another form.
_NOT_FOR_A_SUMMARY = (
    *("tool_choice", "parallel_tool_calls", "functions", "function_call"),
    *("response_format", "stop"),
)


@dataclass(frozen=True)
class Wish:
    """Why a summary is to be written: `layer` is `auto` or `manual`, `reason` is for people. `turn`
    is the public id of the turn with which a person asked for it."""

    layer: str
    reason: str
    focus: str = ""
    turn: str = ""


REFUSED = Wish("auto", "The provider rejected the request as too long.")


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
    context: Context


def shorten(journal: Journal, done: CompactionAttributes, upto: int, began: datetime) -> None:
    """Writes down that older results are placeholders from the next round on."""
    span = recorder.open_compaction(
        journal.root, "micro", done, status=Span.Status.SUCCEEDED, started=began
    )
    turn = journal.turn
    Compaction.objects.create(
        conversation_id=turn.conversation_id, span=span, kind=Compaction.Kind.MICRO, upto_id=upto
    )
    after_commit(partial(_announce, turn, span))


def note_cuts(journal: Journal, context: Context, whole: int, began: datetime) -> None:
    """Writes down which messages are not sent whole, if they are others than before; `whole` is how
    many tokens the request had without the cuts."""
    if not (context.cuts or context.omitted):
        return
    rows = {str(cut.pk): cut.sent for cut in context.cuts}
    if _are_noted(rows, context.omitted, _latest_cuts(journal.turn)):
        return
    noted: CompactionAttributes = {
        "layer": CAP,
        "results": len(context.cuts),
        "omitted": context.omitted,
        "replaced": [
            {"tool": cut.what, "characters": cut.characters, "sent": cut.sent}
            for cut in context.cuts
        ],
        "rows": rows,
        "left_out_characters": sum(max(0, cut.characters - cut.sent) for cut in context.cuts),
        "tokens_before": whole,
        "tokens_after": context.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    span = recorder.open_compaction(
        journal.root, CAP, noted, status=Span.Status.SUCCEEDED, started=began
    )
    after_commit(partial(_announce, journal.turn, span))


def _are_noted(rows: dict[str, int], omitted: int, before: CompactionAttributes) -> bool:
    """Whether the same messages were cut to about the same lengths before."""
    lengths = before.get("rows") or {}
    alike = (
        abs(sent - lengths.get(pk, 0)) <= _ALIKE * lengths.get(pk, 0) for pk, sent in rows.items()
    )
    return omitted == before.get("omitted") and all(alike)


def _latest_cuts(turn: Turn) -> CompactionAttributes:
    """What the conversation's latest span of this kind noted."""
    spans = Span.objects.filter(
        trace__turn__conversation=turn.conversation_id, kind=Span.Kind.COMPACTION, name=CAP
    )
    latest: CompactionAttributes | None = (
        spans.order_by("-id").values_list("attributes", flat=True).first()
    )
    return latest or {}


def due(journal: Journal, context: Context) -> Wish | None:
    """Why a summary is to be written before the next round; None if none is."""
    wish = _asked_by_the_model(journal) or _asked_by_a_person(journal) or _needed(context)
    if wish is None or not context.summary_upto:
        return None
    return None if recent(journal).is_given_up else wish


def is_done(journal: Journal) -> bool:
    """Whether the summary that a turn is about has been written: by it, or by the turn before it,
    which still ran when it was asked for."""
    since = Compaction.objects.filter(
        conversation=journal.turn.conversation_id,
        kind=Compaction.Kind.SUMMARY,
        created__gte=journal.turn.created,
    )
    return since.exists()


def begin(journal: Journal, context: Context, wish: Wish) -> Summarising:
    """Writes the spans of a summary, inside the owner's transaction."""
    turn, model = journal.turn, journal.turn.model
    assert model is not None
    _supersede(journal)
    context = context if context.guessed else estimated(context, turn)
    noted: CompactionAttributes = {
        "layer": wish.layer,
        "reason": wish.reason,
        "focus": wish.focus,
        "for": wish.turn,
        "before_round": journal.number + 1,
        "messages": len(context.older),
        "tokens_before": context.tokens,
        "context_window": context.window.tokens,
        "context_window_source": str(context.window.source),
    }
    failed = len(tries(journal).failed)
    span = recorder.open_compaction(journal.root, wish.layer, noted)
    generation = recorder.open_generation(span, model.name, described(model, 1, context.window))
    parameters = {
        name: value
        for name, value in dict(model.parameters).items()
        if name not in _NOT_FOR_A_SUMMARY
    }
    meant = ModelInput(_asked_for(context, wish, failed), [], parameters)
    _say_that_it_begins(journal, span)
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
    said = _said(generated)
    after = with_summary(summary.context, said, summary.upto)
    problem = _problem(summary, generated, said, after)
    with fenced(claim, tokens_in=turn.tokens_in, tokens_out=turn.tokens_out):
        context_refusals.learn(turn, summary.model, generated.error)
        evidence = records(summary.generation, summary.meant, generated)
        payloads.store_all(turn.conversation.archive, evidence)
        recorder.close_span(
            summary.generation, generated.status, generated.sentence, generated.described()
        )
        if generated.cut is not None:
            recorder.close_span(summary.span, Span.Status.CANCELLED)
        elif problem:
            recorder.close_span(summary.span, Span.Status.FAILED, problem, _next_try(generated))
        else:
            _keep(summary, said, after)
        after_commit(partial(_announce, turn, summary.span))


def _keep(summary: Summarising, said: str, after: Context) -> None:
    noted: CompactionAttributes = {"summary_characters": len(said), "tokens_after": after.tokens}
    recorder.close_span(summary.span, Span.Status.SUCCEEDED, attributes=noted)
    Compaction.objects.create(
        conversation_id=summary.turn.conversation_id,
        span=summary.span,
        kind=Compaction.Kind.SUMMARY,
        upto_id=summary.upto,
        summary=said,
    )


def _problem(summary: Summarising, generated: Generated, said: str, after: Context) -> str:
    """Why there is no summary, in a sentence; "" if there is one."""
    if generated.sentence:
        return generated.sentence
    if not said:
        return NO_SUMMARY
    return TOO_LONG if after.tokens >= summary.context.tokens else ""


def _next_try(generated: Generated) -> CompactionAttributes:
    """Whether another try may do better, and when."""
    error = generated.error
    if error is None:
        return {"again": not _said(generated)}
    if is_too_long(error):
        return {"again": True, "too_long": True}
    if not error.retryable:
        return {"again": False}
    asked = error.retry_after if isinstance(error, StatusFailure) else None
    pause = min(asked if asked is not None else 1.0, MAX_SUMMARY_PAUSE_S)
    return {"again": True, "retry_at": (timezone.now() + timedelta(seconds=pause)).isoformat()}


def _said(generated: Generated) -> str:
    if generated.error is not None or generated.cut is not None or generated.answer is None:
        return ""
    return text_of(generated.message.get("content")).strip()


def _asked_for(context: Context, wish: Wish, failed: int) -> list[Message]:
    """The request for a summary; each that failed makes the next one shorter by half."""
    keep = f" Above all keep: {wish.focus}" if wish.focus else ""
    share = _SHARE / 2**failed
    window = context.room
    if wish is REFUSED:
        window = min(window, context.tokens)
    text = _within(context, max(round(share * window), _LEAST_TOKENS))
    return [
        {"role": "system", "content": f"{INSTRUCTIONS}{keep}"},
        {"role": "user", "content": text},
    ]


def _within(context: Context, tokens: int) -> str:
    """The transcript in about so many tokens, as dense as this conversation's texts are."""
    off = max(context.tokens / context.guessed, 1.0) if context.guessed else 1.0
    most = round(tokens * 4 / off)
    text = transcript(context.older, most)
    while (over := guess([text]) * off / tokens) > 1 and most > _LEAST_CHARACTERS:
        most = round(min(most, len(text)) / over * 0.95)
        text = transcript(context.older, most)
    return text


def _asked_by_the_model(journal: Journal) -> Wish | None:
    asked = next((call for call in journal.calls if _is_request(call)), None)
    if asked is None or journal.round is None:
        return None
    since = summaries(journal).filter(pk__gt=journal.round.pk, status=Span.Status.SUCCEEDED)
    if since.exists():
        return None
    return Wish("manual", "The model asked for it.", str(call_attributes(asked).get("focus") or ""))


def _is_request(call: Span) -> bool:
    return call.name == COMPACT.name and call.status == Span.Status.SUCCEEDED


def _asked_by_a_person(journal: Journal) -> Wish | None:
    """By a mark on the root of a turn that ran then."""
    mark = turn_attributes(journal.root).get("compact")
    if not isinstance(mark, dict):
        return None
    wish = asked(mark)
    written = summaries(journal).filter(status=Span.Status.SUCCEEDED)
    if any(compaction_attributes(one).get("for") == wish.turn for one in written):
        return None
    return wish


def asked(mark: dict[str, Any]) -> Wish:
    """What a person asked for."""
    focus, turn = str(mark.get("focus") or ""), str(mark.get("turn") or "")
    return Wish("manual", "You asked for it.", focus, turn)


def _needed(context: Context) -> Wish | None:
    if not context.is_full or not context.summary_upto or not context.is_worth_a_summary:
        return None
    share = round(100 * context.tokens / context.limits.context_window)
    return Wish("auto", f"The context window was {share:,} % full.")


def _supersede(journal: Journal) -> None:
    """Closes compactions that a worker did not finish, and their generations."""
    running = Span.objects.filter(status=Span.Status.RUNNING)
    compactions = running.filter(trace=journal.root.trace_id, kind=Span.Kind.COMPACTION)
    generations = running.filter(parent__in=list(compactions))
    recorder.close_spans(generations, Span.Status.SUPERSEDED)
    recorder.close_spans(compactions, Span.Status.SUPERSEDED)


def _say_that_it_begins(journal: Journal, span: Span) -> None:
    """The round that it comes before has not begun."""
    turn = journal.turn
    turn.status, turn.rounds = Turn.Status.STREAMING, journal.number
    Turn.objects.filter(pk=turn.pk).update(rounds=turn.rounds)
    after_commit(partial(events.emit, turn.conversation.public_id, events.turn_event(turn)))
    after_commit(partial(_announce, turn, span))


def _announce(turn: Turn, span: Span) -> None:
    event = events.compaction_event(turn, span)
    after = compaction_attributes(span).get("tokens_after")
    if after is not None and turn.model is not None:
        known = share.estimated(turn.conversation, turn.model, after, span.attributes)
        event["context"] = known.described()
    events.emit(turn.conversation.public_id, event)
