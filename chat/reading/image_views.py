"""An image of another host, for who agreed to load it."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from chat.markdown.images import is_image_key
from chat.reading.remote_images import ImageUnavailable, fetch_image


@login_required
@require_GET
@cache_control(private=True, max_age=86_400)
def remote_image(request: HttpRequest) -> HttpResponse:
    """The image at `url`, which has to come with the key from the HTML of a message."""
    url = request.GET.get("url", "")
    if not is_image_key(url, request.GET.get("key", "")):
        raise Http404
    try:
        image = fetch_image(url)
    except ImageUnavailable as error:
        response = HttpResponse(str(error), "text/plain", HTTPStatus.BAD_GATEWAY)
        response["Cache-Control"] = "no-store"
        return response
    response = HttpResponse(image.content, content_type=image.media_type)
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response
