"""Traces with the columns and facets that the digest fills."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from tracing.models import Facet, FacetValue, Trace
from tracing.tests.builders import an_archive


def a_trace(owner: User, name: str = "A question", age: float = 0, **fields: Any) -> Trace:
    """A trace that started `age` minutes ago; `facets` are its values by name."""
    facets = fields.pop("facets", {})
    started = timezone.now() - timedelta(minutes=age)
    fields = {"status": "succeeded", "ended": started + timedelta(seconds=1), **fields}
    trace = Trace.objects.create(
        archive=an_archive(owner), owner=owner, name=name, started=started, **fields
    )
    for facet, value in facets.items():
        Facet.objects.create(trace=trace, name=facet, value=value, started=started)
        FacetValue.objects.get_or_create(name=facet, value=value)
    return trace
