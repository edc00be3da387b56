"""Running a check in a worker: one recorded call after another, each a round of its trace."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from django.utils import timezone

import jobs
from chat.engine.generation.evidence import finish_generation_without_turn, journal_request
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.model_settings import served
from chat.engine.generation.outcome import Generated
from chat.llm.dialects import dialect
from chat.llm.errors import LLMError
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel
from chat.providers import checks, probe, questions, window_lookup
from chat.providers.checks import Check, CheckKind, CheckResult
from db.threads import in_database
from languages.stored import stored
from limits.models import MAX_CHECK_CALL_S
from tools import loop
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes

logger = logging.getLogger(__name__)


def run(model_pk: int) -> None:
    """Runs the check that a page started, unless another worker does."""
    check = in_database(checks.begin, model_pk)
    if check is None:
        return
    with jobs.keep_alive(checks.MODEL_CHECK, check.model):
        result = _run(check)
        if not result.error and (window := window_lookup.look_up(check.model)):
            in_database(window_lookup.keep, check.model, *window)
    in_database(checks.finish, check, result)


def _run(check: Check) -> CheckResult:
    try:
        return _probe(check) if check.kind is CheckKind.PROBE else _test(check)
    except LLMError as error:
        return CheckResult(error=str(error))
    except Exception as error:
        logger.exception("the check of the model %s failed", check.model.pk)
        return CheckResult(
            error=stored("The check itself failed: %(name)s.", name=type(error).__name__)
        )


def _test(check: Check) -> CheckResult:
    """One call, as a turn would make it."""
    meant = questions.test(check.model)
    generated = record_call(check, 1, served(check.model), meant)
    return CheckResult(error=generated.sentence)


def _probe(check: Check) -> CheckResult:
    """One dialect after the other, until the model has called the tool."""
    # The result of an earlier probe must not influence this one.
    check.model.probed = {}
    as_configured = served(check.model)
    rounds: list[probe.ProbeRound] = []
    while step := probe.next_step(check.model.provider.kind, rounds):
        if rounds and not in_database(checks.still_running, check):
            break
        planned = _as_planned(as_configured, step)
        generated = record_call(check, len(rounds) + 1, planned, questions.probe(check.model))
        rounds.append(probe.ProbeRound(step, generated))
    return _verdict(rounds)


def _as_planned(as_configured: ServedModel, step: probe.Step) -> ServedModel:
    quirks = as_configured.quirks
    if not step.asks_for_usage:
        quirks = replace(quirks, usage_in_streams=False)
    return replace(as_configured, dialect=dialect(step.dialect), quirks=quirks)


def _verdict(rounds: Sequence[probe.ProbeRound]) -> CheckResult:
    verdict = probe.verdict(rounds)
    if verdict is None:
        return CheckResult(error=rounds[0].generated.sentence)
    return CheckResult(probed={**verdict, "at": timezone.now().isoformat()})


def record_call(
    check: Check, number: int, served_model: ServedModel, meant: ModelInput
) -> Generated:
    """Makes one call, recorded as a round with one generation."""
    generation = in_database(_open, check, number, served_model, meant)
    journal = partial(journal_request, check.trace.archive, generation)
    exchange = Exchange(served_model, meant, journal)
    generated = loop.submit(exchange.run_within(MAX_CHECK_CALL_S)).result()
    in_database(_close, check, generation, meant, generated)
    return generated


def _open(check: Check, number: int, served_model: ServedModel, meant: ModelInput) -> Span:
    attributes = _described(check.model, served_model, meant)
    round_ = recorder.open_round(check.root, number)
    return recorder.open_generation(round_, check.model.name, attributes)


def _described(
    model: LanguageModel, served_model: ServedModel, meant: ModelInput
) -> GenerationAttributes:
    return {
        "provider": model.provider.name,
        "base_url": model.provider.base_url,
        "model": model.name,
        "dialect": served_model.dialect.name,
        "parameters": meant.parameters,
        "attempt": 1,
    }


def _close(check: Check, generation: Span, meant: ModelInput, generated: Generated) -> None:
    finish_generation_without_turn(check.trace.archive, generation, meant, generated)
    recorder.close_spans(Span.objects.filter(pk__in=[generation.parent_id]), generated.status)
