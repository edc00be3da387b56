"""The chat's pages and the partials that its scripts fetch. Each fetches, calls, renders."""

import json
from collections.abc import Callable
from datetime import tzinfo
from functools import wraps
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chat import offering, workspaces, zones
from chat.agent import limits as agent_limits
from chat.agent import share
from chat.attachments.limits import limits
from chat.commands import conversations
from chat.commands.fork import unasked
from chat.errors import Rejected
from chat.files.limits import limits as file_limits
from chat.files.views import counted
from chat.llm.messages import text_of
from chat.models import Conversation, LanguageModel, Message, Preset
from chat.presentation.sidebar import sidebar
from chat.presentation.text import well_formed
from chat.presentation.todos import todo_list
from chat.presentation.turns import find_turn, thread, turn_views
from chat.presets import choosing
from db.public_ids import parse_public_id

View = Callable[..., HttpResponseBase]


def page(view: View) -> View:
    """A view for people who are signed in, never kept by a cache."""
    return wraps(view)(never_cache(login_required(view)))


@page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """An empty conversation."""
    return render(request, "chat/page.html", _page(request, None))


@page
@require_safe
def conversation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A subagent's has no page of its own: it is seen at its call."""
    nested = Conversation.objects.nested_for(request.user).filter(public_id=public_id).first()
    if nested is not None:
        return redirect(nested.place_in_parent)
    shown = _conversation(request, public_id)
    return render(request, "chat/page.html", _page(request, shown))


@page
@require_safe
def thread_partial(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The thread, or with `?before=` a turn's id the turns before it."""
    shown = _conversation(request, public_id)
    context = {
        "conversation": shown,
        "thread": thread(shown, parse_public_id(request.GET.get("before"))),
    }
    return render(request, "chat/_thread.html", context)


@page
@require_safe
def turn(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = find_turn(request.user, public_id)
    if found is None:
        raise Http404
    return render(request, "chat/_turn.html", {"view": turn_views([found])[0]})


@page
@require_safe
def message_text(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """A message as it was written, for the clipboard."""
    owned = Message.objects.filter(conversation__owner=request.user.pk)
    body = get_object_or_404(owned, public_id=public_id).body
    text = well_formed(text_of(body.get("content")))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@page
@require_safe
def conversation_list(request: HttpRequest) -> HttpResponse:
    """The sidebar's list: `?q=` searches, `?before=` pages, `?current=` is marked."""
    context = {
        "sidebar": _sidebar(request),
        "current": parse_public_id(request.GET.get("current")),
    }
    return render(request, "chat/_conversations.html", context)


@page
@require_POST
def rename(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = _conversation(request, public_id)
    conversations.rename(found, request.POST.get("title", ""))
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(found)


@page
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = _conversation(request, public_id)
    title = str(found)
    conversations.delete(Conversation.objects.filter(pk=found.pk))
    messages.success(request, f"“{title}” and its traces are deleted.")
    return redirect("chat:home")


@page
@require_http_methods(["GET", "HEAD", "POST"])
def tools(request: HttpRequest, public_id: UUID | None = None) -> HttpResponse:
    """The menu of servers and tools; a POST keeps what was chosen for the conversation. Before
    there is one, `?model=`, `?preset=` and the page's own `choice` say what it is to show."""
    found = _conversation(request, public_id) if public_id else None
    try:
        choice = offering.read_choice(_json(request.POST.get("choice")))
    except Rejected as error:
        return HttpResponseBadRequest(str(error))
    if found is not None and request.method == "POST":
        conversations.choose_tools(found, choice)
    elif found is not None:
        choice = found.tools
    model = found.model if found else _offered_model(request)
    preset = _preset(request, found, model)
    servers = offering.menu(choice, request.user, preset)
    context = {
        "servers": servers,
        "most": _agent_limits(found, preset, model).tools_sent,
        "count": sum(one.count for one in servers),
        "is_chosen": choice is not None,
        "takes_tools": model is None or model.takes_tools,
    }
    return render(request, "chat/_tools_menu.html", context)


def _preset(
    request: HttpRequest, found: Conversation | None, model: LanguageModel | None
) -> Preset | None:
    """The one that counts in this conversation, or will in the next one."""
    if found is not None:
        return found.preset_with(model) if model else found.preset
    wanted = parse_public_id(request.GET.get("preset"))
    offered = Preset.objects.for_user(request.user)
    named = offered.filter(public_id=wanted).first() if wanted else None
    return named or (model.preset if model else None)


def _agent_limits(
    found: Conversation | None, preset: Preset | None, model: LanguageModel | None
) -> agent_limits.Limits:
    if found is not None and model is not None:
        return agent_limits.limits(found, model)
    return agent_limits.inherited(preset, model)


def _json(text: str | None) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text  # which is no choice


def _offered_model(request: HttpRequest) -> LanguageModel | None:
    models = LanguageModel.objects.offered()
    wanted = parse_public_id(request.GET.get("model"))
    named = models.filter(public_id=wanted).first() if wanted else None
    return named or models.first()


def _conversation(request: HttpRequest, public_id: UUID) -> Conversation:
    owned = Conversation.objects.for_user(request.user).select_related(
        "model__preset", "forked_from", "preset"
    )
    return get_object_or_404(owned, public_id=public_id)


def _page(request: HttpRequest, shown: Conversation | None) -> dict[str, Any]:
    models = list(LanguageModel.objects.offered())
    picked = {} if shown else choosing.picker(request)
    began_with = shown or picked["preset"]
    chosen = began_with.model_id if began_with else None
    return {
        **picked,
        "conversation": shown,
        "current": shown.public_id if shown else None,
        "thread": thread(shown) if shown else None,
        "unasked": unasked(shown) if shown else None,
        "todos": todo_list(shown),
        "context_share": share.of_conversation(shown) if shown else None,
        "sidebar": _sidebar(request),
        "models": models,
        "limits": limits(),
        "file_limits": file_limits(),
        "files_count": counted(workspaces.folder(shown.public_id)) if shown else "",
        "chosen": next((model for model in models if model.pk == chosen), next(iter(models), None)),
    }


def _sidebar(request: HttpRequest) -> Any:
    query = well_formed(request.GET.get("q", "")).replace("\x00", "").strip()[:200]
    return sidebar(request.user, _zone(request), query, parse_public_id(request.GET.get("before")))


def _zone(request: HttpRequest) -> tzinfo:
    """The reader's time zone, from the cookie that the page's script sets."""
    name = zones.named(request.COOKIES)
    return ZoneInfo(name) if name else timezone.get_current_timezone()
