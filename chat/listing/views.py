"""The page that finds and organises conversations. A view fetches, calls one function, renders."""

from collections.abc import Iterable
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from chat.commands.organising import organise
from chat.errors import Rejected
from chat.listing.filters import Filters, read_query
from chat.listing.page import choices, list_page, suggested_tags
from chat.models import Conversation
from chat.presentation.reader import zone_of_reader
from chat.search.within import find_within
from db.public_ids import parse_public_id
from db.users import signed_in_user
from tools.rights import signed_in


@signed_in
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The conversations that fit the filters of the address; to a script only their list."""
    filters = Filters.read(request.GET)
    page, before = _number(request.GET.get("page")), parse_public_id(request.GET.get("before"))
    shown = list_page(request.user, filters, zone_of_reader(request), page, before)
    if request.headers.get("X-Requested-With") == "fetch":
        return render(request, "chat/search/_results.html", {"page": shown})
    context = {"page": shown, "choices": choices(request.user)}
    return render(request, "chat/search/page.html", context)


@signed_in
@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """Does `action` with the conversations `ids`; to a script the outcome as JSON."""
    is_script = request.headers.get("X-Requested-With") == "fetch"
    ids = _ids(request.POST.getlist("ids"))
    action, tag = request.POST.get("action", ""), request.POST.get("tag", "")
    try:
        outcome = organise(signed_in_user(request), action, ids, tag)
    except Rejected as error:
        if is_script:
            return JsonResponse({"sentence": str(error)}, status=400)
        messages.error(request, str(error))
        return redirect("chat:search")
    if is_script:
        changed = [str(public_id) for public_id in outcome.ids]
        done = {"sentence": outcome.sentence, "undo": outcome.undo, "ids": changed}
        return JsonResponse(done if outcome.tag is None else {**done, "tag": outcome.tag})
    messages.success(request, outcome.sentence)
    return redirect("chat:search")


@signed_in
@require_safe
def tags(request: HttpRequest) -> HttpResponse:
    """The user's tags as a choice for the conversations `ids`."""
    owned = Conversation.objects.for_user(request.user)
    selected = owned.filter(public_id__in=_ids(request.GET.getlist("ids")))
    context = {
        "tags": suggested_tags(request.user, selected),
        "count": selected.count(),
    }
    return render(request, "chat/search/_tags.html", context)


@signed_in
@require_safe
def find(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The messages of a conversation that have the words of `?q=`, as JSON."""
    readable = Conversation.objects.readable_by(request.user)
    conversation = readable.filter(public_id=public_id).first()
    if conversation is None:
        raise Http404
    found = find_within(conversation, read_query(request.GET.get("q", "")))
    messages_ = [{"message": one.message, "turn": one.turn} for one in found.messages]
    return JsonResponse({"messages": messages_, "cut": found.is_cut})


def _ids(texts: Iterable[str]) -> list[UUID]:
    ids = (parse_public_id(one) for text in texts for one in text.split(","))
    return [one for one in ids if one is not None]


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else 0
