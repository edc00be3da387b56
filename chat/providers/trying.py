"""Running a check in a worker: one recorded call after another, each a round of its trace."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from django.utils import timezone

import jobs
from chat.engine.generation.evidence import finish_generation_without_turn
from chat.engine.generation.exchange import Exchange
from chat.engine.generation.model_settings import served
from chat.engine.generation.outcome import Generated
from chat.llm.dialects import dialect
from chat.llm.errors import LLMError
from chat.llm.served import ModelInput, ServedModel
from chat.models import LanguageModel
from chat.providers import checks, probe, questions, windows
from chat.providers.checks import Check, Finding, What
from db.threads import in_database
from limits.models import MAX_CHECK_CALL_S
from tools import loop
from tracing import recorder
from tracing.models import Span
from tracing.models.attributes import GenerationAttributes

logger = logging.getLogger(__name__)


def run(model_pk: int) -> None:
    """Runs the check that was asked for, if nobody else does."""
    check = in_database(checks.begin, model_pk)
    if check is None:
        return
    with jobs.keep_alive(checks.MODEL_CHECK, check.model):
        finding = _find(check)
        if not finding.error and (told := windows.look_up(check.model)):
            in_database(windows.keep, check.model, *told)
    in_database(checks.finish, check, finding)


def _find(check: Check) -> Finding:
    try:
        return _probe(check) if check.what is What.PROBE else _test(check)
    except LLMError as error:
        return Finding(error=str(error))
    except Exception as error:
        logger.exception("the check of the model %s failed", check.model.pk)
        return Finding(error=f"The check itself failed: {type(error).__name__}.")


def _test(check: Check) -> Finding:
    """One call, as a turn would make it."""
    meant = questions.test(check.model)
    generated = try_once(check, 1, served(check.model), meant)
    return Finding(error=generated.sentence)


def _probe(check: Check) -> Finding:
    """One dialect after the other, until the model has called the tool."""
    # What an earlier probe found is not to be taken for granted by this one.
    check.model.probed = {}
    as_set = served(check.model)
    tried: list[probe.Tried] = []
    while step := probe.next_step(check.model.provider.kind, tried):
        if tried and not in_database(checks.still_running, check):
            break
        asked = _as_planned(as_set, step)
        generated = try_once(check, len(tried) + 1, asked, questions.probe(check.model))
        tried.append(probe.Tried(step, generated))
    return _verdict(tried)


def _as_planned(as_set: ServedModel, step: probe.Step) -> ServedModel:
    quirks = as_set.quirks
    if not step.asks_for_usage:
        quirks = replace(quirks, usage_in_streams=False)
    return replace(as_set, dialect=dialect(step.dialect), quirks=quirks)


def _verdict(tried: Sequence[probe.Tried]) -> Finding:
    found = probe.verdict(tried)
    if found is None:
        return Finding(error=tried[0].generated.sentence)
    return Finding(probed={**found, "at": timezone.now().isoformat()})


def try_once(check: Check, number: int, asked: ServedModel, meant: ModelInput) -> Generated:
    """One call, journalled before and after as a round with one generation."""
    generation = in_database(_open, check, number, asked, meant)
    generated = loop.submit(Exchange(asked, meant).run_within(MAX_CHECK_CALL_S)).result()
    in_database(_close, check, generation, meant, generated)
    return generated


def _open(check: Check, number: int, asked: ServedModel, meant: ModelInput) -> Span:
    attributes = _described(check.model, asked, meant)
    round_ = recorder.open_round(check.root, number)
    return recorder.open_generation(round_, check.model.name, attributes)


def _described(model: LanguageModel, asked: ServedModel, meant: ModelInput) -> GenerationAttributes:
    return {
        "provider": model.provider.name,
        "base_url": model.provider.base_url,
        "model": model.name,
        "dialect": asked.dialect.name,
        "parameters": meant.parameters,
        "attempt": 1,
    }


def _close(check: Check, generation: Span, meant: ModelInput, generated: Generated) -> None:
    finish_generation_without_turn(check.trace.archive, generation, meant, generated)
    recorder.close_spans(Span.objects.filter(pk__in=[generation.parent_id]), generated.status)
