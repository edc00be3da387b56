"""The addresses of `/v1`. A request is read, run and answered without a thread of its own."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from api.authentication import authenticate
from api.openai import (
    answerers,
    answering,
    chat_request,
    response_answer,
    response_request,
    sending,
)
from api.openai.answering import Wishes
from api.openai.call import Call
from api.openai.errors import OpenAIError, error_of, not_found, refused
from api.openai.outcome import read
from api.openai.response_request import response_id, turn_of
from chat.commands.stop import stop_turn
from chat.models import Turn
from db.threads import from_loop
from tokens.access import Access
from tokens.models import Scope

# Bytes of a body that is read on the event loop; a longer one would hold up the others.
SHORT_BODY = 64 * 1024
T = TypeVar("T")
View = Callable[..., Coroutine[Any, Any, HttpResponseBase]]


def _address(scope: Scope, *methods: str) -> Callable[[View], View]:
    """A view of these methods for a token with this scope: it is given an `Access`."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        async def answered(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
            try:
                access = await from_loop(authenticate, request, scope)
                if request.method not in methods:
                    raise _no_method(methods)
                response = await view(request, access, **arguments)
            except Exception as error:
                response = error_of(error).response()
            response["Cache-Control"] = "private, no-store"
            response["X-Content-Type-Options"] = "nosniff"
            return response

        return answered

    return decorate


def _no_method(methods: tuple[str, ...]) -> OpenAIError:
    message = f"This address takes {', '.join(methods)}."
    headers = {"Allow": ", ".join(methods)}
    return OpenAIError(405, message, code="method_not_allowed", headers=headers)


@_address(Scope.CHAT, "GET")
async def models(request: HttpRequest, access: Access) -> HttpResponseBase:
    listed = await from_loop(answerers.listed, access.user)
    return JsonResponse({"object": "list", "data": [one.described() for one in listed]})


@_address(Scope.CHAT, "GET")
async def model(request: HttpRequest, access: Access, name: str) -> HttpResponseBase:
    found = await from_loop(answerers.find, access.user, name)
    return JsonResponse(found.described())


@_address(Scope.CHAT, "POST")
async def chat_completions(request: HttpRequest, access: Access) -> HttpResponseBase:
    shows = _shows_tools(request)
    _, call = await _read(request, lambda body: chat_request.read(body, with_tools=shows))
    return await answering.answer(access, call, Wishes.read(request))


@_address(Scope.CHAT, "POST")
async def responses(request: HttpRequest, access: Access) -> HttpResponseBase:
    shows = _shows_tools(request)
    body, call = await _read(request, lambda body: response_request.read(body, with_tools=shows))
    return await answering.answer(access, call, Wishes.read(request), body.get("input"))


@_address(Scope.CHAT, "GET", "DELETE")
async def response(request: HttpRequest, access: Access, name: str) -> HttpResponseBase:
    turn = turn_of(name)
    for parameter in request.GET:
        if not (parameter == "stream" and request.GET[parameter] in ("false", "False")):
            raise refused(parameter, f"“{parameter}” is not supported here.")
    if request.method == "DELETE":
        await from_loop(_forget, access.user, turn)
        return JsonResponse({"id": response_id(turn), "object": "response", "deleted": True})
    return JsonResponse(await from_loop(_described, access.user, turn))


@_address(Scope.CHAT, "POST")
async def cancel(request: HttpRequest, access: Access, name: str) -> HttpResponseBase:
    turn = turn_of(name)
    await from_loop(sending.find_outcome, access.user, turn)
    await from_loop(stop_turn, access.user, turn)
    return JsonResponse(await from_loop(_described, access.user, turn))


@_address(Scope.CHAT, "GET", "POST", "PUT", "PATCH", "DELETE")
async def nothing(request: HttpRequest, access: Access, rest: str) -> HttpResponseBase:
    what = f"There is no /v1/{rest[:100]} here: models, chat/completions and responses."
    raise not_found(what, "unknown_url")


def _described(user: User, turn: Any) -> dict[str, Any]:
    row, _ = sending.find_outcome(user, turn)
    outcome = read(row.turn, with_tools=row.with_tools)
    return response_answer.document(row.turn, row, outcome)


def _forget(user: User, turn: Any) -> None:
    """The response is not to be read any more; conversation and trace stay."""
    row, _ = sending.find_outcome(user, turn)
    if Turn.objects.open().filter(pk=row.turn_id).exists():
        stop_turn(user, turn)
    row.is_stored = False
    row.save(update_fields=["is_stored"])


def _shows_tools(request: HttpRequest) -> bool:
    value = request.headers.get("X-Roundtrip-Show-Tools", "0")
    if value not in ("0", "1"):
        raise refused("X-Roundtrip-Show-Tools", "The header X-Roundtrip-Show-Tools is 0 or 1.")
    return value == "1"


async def _read(
    request: HttpRequest, read: Callable[[object], Call]
) -> tuple[dict[str, Any], Call]:
    body = request.read()  # `BodyLimit` bounds it
    if len(body) <= SHORT_BODY:
        return _parsed(body, read)
    return await asyncio.to_thread(_parsed, body, read)


def _parsed(content: bytes, read: Callable[[object], Call]) -> tuple[dict[str, Any], Call]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise OpenAIError(400, "The body is not JSON.", code="invalid_json") from error
    return body, read(body)
