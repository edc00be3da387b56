"""Pages for admins."""

from functools import wraps

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

from tools.rights import View, signed_in


def for_admins(view: View) -> View:
    """Only for superusers: 403 for everyone else."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **options: object) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise PermissionDenied
        return view(request, *args, **options)

    return signed_in(guarded)
