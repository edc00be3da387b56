"""Rows of models: adding, probing, ordering and choosing the default."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from chat.models import Conversation, LanguageModel, Provider
from chat.providers import checks, listing
from chat.providers.catalogue import ListedModel
from chat.providers.checks import CheckKind

Dialect = LanguageModel.Dialect
FILLED_IN = (
    "label",
    "context_window",
    "price_in",
    "price_cached",
    "price_out",
    "takes_images",
    "takes_tools",
)


def draft(provider: Provider, listed: ListedModel, **fields: Any) -> LanguageModel:
    """An unsaved model of the provider, filled in from the endpoint's list."""
    listed_values = {name: getattr(listed, name) for name in FILLED_IN}
    known = {name: value for name, value in listed_values.items() if value not in (None, "")}
    if listed.context_window:
        known["window_source"] = LanguageModel.WindowSource.LISTING
    if listed.price_in or listed.price_out:
        known["price_source"] = LanguageModel.PriceSource.LISTING
    return LanguageModel(provider=provider, name=listed.id, **{**known, **fields})


def add(provider: Provider, names: Iterable[str], **fields: Any) -> list[LanguageModel]:
    """Adds those of the listed models with these names that the provider does not have yet."""
    listed = {model.id: model for model in listing.stored(provider)}
    with transaction.atomic():
        present = set(provider.language_models.values_list("name", flat=True))
        wanted = [name for name in dict.fromkeys(names) if name in listed and name not in present]
        position = LanguageModel.objects.next_position()
        rows = [
            draft(provider, listed[name], position=position + place, **fields)
            for place, name in enumerate(wanted)
        ]
        return LanguageModel.objects.bulk_create(rows)


def probe_new(models: Iterable[LanguageModel], user: User) -> None:
    """Starts a probe of each model with the dialect `auto` that has not been probed."""
    for model in models:
        if model.dialect == Dialect.AUTO and not model.probed:
            checks.ask(model, user, CheckKind.PROBE)


def forget_probes(provider: Provider, user: User) -> None:
    """Forgets the probes of the provider's models, whose address has changed; starts new ones."""
    provider.language_models.update(probed={})
    probe_new(provider.language_models.select_related("provider"), user)


def make_default(model: LanguageModel) -> None:
    """Makes this the model of new conversations."""
    with transaction.atomic():
        LanguageModel.objects.filter(is_default=True).exclude(pk=model.pk).update(is_default=False)
        LanguageModel.objects.filter(pk=model.pk).update(is_default=True)


def choose_for_titles(model: LanguageModel, *, is_chosen: bool) -> None:
    """Makes this the model that names the conversations of all models, or not any more."""
    rows = LanguageModel.objects.filter(is_for_titles=True)
    with transaction.atomic():
        (rows.exclude(pk=model.pk) if is_chosen else rows.filter(pk=model.pk)).update(
            is_for_titles=False
        )
        if is_chosen:
            LanguageModel.objects.filter(pk=model.pk).update(is_for_titles=True)


def move(model: LanguageModel, places: int) -> None:
    """Moves the model up (negative) or down in the list of all models."""
    with transaction.atomic():
        rows = list(LanguageModel.objects.in_order())
        at = rows.index(model)
        rows.insert(max(0, at + places), rows.pop(at))
        for position, row in enumerate(rows, 1):
            row.position = position
        LanguageModel.objects.bulk_update(rows, ["position"])


def conversations_of(models: Iterable[LanguageModel]) -> int:
    """The number of conversations with one of these models."""
    return Conversation.objects.filter(model__in=list(models)).count()
