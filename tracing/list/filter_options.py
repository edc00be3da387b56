"""Options of the filters."""

from collections import defaultdict
from collections.abc import Iterable

from django.contrib.auth import get_user_model

from db.users import AnyUser
from limits.traces import MAX_OPTIONS
from tracing.models import Facet, FacetValue, Trace
from tracing.permissions import may_view_traces

# Latest own traces whose values are offered to a user who may not see those of others.
OWN_LATEST = 500


def facet_values(user: AnyUser) -> dict[str, list[str]]:
    """The values of each facet, in order."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for name, value in sorted(_values(user)):
        if len(values[name]) < MAX_OPTIONS:
            values[name].append(value)
    return values


def usernames() -> list[str]:
    names = get_user_model().objects.order_by("username").values_list("username", flat=True)
    return list(names[:MAX_OPTIONS])


def _values(user: AnyUser) -> Iterable[tuple[str, str]]:
    if may_view_traces(user):
        return FacetValue.objects.values_list("name", "value")
    own = Trace.objects.filter(owner_id=user.pk).order_by("-started", "-id")
    latest = list(own.values_list("pk", flat=True)[:OWN_LATEST])
    facets = Facet.objects.filter(trace__in=latest).order_by()
    return facets.values_list("name", "value").distinct()
