"""What the section *Shared links* of the settings shows."""

from typing import Any

from django.http import HttpRequest

from chat.models import SharedLink
from chat.sharing import policy
from limits.sharing import MAX_LISTED_LINKS


def section(request: HttpRequest) -> dict[str, Any]:
    """Of the links that are over the latest; of those that are open all, which nobody could revoke
    one by one otherwise."""
    related = SharedLink.objects.for_user(request.user).select_related("conversation")
    own = related.defer("packed")
    alive = list(own.alive())
    over = own.exclude(pk__in=[link.pk for link in alive])[: MAX_LISTED_LINKS - len(alive)]
    rows = sorted([*alive, *over], key=lambda link: link.created, reverse=True)
    return {
        "links": [
            (link, "" if link.is_over else request.build_absolute_uri(link.path)) for link in rows
        ],
        "open": len(alive),
        "is_on": policy.is_on(),
    }
