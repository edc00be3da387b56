from functools import cache
from typing import Any

from django.apps import apps
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from audit.models import Action, Event
from audit.recording import record
from chat.audit_pages.exporting import FORMATS
from chat.audit_pages.filters import FilterForm, Place, after
from db.fields import dump_json
from limits.audit import MAX_LISTED_EVENTS
from tools.rights import requires
from tracing import streaming
from tracing.list.views import zone_of

VIEW_EVENT = "audit.view_event"
LABELS = dict(Action.choices)


@requires(VIEW_EVENT)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Newest first; `before` is the place of the last row of the page before this one."""
    form = FilterForm(request.GET, zone=zone_of(request))
    place = Place.parse(request.GET.get("before", ""))
    rows = list(after(form.rows(), place)[: MAX_LISTED_EVENTS + 1])
    shown = rows[:MAX_LISTED_EVENTS]
    last = shown[-1] if len(rows) > len(shown) else None
    context = {
        "form": form,
        "rows": [_row(event) for event in shown],
        "query": _query(request),
        "older": _query(request, before=str(Place(last.when, last.pk))) if last else "",
        "is_first": place is None,
        "is_filtered": any(request.GET.get(name) for name in form.fields),
    }
    return render(request, "audit/index.html", context)


@requires(VIEW_EVENT)
@require_safe
def export(request: HttpRequest, kind: str) -> HttpResponseBase:
    """The rows of the filters as a file."""
    if kind not in FORMATS:
        raise Http404
    form = FilterForm(request.GET, zone=zone_of(request))
    filters = [name for name in form.fields if request.GET.get(name)]
    record(Action.LOG_EXPORTED, request.user, kind=kind, filters=filters)
    pieces, content_type = FORMATS[kind]
    headers = {"Content-Disposition": f'attachment; filename="audit.{kind}"'}
    return streaming.respond(pieces(form.rows()), content_type=content_type, headers=headers)


def _row(event: Event) -> dict[str, Any]:
    detail = {name: value for name, value in event.detail.items() if value not in (None, "", [])}
    return {
        "event": event,
        "kind": _kinds().get(event.target_type, event.target_type),
        "action": LABELS.get(event.action, event.action),
        "detail": ", ".join(f"{name}: {_text(value)}" for name, value in detail.items()),
    }


@cache
def _kinds() -> dict[str, Any]:
    """The names of kinds of things in the reader's language, by the word that the log has."""
    return {model._meta.model_name or "": model._meta.verbose_name for model in apps.get_models()}


def _text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value if isinstance(value, str) else dump_json(value)


def _query(request: HttpRequest, **changes: str) -> str:
    query = request.GET.copy()
    query.pop("before", None)
    for name, value in changes.items():
        query[name] = value
    return query.urlencode()
