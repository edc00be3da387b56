"""What opens below the address of a link: pages, files, and a copy of one's own.

Whatever keeps a link from being shown (unknown, revoked, ended, erased, switched off) has one
answer.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from chat.attachments.sniffing import TEXT
from chat.errors import LinkIsOver, Rejected
from chat.markdown.images import is_image_key
from chat.models import SharedLink
from chat.reading.remote_images import ImageUnavailable, fetch_image
from chat.sharing import branches, copying, files, links, policy, shown, throttle
from chat.sharing.files import Kept
from chat.sharing.secret_texts import masking
from db.users import signed_in_user
from tracing.formatting.text import visible

View = Callable[..., HttpResponse]
_SHOWN_TYPES = ("image/", "audio/")


def over(request: HttpRequest, status: int = HTTPStatus.NOT_FOUND) -> HttpResponse:
    """The answer for every address that shows nothing."""
    context = {"is_refused": status == HTTPStatus.TOO_MANY_REQUESTS}
    return _private(render(request, "shared/over.html", context, status=status))


def _private(response: HttpResponse) -> HttpResponse:
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response


def below_link(view: View) -> View:
    """A view of an open link, for whom it is for."""

    @wraps(view)
    @never_cache
    def guarded(request: HttpRequest, token: str, **options: Any) -> HttpResponse:
        if throttle.is_refused(request):
            return over(request, HTTPStatus.TOO_MANY_REQUESTS)
        link = links.find(token)
        if link is None:
            throttle.count_unknown(request)
            return over(request)
        if not (request.user.is_authenticated or policy.is_for_everybody(link)):
            return _private(redirect_to_login(request.get_full_path()))
        try:
            return _private(view(request, link, **options))
        except LinkIsOver:
            return over(request)

    return guarded


@require_safe
@below_link
def page(request: HttpRequest, link: SharedLink) -> HttpResponse:
    """The thread; of a long one a page of turns."""
    text = request.GET.get("page", "1")
    number = int(text) if text.isdecimal() and 0 < len(text) < 6 else 1
    shared = links.page(link, max(1, number))
    if not shared["turns"]:
        return over(request)
    if request.user.pk != link.owner_id:
        SharedLink.objects.count_opening(link)
    context = {
        "link": link,
        "token": link.token,
        "shared": shared,
        "views": shown.turn_views(shared),
        "pages": links.pages(shared),
        "page": number,
    }
    return render(request, "shared/page.html", context)


@require_safe
@below_link
def trace(request: HttpRequest, link: SharedLink, number: int) -> HttpResponse:
    """The rounds of a turn with their stages."""
    found = links.with_trace(link, number)
    if found is None:
        return over(request)
    shared, place = found
    context = {
        "link": link,
        "token": link.token,
        "shared": shared,
        "number": number,
        "rounds": shown.trace_views(shared, place),
    }
    return render(request, "shared/trace.html", context)


@require_safe
@below_link
def attachment(request: HttpRequest, link: SharedLink, key: UUID) -> HttpResponse:
    """A file that the link shows. A snapshot has no others."""
    if links.is_kept(link):
        return _file_or_over(request, files.stored(link, str(key)))
    masks = masking()
    shared = links.one_turn(link, branches.turn_of_attachment(key), masks)
    named = next((one for one in files.attachments_of(shared) if one["key"] == str(key)), None)
    return _file_or_over(request, files.read_attachment(named, link, masks) if named else None)


@require_safe
@below_link
def media(request: HttpRequest, link: SharedLink, key: UUID, index: int) -> HttpResponse:
    """An image or a sound of a result."""
    if links.is_kept(link):
        return _file_or_over(request, files.stored(link, files.key_of(str(key), index)))
    shared = links.one_turn(link, branches.turn_of_call(key), masking())
    call = next((one for one in files.calls_of(shared) if one["span"] == str(key)), None)
    return _file_or_over(request, files.read_block(call, index, link) if call else None)


def _file_or_over(request: HttpRequest, found: Kept | None) -> HttpResponse:
    return file_response(found) if found else over(request)


@require_safe
@below_link
def remote_image(request: HttpRequest, link: SharedLink) -> HttpResponse:
    """An image of another host in the text, for who agreed to load it."""
    url = request.GET.get("url", "")
    if not is_image_key(url, request.GET.get("key", "")):
        return over(request)
    try:
        image = fetch_image(url)
    except ImageUnavailable as error:
        return HttpResponse(str(error), "text/plain", HTTPStatus.BAD_GATEWAY)
    return file_response(Kept("", "image", image.media_type, image.content))


@require_http_methods(["GET", "HEAD", "POST"])
@below_link
def copy(request: HttpRequest, link: SharedLink) -> HttpResponse:
    """Asks, and then makes a conversation of one's own with what the link shows. A form needs its
    origin, which a page without referrers does not tell."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _with_origin(render(request, "shared/copy.html", {"token": link.token}))
    try:
        copied = copying.copy(signed_in_user(request), link)
    except Rejected as error:
        context = {"token": link.token, "refused": str(error)}
        shown_again = render(request, "shared/copy.html", context, status=HTTPStatus.CONFLICT)
        return _with_origin(shown_again)
    return redirect(copied)


def _with_origin(response: HttpResponse) -> HttpResponse:
    response["Referrer-Policy"] = "same-origin"
    return response


def file_response(found: Kept) -> HttpResponse:
    """The bytes; nothing in them runs, and what is no image, sound or text is saved."""
    is_text = found.media_type == TEXT
    is_shown = is_text or found.media_type.startswith(_SHOWN_TYPES)
    media_type = found.media_type if is_shown else "application/octet-stream"
    response = HttpResponse(
        found.content, content_type=f"{TEXT}; charset=utf-8" if is_text else media_type
    )
    name = visible(found.name) or "content"
    response["Content-Disposition"] = content_disposition_header(not is_shown, name) or "inline"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response
