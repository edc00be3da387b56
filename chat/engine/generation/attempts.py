"""Opening rounds and generations: the journal is written before the model is called."""

import uuid
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.utils import timezone

from chat import offering, programs
from chat.agent import own_settings, skills, subagents
from chat.agent.tool_choice import ToolChoice, choose_tools
from chat.attachments.resolving import resolve
from chat.engine.context import compacting, history, request_context, summary_attempts
from chat.engine.context.compacting import Summarising, SummaryOrder
from chat.engine.context.history import History
from chat.engine.context.request_context import Context
from chat.engine.generation import context_refusals
from chat.engine.generation.model_settings import opening_attributes, served
from chat.engine.tool_calls.results import append_results
from chat.engine.turn import notes
from chat.engine.turn.claims import Claim, fenced
from chat.engine.turn.journal import Journal
from chat.engine.turn.step_times import TakenUp
from chat.engine.turn.steps import Finish, OpenAttempt, OpenRound, WaitUntil
from chat.llm.messages import ToolChoice as CanonicalToolChoice
from chat.llm.messages import ToolDefinition
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel, Turn
from db.threads import after_commit
from tools.catalogue import registry
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import RoundAttributes, generation_attributes, turn_attributes


@dataclass(frozen=True)
class Attempt:
    """One generation that is about to run, with all that its model call needs."""

    turn: Turn
    round: Span
    generation: Span
    model: LanguageModel
    history: History
    served: ServedModel
    meant: ModelInput
    context: Context
    # Earlier attempts of this round that the provider refused as too long.
    refusals: int = 0
    # The calls that it asked for, once they are proposed.
    calls: list[Span] = field(default_factory=list)

    @property
    def conversation(self) -> uuid.UUID:
        return self.turn.conversation.public_id


def open_round(
    claim: Claim, journal: Journal, step: OpenRound, taken_up: TakenUp
) -> Attempt | Summarising | WaitUntil:
    """Ends the round before and writes the next one with its first generation; or the spans of a
    summary that has to come first."""
    turn = journal.turn
    turn.started = turn.started or timezone.now()
    streaming = Turn.Status.STREAMING
    with fenced(claim, status=streaming, rounds=step.number, started=turn.started):
        past = history.read(journal.turn)
        if journal.round is not None:
            append_results(journal, past)
            recorder.close_if_running(journal.round, Span.Status.SUCCEEDED)
        notes.take(journal, past)
        draft = _shorten(journal, _draft(journal, past))
        if order := compacting.due(journal, draft.context):
            return _begin_summary(journal, draft, order)
        draft, _ = _fit(journal, draft)
        attributes: RoundAttributes = {"taken_up": taken_up.described()}
        round_span = recorder.open_round(journal.root, step.number, attributes)
        notes.place(turn, past, round_span)
        attempt = _open(journal, past, round_span, 1, draft)
        after_commit(partial(subagents.announce_progress, turn))
    return attempt


def open_attempt(
    claim: Claim, journal: Journal, step: OpenAttempt
) -> Attempt | Summarising | WaitUntil | Finish:
    """Writes another generation of the open round. After one that the provider refused as too long
    the request is shortened; if it cannot be, the turn ends."""
    assert journal.round is not None
    with fenced(claim, status=Turn.Status.STREAMING):
        past = history.read(journal.turn)
        draft = _draft(journal, past)
        refusal = _latest_refusal(journal)
        if refusal is not None:
            draft = _shorten(journal, _measure(draft, journal.turn))
            if order := _summary_after_refusal(journal, draft.context):
                return _begin_summary(journal, draft, order)
        draft, fits = _fit(journal, draft)
        if refusal is not None and not (
            fits or context_refusals.is_shorter(draft.context, refusal)
        ):
            return Finish(Turn.Status.FAILED, f"{refusal.error} {context_refusals.NOTHING_LEFT}")
        return _open(journal, past, journal.round, step.number, draft)


def open_summary(claim: Claim, journal: Journal) -> Summarising | WaitUntil | Finish:
    """Writes the spans of the summary that is all that a turn is about, or ends the turn."""
    turn = journal.turn
    turn.started = turn.started or timezone.now()
    with fenced(claim, status=Turn.Status.STREAMING, started=turn.started):
        if compacting.is_done(journal):
            return Finish(Turn.Status.DONE)
        draft = _draft(journal, history.read(turn))
        if not draft.context.summary_upto:
            return Finish(Turn.Status.FAILED, compacting.NOTHING)
        attempts = summary_attempts.since_success(journal)
        if attempts.is_given_up:
            return Finish(Turn.Status.FAILED, attempts.error)
        order = compacting.order_of_person(turn_attributes(journal.root)["compact_only"])
        return _begin_summary(journal, draft, order)


def _begin_summary(
    journal: Journal, draft: "_Draft", order: SummaryOrder
) -> Summarising | WaitUntil:
    """Writes its spans, unless the provider asked for a pause."""
    until = summary_attempts.since_success(journal).pause_until
    return WaitUntil(until) if until else compacting.begin_summary(journal, draft.context, order)


