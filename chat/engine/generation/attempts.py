"""Opening rounds and generations: the journal is written before the model is called."""

import uuid
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils import timezone

from chat import offering
from chat.agent import skills, subagents
from chat.agent.tool_choice import Chosen, chosen
from chat.attachments.resolving import resolve
from chat.engine.context import compacting, history, request_context, summary_attempts
from chat.engine.context.compacting import Summarising, Wish
from chat.engine.context.history import History
from chat.engine.context.request_context import Context
from chat.engine.generation import context_refusals
from chat.engine.generation.model_settings import described, served
from chat.engine.tool_calls.results import append_results
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import Finish, OpenAttempt, OpenRound, WaitUntil
from chat.llm.messages import ToolDefinition
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel, Turn
from db.threads import after_commit
from tools.catalogue import registry
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import generation_attributes, turn_attributes


@dataclass(frozen=True)
class Attempt:
    """One generation that is about to run, with all that it needs: no row is read from here on."""

    turn: Turn
    round: Span
    generation: Span
    model: LanguageModel
    history: History
    served: ServedModel
    meant: ModelInput
    context: Context
    # How many attempts before it, in this round, the provider found too long.
    refusals: int = 0

    @property
    def conversation(self) -> uuid.UUID:
        return self.turn.conversation.public_id


def open_round(
    claim: Claim, journal: Journal, step: OpenRound, taken_up: TakenUp
) -> Attempt | Summarising | WaitUntil:
    """Writes the next round and its first generation, and what closes the round before; or a
    summary that has to come first."""
    turn = journal.turn
    turn.started = turn.started or timezone.now()
    streaming = Turn.Status.STREAMING
    with fenced(claim, status=streaming, rounds=step.number, started=turn.started):
        past = history.read(journal.turn)
        if journal.round is not None:
            append_results(journal, past)
            _finish_round(journal.round)
        asking = _shortened(journal, _asking(journal, past))
        if wish := compacting.due(journal, asking.context):
            return _summary(journal, asking, wish)
        asking, _ = _fitted(journal, asking)
        opened = recorder.open_round(journal.root, step.number, {"taken_up": taken_up.described()})
        attempt = _open(journal, past, opened, 1, asking)
        after_commit(partial(subagents.announce_progress, turn))
    return _with_attachments(attempt)


def open_attempt(
    claim: Claim, journal: Journal, step: OpenAttempt
) -> Attempt | Summarising | WaitUntil | Finish:
    """Writes another generation of the open round; attempts that were cut are superseded. After one
    that the provider found too long room is made first; where there is none to make the turn
    ends."""
    assert journal.round is not None
    with fenced(claim, status=Turn.Status.STREAMING):
        cut = Span.objects.filter(pk__in=[span.pk for span in step.cut])
        recorder.close_spans(
            cut, Span.Status.SUPERSEDED, "The worker stopped before the answer was complete."
        )
        past = history.read(journal.turn)
        asking = _asking(journal, past)
        refused = _refused(journal)
        if refused is not None:
            asking = _shortened(journal, _measured(asking, journal.turn))
            if wish := _wish_after_refusal(journal, asking.context):
                return _summary(journal, asking, wish)
        asking, fits = _fitted(journal, asking)
        if refused is not None and not (
            fits or context_refusals.is_shorter(asking.context, refused)
        ):
            return Finish(Turn.Status.FAILED, f"{refused.error} {context_refusals.NOTHING_LEFT}")
        attempt = _open(journal, past, journal.round, step.number, asking)
    return _with_attachments(attempt)


def open_summary(claim: Claim, journal: Journal) -> Summarising | WaitUntil | Finish:
    """Writes the summary that a turn is about, or ends it."""
    turn = journal.turn
    turn.started = turn.started or timezone.now()
    with fenced(claim, status=Turn.Status.STREAMING, started=turn.started):
        if compacting.is_done(journal):
            return Finish(Turn.Status.DONE)
        asking = _asking(journal, history.read(turn))
        if not asking.context.summary_upto:
            return Finish(Turn.Status.FAILED, compacting.NOTHING)
        made = summary_attempts.tries(journal)
        if made.is_given_up:
            return Finish(Turn.Status.FAILED, made.error)
        wish = compacting.asked(turn_attributes(journal.root)["compact_only"])
        return _summary(journal, asking, wish)


