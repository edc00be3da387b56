"""What a person has used, and may use."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from ninja import Schema
from pydantic import Field

from api.rest.resource import ApiRequest, Resource
from chat import storage
from chat.personal import usage
from chat.personal.usage import Consumption
from chat.presentation.reader import zone_of_reader
from chat.quotas import rules
from tokens.models import Scope
from tracing.models import Metric

resource = Resource("Usage")


class Used(Schema):
    answers: int
    tokens_in: int
    tokens_out: int
    cost: float = Field(description="US dollars, of models with prices.")


class UsedByModel(Used):
    model: str


class UsageOut(Schema):
    """Days and months are those of the person's time zone."""

    today: Used
    month: Used
    models: list[UsedByModel] = Field(description="This month, most tokens first.")
    stored_bytes: int
    stored_bytes_most: int = Field(description="0: no limit.")
    limits: dict[str, int] = Field(description="The person's limits by their kind.")


@resource.get("/usage", Scope.READ, UsageOut, "Read one's usage and limits")
def read_usage(request: ApiRequest) -> Any:
    user = request.user
    now = timezone.localtime(timezone=zone_of_reader(request))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    month = midnight.replace(day=1)
    models = usage.by_model(user.pk, month)
    return {
        "today": _used(usage.consumption(user.pk, midnight, Metric.Period.HOUR)),
        "month": _used(usage.consumption(user.pk, month, Metric.Period.DAY)),
        "models": [{"model": one.name, **_used(one.used)} for one in models],
        "stored_bytes": storage.usage(user.pk, within_s=storage.USAGE_S).total,
        "stored_bytes_most": settings.USER_STORAGE_BYTES,
        "limits": {str(kind): amount for kind, amount in rules.amounts_of(user.pk).items()},
    }


def _used(one: Consumption) -> dict[str, Any]:
    return {
        "answers": one.answers,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        "cost": float(one.cost),
    }
