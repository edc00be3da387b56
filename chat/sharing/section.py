"""What the section *Shared links* of the settings shows."""

from typing import Any

from django.http import HttpRequest

from chat.models import SharedLink
from chat.sharing import policy
from limits.sharing import MAX_LISTED_LINKS


def section(request: HttpRequest) -> dict[str, Any]:
    own = SharedLink.objects.for_user(request.user).select_related("conversation")
    rows = list(own.defer("packed")[:MAX_LISTED_LINKS])
    return {
        "links": [
            (link, "" if link.is_over else request.build_absolute_uri(link.path)) for link in rows
        ],
        "open": sum(not link.is_over for link in rows),
        "is_on": policy.is_on(),
    }
