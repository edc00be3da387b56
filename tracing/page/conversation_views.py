"""The turns of one conversation, oldest first, with their rounds."""

import uuid

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from limits.traces import MAX_ID_DIGITS
from tracing.models import Trace
from tracing.page.conversation import read_archive


@require_safe
def archive(request: HttpRequest, archive_id: uuid.UUID) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    traces = Trace.objects.for_user(request.user).filter(archive__public_id=archive_id)
    after = request.GET.get("after", "")
    is_key = after.isascii() and after.isdigit() and len(after) <= MAX_ID_DIGITS
    page = read_archive(traces, int(after) if is_key else 0)
    if page is None:
        raise Http404("This conversation does not exist.")
    return render(request, "tracing/archive.html", {"page": page})