def _latest_refusal(journal: Journal) -> Span | None:
    """The latest attempt, if the provider refused it as too long."""
    latest = journal.generations[-1]
    return latest if generation_attributes(latest).get("too_long") else None


def _summary_after_refusal(journal: Journal, context: Context) -> SummaryOrder | None:
    """A summary after the first refusal of a round; after further ones only if the window is
    full."""
    latest = journal.generations[-1]
    if not summary_attempts.may_help_after(journal, latest):
        return None
    is_first = context_refusals.count(journal.generations) == 1
    if is_first and context.summary_upto and context.is_worth_a_summary:
        return compacting.AFTER_REFUSAL
    return compacting.due(journal, context)


@dataclass(frozen=True)
class _Draft:
    """The parts of a request, as far as they come from the database."""

    context: Context
    tools: list[ToolDefinition]
    choice: ToolChoice
    tool_choice: CanonicalToolChoice | None = None


def _draft(journal: Journal, past: History) -> _Draft:
    turn = journal.turn
    model = _model_of(turn)
    if programs.is_plain(turn.conversation):
        return _plain_draft(journal, past, model)
    choice = _tool_choice(turn, model, past)
    tools = [tool.definition for tool in choice.tools]
    skill_text = skills.prompt_text(turn.conversation, model, tools, turn.user)
    additions = {"skills": skill_text, **own_settings.prompt_texts(turn, choice.names)}
    max_window = context_refusals.refused_window(journal)
    context = request_context.read(turn, model, past, tools, additions, max_window)
    return _Draft(context, tools, choice)


def _plain_draft(journal: Journal, past: History, model: LanguageModel) -> _Draft:
    """With nothing but what the program sent: its messages and its tools."""
    turn = journal.turn
    tools = programs.tools(turn.conversation)
    max_window = context_refusals.refused_window(journal)
    context = request_context.read(turn, model, past, tools, {}, max_window)
    return _Draft(context, tools, ToolChoice([], 0), programs.tool_choice(turn.conversation))


def _measure(draft: _Draft, turn: Turn) -> _Draft:
    """With an estimate of its tokens, which a short request does not have."""
    if draft.context.guessed:
        return draft
    return replace(draft, context=request_context.estimated(draft.context, turn))


def _fit(journal: Journal, draft: _Draft) -> tuple[_Draft, bool]:
    """The draft cut to the room of the window, and whether it fits."""
    started = timezone.now()
    context, fits = request_context.fit(draft.context, context_refusals.count(journal.generations))
    compacting.record_cuts(journal, context, draft.context.tokens, started)
    return replace(draft, context=context), fits


def _shorten(journal: Journal, draft: _Draft) -> _Draft:
    """The draft with older results as placeholders, if that is due."""
    started = timezone.now()
    shortening = request_context.shortening(draft.context)
    if shortening is None:
        return draft
    context, attributes = shortening
    compacting.record_placeholders(journal, attributes, context.micro_upto, started)
    return replace(draft, context=context)


def _open(journal: Journal, past: History, round_span: Span, number: int, draft: _Draft) -> Attempt:
    turn = journal.turn
    model = _model_of(turn)
    attributes = opening_attributes(model, number, draft.context.window) | draft.choice.attributes
    parameters = own_settings.parameters(turn.conversation, model)
    attributes["parameters"] = parameters
    if draft.context.guessed:
        attributes["guessed"] = draft.context.guessed
    generation = recorder.open_generation(round_span, model.name, attributes, number)
    context = draft.context
    bounded = _bounded(parameters, context)
    meant = ModelInput(context.messages, draft.tools, bounded, draft.tool_choice)
    refusals = context_refusals.count(journal.generations) if number > 1 else 0
    return Attempt(
        turn, round_span, generation, model, past, served(model), meant, context, refusals
    )


def _bounded(parameters: dict[str, Any], context: Context) -> dict[str, Any]:
    """The parameters with `max_tokens` at most half of the window."""
    if context.answer and context.answer < parameters["max_tokens"]:
        return {**parameters, "max_tokens": context.answer}
    return parameters


def with_attachments(attempt: Attempt) -> Attempt:
    """With bytes in place of references to attachments: to be read when the transaction is over."""
    resolved = resolve(attempt.meant.messages, attempt.model)
    meant = replace(attempt.meant, messages=resolved.messages, notes=resolved.notes)
    return replace(attempt, meant=meant)


def _tool_choice(turn: Turn, model: LanguageModel, past: History) -> ToolChoice:
    """The tools that are sent."""
    if not model.takes_tools:
        return ToolChoice([], 0)
    offer = offering.of(turn.conversation, model, turn.user)
    choice = choose_tools(offer, turn.conversation, model, past.messages)
    if any(message.get("is_cut") for message in past.messages):
        return choice.with_tool(registry.READ_RESULT)
    return choice


def _model_of(turn: Turn) -> LanguageModel:
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    return turn.model
