"""The cassette endpoint: an OpenAI-compatible model behind real HTTP, without a model."""

import asyncio
import json
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from chat.cassettes import builtin, walkthrough
from chat.cassettes.text_cassette import chunks

WORD_CHARACTERS = 4


@csrf_exempt  # no cookie is looked at: the caller shows a bearer key
@require_POST
async def completions(request: HttpRequest) -> HttpResponseBase:
    """`POST /cassettes/walkthrough/v1/chat/completions`, streamed."""
    if not await _is_allowed(request):
        return _error(401, "This endpoint answers Roundtrip itself; the key is not right.")
    try:
        messages = json.loads(request.body)["messages"]
        pieces = walkthrough.answer(messages)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _error(400, "The body has to be a JSON object with a list of messages.")
    prompt_tokens = sum(len(str(m.get("content"))) for m in messages) // WORD_CHARACTERS
    events = chunks(walkthrough.MODEL, pieces, prompt_tokens)
    return StreamingHttpResponse(
        _paced(events), content_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _is_allowed(request: HttpRequest) -> bool:
    provider = await sync_to_async(builtin.find)(walkthrough.MODEL)
    return provider is not None and builtin.is_allowed(request.headers, provider)


async def _paced(events: object) -> AsyncIterator[bytes]:
    assert hasattr(events, "__iter__")
    for event in events:
        yield event
        await asyncio.sleep(settings.CASSETTE_PACE)


def _error(status: int, sentence: str) -> HttpResponse:
    return JsonResponse({"error": {"message": sentence, "type": "cassette"}}, status=status)
