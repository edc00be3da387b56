"""The chat's pages, and the partials that its scripts fetch."""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from uuid import UUID

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
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chat import offering, session_use
from chat.agent import limits as agent_limits
from chat.agent import share
from chat.attachments.limits import limits
from chat.commands import conversations
from chat.commands.fork import unasked
from chat.errors import Rejected
from chat.files.limits import limits as file_limits
from chat.files.views import counted
from chat.listing.filters import read_query
from chat.llm.messages import text_of
from chat.models import Conversation, ConversationQuerySet, LanguageModel, Message, Preset
from chat.presentation.projects import ProjectLink
from chat.presentation.queue import foot
from chat.presentation.reader import zone_of_reader
from chat.presentation.sidebar import Sidebar, sidebar, sidebar_beside
from chat.presentation.text import well_formed
from chat.presentation.thread import END, Place, Thread, thread, within_gap
from chat.presentation.todos import todo_list
from chat.presentation.turns import find_turn, turn_views
from chat.presentation.viewers import OWNER, viewer_of
from chat.presets import choosing
from db.public_ids import parse_public_id
from db.users import signed_in_user

View = Callable[..., HttpResponseBase]


def page(view: View) -> View:
    """Makes a view that needs a signed-in user and is never cached."""
    return wraps(view)(never_cache(login_required(view)))


@page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """An empty conversation; `?project=` names the project that it is for."""
    session_use.note(request)
    return render(request, "chat/page.html", _page(request, None, _sidebar(request)))


@page
@require_safe
def conversation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The page of a conversation, with the turns at `?at=`, `?before=` or `?after=` (ids of turns)
    besides the last ones. A subagent's redirects to the call that began it."""
    session_use.note(request)
    zone = zone_of_reader(request)
    current, listed = sidebar_beside(signed_in_user(request), zone, public_id)
    if current is None:
        raise Http404
    if current.parent_call_id is not None:
        return redirect(current.place_in_parent)
    return render(request, "chat/page.html", _page(request, current, listed))