def _summary(journal: Journal, asking: "_Asking", wish: Wish) -> Summarising | WaitUntil:
    """Begins it, unless the provider asked for a pause."""
    until = summary_attempts.tries(journal).pause_until
    return WaitUntil(until) if until else compacting.begin(journal, asking.context, wish)


def _refused(journal: Journal) -> Span | None:
    """The latest attempt, if it was too long."""
    latest = journal.generations[-1]
    return latest if generation_attributes(latest).get("too_long") else None


def _wish_after_refusal(journal: Journal, context: Context) -> Wish | None:
    """A summary, the first time that a round is refused; later, if the window is known to be
    full."""
    latest = journal.generations[-1]
    if not summary_attempts.is_open_since(journal, latest):
        return None
    is_first = context_refusals.count(journal.generations) == 1
    if is_first and context.summary_upto and context.is_worth_a_summary:
        return compacting.REFUSED
    return compacting.due(journal, context)


@dataclass(frozen=True)
class _Asking:
    """What a request is made of, as far as the database knows it."""

    context: Context
    tools: list[ToolDefinition]
    chosen: Chosen


def _asking(journal: Journal, past: History) -> _Asking:
    turn = journal.turn
    model = _model_of(turn)
    found = _chosen(turn, model, past)
    tools = [tool.definition for tool in found.tools]
    told = skills.told_to(turn.conversation, model, tools)
    refused = context_refusals.refused_window(journal)
    return _Asking(request_context.read(turn, model, past, tools, told, refused), tools, found)


def _measured(asking: _Asking, turn: Turn) -> _Asking:
    """With the tokens of its request, however short it is."""
    if asking.context.guessed:
        return asking
    return replace(asking, context=request_context.estimated(asking.context, turn))


def _fitted(journal: Journal, asking: _Asking) -> tuple[_Asking, bool]:
    """The same, cut so that the request has room, and whether it has."""
    began = timezone.now()
    fitted, fits = request_context.fit(asking.context, context_refusals.count(journal.generations))
    compacting.note_cuts(journal, fitted, asking.context.tokens, began)
    return replace(asking, context=fitted), fits


def _shortened(journal: Journal, asking: _Asking) -> _Asking:
    """The same, with older results as placeholders if it is time for that."""
    began = timezone.now()
    step = request_context.step_of_shortening(asking.context)
    if step is None:
        return asking
    shorter, done = step
    compacting.shorten(journal, done, shorter.micro_upto, began)
    return replace(asking, context=shorter)


def _open(journal: Journal, past: History, opened: Span, number: int, asking: _Asking) -> Attempt:
    turn = journal.turn
    model = _model_of(turn)
    noted = described(model, number, asking.context.window) | asking.chosen.noted
    if asking.context.guessed:
        noted["guessed"] = asking.context.guessed
    generation = recorder.open_generation(opened, model.name, noted, number)
    meant = ModelInput(asking.context.messages, asking.tools, _parameters(model, asking.context))
    refused = context_refusals.count(journal.generations) if number > 1 else 0
    return Attempt(
        turn, opened, generation, model, past, served(model), meant, asking.context, refused
    )


def _parameters(model: LanguageModel, asked: Context) -> dict[str, Any]:
    """The model's own; an answer is not asked to be longer than half of the window."""
    parameters = dict(model.parameters)
    if asked.answer and asked.answer < parameters["max_tokens"]:
        parameters["max_tokens"] = asked.answer
    return parameters


def _with_attachments(attempt: Attempt) -> Attempt:
    """What is meant, bytes in the place of references: read when the transaction is over."""
    resolved = resolve(attempt.meant.messages, attempt.model)
    meant = replace(attempt.meant, messages=resolved.messages, notes=resolved.notes)
    return replace(attempt, meant=meant)


def _chosen(turn: Turn, model: LanguageModel, past: History) -> Chosen:
    """The tools that are sent."""
    if not model.takes_tools:
        return Chosen([], 0)
    offered = offering.of(turn.conversation, model, turn.user)
    found = chosen(offered, turn.conversation, model, past.messages)
    if any(message.get("is_cut") for message in past.messages):
        return found.beside(registry.READ_RESULT)
    return found


def _model_of(turn: Turn) -> LanguageModel:
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    return turn.model


def _finish_round(span: Span) -> None:
    running = Span.objects.filter(pk=span.pk, status=Span.Status.RUNNING)
    recorder.close_spans(running, Span.Status.SUCCEEDED)
