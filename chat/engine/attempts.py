"""Opening rounds and generations: the journal is written before the model is called."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from chat import offering
from chat.attachments.resolving import resolve
from chat.engine import history
from chat.engine.claims import Claim, fenced
from chat.engine.history import History
from chat.engine.journal import Journal
from chat.engine.results import append_results
from chat.engine.served import served
from chat.engine.steps import OpenAttempt, OpenRound
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel, Turn
from tools import registry
from tracing.models import Span
from tracing.prepared import insert


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

    @property
    def conversation(self) -> uuid.UUID:
        return self.turn.conversation.public_id


def open_round(claim: Claim, journal: Journal, step: OpenRound) -> Attempt:
    """Writes the next round and its first generation, and what closes the round before."""
    turn = journal.turn
    turn.started = turn.started or timezone.now()
    streaming = Turn.Status.STREAMING
    with fenced(claim, status=streaming, rounds=step.number, started=turn.started):
        past = history.read(journal.turn)
        if journal.round is not None:
            append_results(journal, past)
            _close(journal.round)
        opened = insert(
            Span(
                trace=journal.root.trace,
                parent=journal.root,
                kind=Span.Kind.ROUND,
                name=f"round {step.number}",
                number=step.number,
                started=timezone.now(),
            )
        )
        attempt = _open(journal, past, opened, 1)
    return _with_attachments(attempt)


def open_attempt(claim: Claim, journal: Journal, step: OpenAttempt) -> Attempt:
    """Writes another generation of the open round; attempts that were cut are superseded."""
    assert journal.round is not None
    with fenced(claim, status=Turn.Status.STREAMING):
        cut = Span.objects.filter(pk__in=[span.pk for span in step.cut])
        cut.update(
            status=Span.Status.SUPERSEDED,
            ended=timezone.now(),
            error="The process that ran this attempt ended before the answer was complete.",
        )
        attempt = _open(journal, history.read(journal.turn), journal.round, step.number)
    return _with_attachments(attempt)


def _open(journal: Journal, past: History, opened: Span, number: int) -> Attempt:
    turn = journal.turn
    model = _model_of(turn)
    generation = insert(
        Span(
            trace=journal.root.trace,
            parent=opened,
            kind=Span.Kind.GENERATION,
            name=model.name[:200],
            number=number,
            started=timezone.now(),
            attributes=described(model, number),
        )
    )
    return Attempt(turn, opened, generation, model, past, served(model), _meant(turn, model, past))


def _with_attachments(attempt: Attempt) -> Attempt:
    """What is meant, bytes in the place of references: read when the transaction is over."""
    resolved = resolve(attempt.meant.messages, attempt.model)
    meant = replace(attempt.meant, messages=resolved.messages, notes=resolved.notes)
    return replace(attempt, meant=meant)


def _meant(turn: Turn, model: LanguageModel, past: History) -> ModelInput:
    choice = turn.conversation.tools
    tools = offering.offered(choice, turn.user, model.preset) if model.takes_tools else []
    if model.takes_tools and any(message.get("is_cut") for message in past.messages):
        tools = [*tools, registry.READ_RESULT]
    definitions = [tool.definition for tool in tools]
    return ModelInput(list(past.messages), definitions, dict(model.parameters))


def _model_of(turn: Turn) -> LanguageModel:
    assert turn.model is not None  # `next_step` ends a turn whose model is gone
    return turn.model


def described(model: LanguageModel, number: int) -> dict[str, Any]:
    """What a generation's span says from its beginning; `number` is the attempt's."""
    return {
        "provider": model.provider.name,
        "base_url": model.provider.base_url,
        "model": model.name,
        "dialect": model.speaks,
        "parameters": model.parameters,
        "attempt": number,
        "prices": _prices(model),
        "context_window": model.context_window,
        "settings": _settings(model),
    }


def _settings(model: LanguageModel) -> dict[str, Any]:
    """What else of the model's row decides how a request is written: a replay needs it again."""
    return {
        "service": model.provider.service,
        "returns_reasoning": model.returns_reasoning,
        "usage_in_streams": model.probed.get("usage_in_streams"),
        "takes_tools": model.takes_tools,
        "takes_images": model.takes_images,
    }


def _prices(model: LanguageModel) -> dict[str, str]:
    """US dollars for a million tokens, as they are now; nothing for what is not known."""
    known = {"in": model.price_in, "cached": model.price_cached, "out": model.price_out}
    return {name: str(price) for name, price in known.items() if price is not None}


def _close(finished: Span) -> None:
    Span.objects.filter(pk=finished.pk, status=Span.Status.RUNNING).update(
        status=Span.Status.SUCCEEDED, ended=timezone.now()
    )
