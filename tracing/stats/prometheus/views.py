"""`GET /metrics`: for whoever has the token of the settings, and by permission."""

import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from tracing.permissions import VIEW_DASHBOARD, holds
from tracing.stats.prometheus.collector import Totals


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """In the format that the scraper asks for: OpenMetrics, or Prometheus' text."""
    if not _may(request):
        refusal = HttpResponse("A token is needed: METRICS_TOKEN.\n", "text/plain", status=401)
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Totals())
    for name in settings.METRICS_COLLECTORS:
        registry.register(import_string(name)())
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type)


def _may(request: HttpRequest) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    expected: str = settings.METRICS_TOKEN
    if expected and kind.lower() == "bearer":
        return secrets.compare_digest(token.strip().encode(), expected.encode())
    return holds(request.user, VIEW_DASHBOARD)
