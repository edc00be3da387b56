"""`/cassettes/<name>/v1/…`: uploaded cassettes as endpoints, for this server's own workers."""

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from chat.cassettes import builtin
from chat.cassettes.answers import Reply, answer, error, models, paced
from chat.cassettes.library import Library

PROTOCOLS = {"chat/completions": "openai", "messages": "anthropic"}
NOT_RIGHT = "This endpoint answers Roundtrip itself; the key is not right."
NOT_HERE = "There is nothing at this path; POST to chat/completions or messages."


@csrf_exempt  # reads no cookie: the caller sends a bearer key
@require_http_methods(["GET", "POST"])
async def serve(request: HttpRequest, name: str, rest: str) -> HttpResponseBase:
    """Answers as recorded. Without the key, known and unknown names get the same answer."""
    protocol = PROTOCOLS.get(rest, "openai")
    library = await sync_to_async(_allowed)(request, name)
    if library is None:
        return _response(error(protocol, 401, NOT_RIGHT))
    if request.method == "GET" and rest == "models":
        return _response(models(library))
    if request.method != "POST" or rest not in PROTOCOLS:
        return _response(error(protocol, 404, NOT_HERE))
    body, speed = request.body, settings.CASSETTE_SPEED
    return _response(await sync_to_async(answer)(library, protocol, body, speed))


def _allowed(request: HttpRequest, name: str) -> Library | None:
    provider = builtin.find(name)
    if provider is None or not builtin.is_allowed(request.headers, provider):
        return None
    return builtin.library(provider)


def _response(reply: Reply) -> HttpResponseBase:
    """The whole response if all of it is due; else a stream."""
    headers = {**dict(reply.headers), "Cache-Control": "no-store"}
    is_due = all(due == 0 for due, _ in reply.plan)
    if is_due and not reply.breaks:
        return HttpResponse(reply.body, status=reply.status, headers=headers)
    return StreamingHttpResponse(paced(reply), status=reply.status, headers=headers)
