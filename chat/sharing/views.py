"""The page on which a person shares a conversation, with its preview, and revokes links."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chat.errors import Rejected
from chat.llm.messages import text_of
from chat.models import Conversation, SharedLink, Turn
from chat.presentation.text import one_line
from chat.sharing import choices, files, links, policy, shown
from chat.sharing.choices import Choices
from chat.sharing.document import keys_of
from chat.sharing.public_views import file_response
from chat.sharing.secret_texts import masking
from chat.views import page
from db.public_ids import parse_public_id
from db.users import signed_in_user
from limits.sharing import MAX_SHARED_TURNS


@page
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The choices with their preview; a POST with `create` makes the link, any other one shows the
    preview anew."""
    conversation = _conversation(request, public_id)
    try:
        chosen = _chosen(request)
        if request.method == "POST" and "create" in request.POST:
            link = links.create(signed_in_user(request), conversation, chosen)
            return redirect("chat:shared_link", public_id, link.public_id)
        context = _preview(request, conversation, chosen)
    except Rejected as error:
        return _refused(request, conversation, str(error))
    is_part = request.headers.get("X-Requested-With") == "fetch"
    return render(request, f"shared/{'_preview' if is_part else 'share'}.html", context)


def _chosen(request: HttpRequest) -> Choices:
    if request.method == "POST":
        return choices.read(request.POST)
    return choices.default(parse_public_id(request.GET.get("turn")))


def _preview(request: HttpRequest, conversation: Conversation, chosen: Choices) -> dict[str, Any]:
    """What the page, and the part of it that changes, show."""
    masks = masking()
    link = links.draft(signed_in_user(request), conversation, chosen)
    number = request.POST.get("page", "1")
    at = int(number) if number.isdecimal() and len(number) < 6 else 1
    shared = links.page(link, at, masks)
    if not shared["turns"]:
        shared = links.page(link, 1, masks)
    return {
        "conversation": conversation,
        "chosen": chosen,
        "link": link,
        "shared": shared,
        "views": shown.turn_views(shared),
        "pages": links.pages(shared),
        "page": (shared["first"] - 1) // MAX_SHARED_TURNS + 1,
        "is_preview": True,
        "elsewhere": sorted(chosen.hidden - keys_of(shared)),
        "secrets": masks.count,
        "audiences": policy.audiences(),
        "days": policy.days(),
        "turns": _turns(conversation, link),
    }


def _turns(conversation: Conversation, link: SharedLink) -> list[tuple[Turn, str]]:
    """The turns of the shown branch, with the beginnings of their questions, the latest first."""
    shown_turns = Turn.objects.filter(conversation=conversation, is_shown=True, deleted=None)
    rows = list(shown_turns.select_related("question").order_by("-pk")[:MAX_SHARED_TURNS])
    if link.turn is not None and link.turn.pk not in {row.pk for row in rows}:
        rows.append(link.turn)
    return [(row, _beginning(row)) for row in rows]


def _beginning(turn: Turn) -> str:
    text = text_of(turn.question.body.get("content")) if turn.question else ""
    return one_line(text, 60) or _("A summary")


def _refused(request: HttpRequest, conversation: Conversation, sentence: str) -> HttpResponse:
    context = {"conversation": conversation, "refused": sentence}
    is_part = request.headers.get("X-Requested-With") == "fetch"
    template = "shared/_refused.html" if is_part else "shared/share.html"
    return render(request, template, context, status=HTTPStatus.CONFLICT)


@page
@require_POST
def share_trace(request: HttpRequest, public_id: UUID, number: int) -> HttpResponse:
    """The preview of a turn's trace."""
    conversation = _conversation(request, public_id)
    try:
        link = links.draft(signed_in_user(request), conversation, choices.read(request.POST))
    except Rejected as error:
        return _refused(request, conversation, str(error))
    found = links.with_trace(link, number)
    if found is None:
        raise Http404
    shared, place = found
    context = {
        "link": link,
        "shared": shared,
        "number": number,
        "rounds": shown.trace_views(shared, place),
        "is_preview": True,
    }
    return render(request, "shared/trace.html", context)


@page
@require_safe
def share_attachment(request: HttpRequest, public_id: UUID, key: UUID) -> HttpResponse:
    """An attachment as a link would show it, for the preview."""
    link = SharedLink(conversation=_conversation(request, public_id))
    found = files.read_attachment(files.named(key), link, masking())
    if found is None:
        raise Http404
    return file_response(found)


@page
@require_safe
def shared_link(request: HttpRequest, public_id: UUID, link_id: UUID) -> HttpResponse:
    """A link of this person's that is open, with its address."""
    conversation = _conversation(request, public_id)
    own = SharedLink.objects.for_user(request.user).alive().defer("packed")
    link = get_object_or_404(own, conversation=conversation, public_id=link_id)
    address = request.build_absolute_uri(link.path)
    context = {"conversation": conversation, "link": link, "address": address}
    return render(request, "shared/made.html", context)


@page
@require_POST
def revoke(request: HttpRequest, public_id: UUID) -> HttpResponse:
    own = SharedLink.objects.for_user(request.user)
    link = get_object_or_404(own.defer("packed"), public_id=public_id)
    links.revoke(own.filter(pk=link.pk), signed_in_user(request))
    messages.success(request, _("Revoked. The address shows nothing any more."))
    return _to_settings()


@page
@require_POST
def revoke_all(request: HttpRequest) -> HttpResponse:
    open_links = SharedLink.objects.for_user(request.user).alive()
    count = links.revoke(open_links, signed_in_user(request))
    sentence = ngettext("%(count)s link revoked.", "%(count)s links revoked.", count)
    messages.success(request, sentence % {"count": count})
    return _to_settings()


def _to_settings() -> HttpResponse:
    return redirect(f"{reverse('settings:index')}#links")


def _conversation(request: HttpRequest, public_id: UUID) -> Conversation:
    return get_object_or_404(Conversation.objects.for_user(request.user), public_id=public_id)
