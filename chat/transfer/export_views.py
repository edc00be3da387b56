"""Downloads of one conversation, of chosen ones, and of all."""

from collections.abc import Sequence
from http import HTTPStatus
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
    QueryDict,
)
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from audit.models import Action
from audit.recording import record
from chat.models import Conversation
from chat.transfer.formats import FORMATS, Options
from db.public_ids import parse_public_id
from db.users import AnyUser
from limits.transfer import MAX_EXPORTED_CHOICE
from tracing import streaming


@never_cache
@login_required
@require_safe
def conversation(request: HttpRequest, public_id: UUID) -> HttpResponseBase:
    """One conversation as `?format=`; `traces=1` and `liked=1` are options."""
    owned = Conversation.objects.for_user(request.user)
    row = get_object_or_404(owned, public_id=public_id)
    return _download(request.user, [row.pk], request.GET)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def conversations(request: HttpRequest) -> HttpResponseBase:
    """The conversations with the ids `ids`, else all, the oldest first."""
    query = request.POST if request.method == "POST" else request.GET
    owned = Conversation.objects.kept_for(request.user).order_by("created", "pk")
    if "ids" in query:
        ids = {public_id for value in query.getlist("ids") if (public_id := parse_public_id(value))}
        if len(ids) > MAX_EXPORTED_CHOICE:
            sentence = _("Choose at most %(most)s conversations, or export all.")
            most = {"most": f"{MAX_EXPORTED_CHOICE:,}"}
            return HttpResponse(sentence % most, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        keys = dict(owned.values_list("public_id", "pk"))
        chosen = [pk for public_id, pk in keys.items() if public_id in ids]
        return _download(request.user, chosen, query)
    return _download(request.user, list(owned.values_list("pk", flat=True)), query)


def _download(user: AnyUser, keys: Sequence[int], query: QueryDict) -> HttpResponseBase:
    export_format = FORMATS.get(query.get("format", "json"))
    if export_format is None:
        known = ", ".join(FORMATS)
        sentence = _("There is no such format. The formats are: %(known)s.") % {"known": known}
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")
    options = Options(traces=query.get("traces") == "1", liked=query.get("liked") == "1")
    count, name = len(keys), query.get("format", "json")
    record(Action.CONVERSATIONS_EXPORTED, user, count=count, format=name, traces=options.traces)
    disposition = content_disposition_header(True, export_format.file_name(keys))
    return streaming.respond(
        export_format.pieces(keys, options),
        content_type=export_format.type_of(keys),
        headers={"Content-Disposition": str(disposition), "X-Content-Type-Options": "nosniff"},
    )