@page
@require_safe
def thread_partial(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The last turns; with `?around=` (ids of turns) also those around one that is further back,
    with `?before=` and `?after=` a page of those between them: the last of them (`from=end`), the
    first, or those around `?at=`."""
    current = _readable(request, public_id)
    viewer = viewer_of(request.user, current)
    place, around = Place.read(request.GET), parse_public_id(request.GET.get("around"))
    from_end = request.GET.get("from") == "end"
    if place == END:
        shown = thread(current, Place(at=around), viewer)
    else:
        shown = within_gap(current, place, viewer, from_end=from_end)
    if place.at and not shown.turns:
        raise Http404
    context = {"conversation": current, "thread": shown, "viewer": viewer}
    return render(request, "chat/_thread.html", context)


@page
@require_safe
def turn(request: HttpRequest, public_id: UUID) -> HttpResponse:
    row = find_turn(request.user, public_id)
    if row is None:
        raise Http404
    viewer = viewer_of(request.user, row.conversation)
    return render(request, "chat/_turn.html", {"view": turn_views([row], viewer)[0]})


@page
@require_safe
def message_text(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The Markdown source of a message, for the clipboard."""
    readable = Message.objects.readable_by(request.user).filter(turn__deleted=None)
    body = get_object_or_404(readable, public_id=public_id).body
    text = well_formed(text_of(body.get("content")))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@page
@require_safe
def conversation_list(request: HttpRequest) -> HttpResponse:
    """The sidebar's list: `?q=` searches, `?before=` begins after a row, `?current=` is marked."""
    context = {
        "sidebar": _sidebar(request),
        "current": parse_public_id(request.GET.get("current")),
    }
    return render(request, "chat/_conversations.html", context)


@page
@require_POST
def rename(request: HttpRequest, public_id: UUID) -> HttpResponse:
    renamed = _conversation(request, public_id)
    conversations.rename(renamed, request.POST.get("title", ""))
    if request.headers.get("X-Requested-With") == "fetch":
        return HttpResponse(status=204)
    return redirect(renamed)


@page
@require_POST
def delete(request: HttpRequest, public_id: UUID) -> HttpResponse:
    deleted = _conversation(request, public_id)
    title = str(deleted)
    conversations.delete(Conversation.objects.filter(pk=deleted.pk))
    messages.success(request, gettext("“%(title)s” and its traces are deleted.") % {"title": title})
    return redirect("chat:home")


@page
@require_http_methods(["GET", "HEAD", "POST"])
def tools(request: HttpRequest, public_id: UUID | None = None) -> HttpResponse:
    """The menu of servers and tools; a POST stores the choice for the conversation, or with `web`
    (`on`, `off`) changes the stored one. Before there is a conversation, `?model=`, `?preset=` and
    `choice` of the form decide what is shown."""
    current = _conversation(request, public_id) if public_id else None
    try:
        choice = offering.read_choice(_json(request.POST.get("choice")))
    except Rejected as error:
        return HttpResponseBadRequest(str(error))
    if (web := request.POST.get("web")) in ("on", "off"):
        choice = offering.with_web(current.tools if current else choice, web == "on")
    if current is not None and request.method == "POST":
        conversations.choose_tools(current, choice)
    elif current is not None:
        choice = current.tools
    model = current.model if current else _offered_model(request)
    preset = _preset(request, current, model)
    servers = offering.menu(choice, request.user, preset)
    context = {
        "servers": servers,
        "most": _agent_limits(current, preset, model).tools_sent,
        "count": sum(one.count for one in servers),
        "is_chosen": choice is not None,
        "takes_tools": model is None or model.takes_tools,
    }
    return render(request, "chat/_tools_menu.html", context)


def _preset(
    request: HttpRequest, current: Conversation | None, model: LanguageModel | None
) -> Preset | None:
    """The preset of this conversation, or of a new one with these parameters."""
    if current is not None:
        return current.preset_with(model) if model else current.preset
    preset_id = parse_public_id(request.GET.get("preset"))
    offered = Preset.objects.for_user(request.user)
    named = offered.filter(public_id=preset_id).first() if preset_id else None
    return named or (model.preset if model else None)


def _agent_limits(
    current: Conversation | None, preset: Preset | None, model: LanguageModel | None
) -> agent_limits.Limits:
    if current is not None and model is not None:
        return agent_limits.limits(current, model)
    return agent_limits.inherited(preset, model)


def _json(text: str | None) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text  # rejected as a choice


def _offered_model(request: HttpRequest) -> LanguageModel | None:
    models = LanguageModel.objects.for_user(request.user)
    model_id = parse_public_id(request.GET.get("model"))
    named = models.filter(public_id=model_id).first() if model_id else None
    return named or models.first()


def _conversation(request: HttpRequest, public_id: UUID) -> Conversation:
    """The user's own."""
    return _found(Conversation.objects.for_user(request.user), public_id)


def _readable(request: HttpRequest, public_id: UUID) -> Conversation:
    """The user's own, or shared with a group of theirs."""
    return _found(Conversation.objects.readable_by(request.user), public_id)


def _found(conversations: ConversationQuerySet, public_id: UUID) -> Conversation:
    related = conversations.select_related("model__preset", "forked_from", "preset")
    return get_object_or_404(related, public_id=public_id)


def _page(request: HttpRequest, current: Conversation | None, listed: Sidebar) -> dict[str, Any]:
    models = LanguageModel.objects.choices(request.user)
    if current is not None and (own := _own(models, current.model_id)) is not None:
        current.model = own
    project = None if current else _project_of_new(request, listed)
    picker = {} if current else choosing.picker(request, project.assistant if project else None)
    source = current or picker["preset"]
    model_id = source.model_id if source else None
    viewer = viewer_of(request.user, current) if current else OWNER
    shown = thread(current, Place.read(request.GET), viewer) if current else None
    return {
        **picker,
        "viewer": viewer,
        "conversation": current,
        "current": current.public_id if current else None,
        "thread": shown,
        "foot": foot(current, viewer, has_queue=shown.has_line) if current and shown else None,
        "unasked": unasked(current) if current and viewer.is_owner else None,
        "todos": todo_list(current),
        "context_share": _context_share(current, shown) if current and shown else None,
        "sidebar": listed,
        "project": project,
        "models": models,
        "limits": limits(),
        "file_limits": file_limits(),
        "files_count": counted(current.public_id) if current else "",
        "chosen": _own(models, model_id) or next(iter(models), None),
    }


def _project_of_new(request: HttpRequest, listed: Sidebar) -> ProjectLink | None:
    wanted = parse_public_id(request.GET.get("project"))
    return next((one for one in listed.projects if one.public_id == wanted), None)


def _own(models: Sequence[LanguageModel], key: int | None) -> LanguageModel | None:
    return next((model for model in models if model.pk == key), None)


def _context_share(current: Conversation, shown: Thread) -> share.Share | None:
    if any(view.earlier_tries for view in shown.turns):
        return share.of_conversation(current)  # what was tried again is not on the page
    return share.of_latest_turns(current, [view.spans for view in shown.turns])


def _sidebar(request: HttpRequest) -> Sidebar:
    query = read_query(request.GET.get("q", ""))
    before = parse_public_id(request.GET.get("before"))
    return sidebar(request.user, zone_of_reader(request), query, before)
