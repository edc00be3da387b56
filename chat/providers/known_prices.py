"""Prices of models for which nobody has set any, from the list of `genai-prices`.

They are columns of the model like those that an admin sets, with another `price_source`: a turn
reads them and nothing else. They are filled in after an admin has saved a model, and looked up
again once an hour, so that an update of the package brings its prices. A price that an admin has
set is never touched.
"""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

from django.db.models import Q

from chat.models import LanguageModel, Provider
from db.threads import in_database
from limits.models import MAX_PRICE, MAX_PRICE_LOOKUP_S

logger = logging.getLogger(__name__)

PROCESS = Path(__file__).parent / "price_process.py"
Source = LanguageModel.PriceSource
COLUMNS = {"price_in": "in", "price_cached": "cached", "price_out": "out"}
Known = Mapping[str, str | None] | None
_NO_PRICE = Q(price_in=None, price_cached=None, price_out=None)


def fill(provider: Provider | None = None) -> int:
    """Fills in and renews the prices of the models (of one provider) that the list knows. Returns
    how many changed."""
    models = _models(provider)
    return _set_all(models, _look_up_all(models))


def renew() -> None:
    """The same for all models, without a thread of the database while the list is read."""
    models = in_database(_models)
    in_database(_set_all, models, _look_up_all(models))


def _models(provider: Provider | None = None) -> list[LanguageModel]:
    rows = LanguageModel.objects.filter(_NO_PRICE | Q(price_source=Source.LIBRARY))
    rows = rows.exclude(provider__kind=Provider.Kind.CASSETTE).exclude(provider__base_url="")
    if provider is not None:
        rows = rows.filter(provider=provider)
    return list(rows.select_related("provider").order_by("pk"))


def _look_up_all(models: Sequence[LanguageModel]) -> Sequence[Known]:
    if not models:
        return ()
    return look_up([(model.name, model.provider.base_url) for model in models])


def _set_all(models: Sequence[LanguageModel], found: Sequence[Known]) -> int:
    pairs = zip(models, found, strict=True)
    return sum(_set(model, known) for model, known in pairs if known is not None)


def look_up(wanted: Sequence[tuple[str, str]]) -> list[Known]:
    """For each model id and URL what `price_process` answers; nothing for any if it fails."""
    try:
        ended = subprocess.run(
            [sys.executable, "-I", str(PROCESS)],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            timeout=MAX_PRICE_LOOKUP_S,
            check=True,
        )
        answer: list[Known] = json.loads(ended.stdout)
        return answer if len(answer) == len(wanted) else [None] * len(wanted)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        logger.warning("Prices of models could not be looked up: %s", error)
        return [None] * len(wanted)


def _set(model: LanguageModel, known: Mapping[str, str | None]) -> bool:
    """Unless an admin has set other ones meanwhile."""
    columns = {column: _price(known.get(name)) for column, name in COLUMNS.items()}
    before = {column: getattr(model, column) for column in COLUMNS}
    if columns["price_in"] is None or columns["price_out"] is None or columns == before:
        return False
    unchanged = LanguageModel.objects.filter(pk=model.pk, price_source=model.price_source, **before)
    return unchanged.update(**columns, price_source=Source.LIBRARY) == 1


def _price(text: str | None) -> Decimal | None:
    try:
        price = round(Decimal(text), 6) if text is not None else None
    except InvalidOperation:
        return None
    return price if price is None or 0 <= price <= MAX_PRICE else None
