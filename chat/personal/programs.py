"""The section *Connected programs* of the settings."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from chat.views import page
from db.users import AnyUser, signed_in_user
from limits.api import MAX_LISTED_TOKENS
from tokens.programs import commands
from tokens.programs.models import Connection


def context(user: AnyUser) -> dict[str, Any]:
    own = Connection.objects.for_user(user).open().select_related("client", "token")
    return {"connections": list(own[:MAX_LISTED_TOKENS])}


@page
@require_POST
def disconnect(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    own = Connection.objects.for_user(request.user)
    if not own.filter(public_id=public_id).exists():
        raise Http404("There is no such connection.")
    if commands.disconnect(signed_in_user(request), public_id):
        messages.success(request, _("The program is disconnected."))
    return redirect(f"{reverse('settings:index')}#programs")
