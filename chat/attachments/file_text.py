"""The page of a file's text, on which the sources of an answer open at their place."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.models import SearchedFile
from limits.search import MAX_SHOWN_PASSAGES


@never_cache
@login_required
@require_safe
def file_text(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The passages around `?at=` of one of the user's own files."""
    own = SearchedFile.objects.for_user(request.user).select_related("attachment", "project_file")
    unread = own.defer("attachment__content", "project_file__content")
    file = get_object_or_404(unread, public_id=public_id)
    at = request.GET.get("at", "")
    place = int(at) if at.isascii() and at.isdigit() and len(at) < 7 else 1
    first = max(1, place - MAX_SHOWN_PASSAGES // 2)
    rows = list(
        file.passages.filter(number__gte=first).order_by("number")[: MAX_SHOWN_PASSAGES + 1]
    )
    context = {
        "file": file,
        "passages": rows[:MAX_SHOWN_PASSAGES],
        "place": place,
        "before": max(1, first - MAX_SHOWN_PASSAGES // 2) if first > 1 else None,
        "after": rows[MAX_SHOWN_PASSAGES].number if len(rows) > MAX_SHOWN_PASSAGES else None,
    }
    return render(request, "chat/file_text.html", context)
