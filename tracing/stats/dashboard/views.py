"""The dashboard, for those with the permission; 404 for other users."""

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tracing.permissions import VIEW_DASHBOARD, holds
from tracing.stats.dashboard.page import page


@never_cache
@require_safe
def dashboard(request: HttpRequest) -> HttpResponseBase:
    """The whole page, or with `part` the body that is polled."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if not holds(request.user, VIEW_DASHBOARD):
        raise Http404("There is no such page.")
    template = "_body" if "part" in request.GET else "page"
    values = page(request.GET, timezone.now())
    return render(request, f"tracing/dashboard/{template}.html", {"page": values})
