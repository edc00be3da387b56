"""The ASGI application of `/gateway/`: it stands before Django, and streams both ways.

address, framing ─► token ─► provider, row ─► limits ─► exchange (body, model) ─► recorder
"""

import re
import time
from collections import Counter
from functools import partial
from typing import Any

from django.utils import timezone

from api.gateway import access, headers, paths, quotas
from api.gateway.call import Call
from api.gateway.callers import Caller, Callers, Route, secret_in
from api.gateway.exchange import Exchange, Receive, Send
from api.gateway.recorder import Recorder
from api.gateway.refusals import BadRequest, NotPermitted, Refusal, TooMany, body_of
from limits.gateway import MAX_GATEWAY_CALLS, MAX_GATEWAY_SESSION_NAME

Scope = dict[str, Any]
Application = Any

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
# Version, trace id, parent id, flags (W3C Trace Context, 3.2).
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
_NO_ADDRESS = "This is no address of the gateway: /gateway/<provider>/v1/…"
_NO_PROVIDER = "There is no provider “{name}” with a model for you."


class Gateway:
    """Serves what is below `/gateway/`, and leaves the rest to `application`."""

    def __init__(self, application: Application, recorder: Recorder) -> None:
        self._application = application
        self._recorder = recorder
        self._callers = Callers()
        self._running: Counter[int] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(paths.PREFIX):
            await self._application(scope, receive, send)
            return
        try:
            await self._serve(scope, receive, send)
        except Refusal as refusal:
            await _answer(refusal, scope, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, started = time.perf_counter(), timezone.now()
        target = _target(scope)
        framing = _framing(scope)
        secret = _secret(scope)
        caller, route = await self._admit(secret, target.provider)
        call = self._call(scope, caller, route, target, secret)
        call.began, call.started = began, started
        passed_on = headers.upstream_headers(scope["headers"])
        call.request_headers = passed_on
        call.operation = access.operation_of(call)
        key = caller.user.pk
        if self._running[key] >= MAX_GATEWAY_CALLS:
            raise TooMany(f"At most {MAX_GATEWAY_CALLS} calls run at once.")
        self._running[key] += 1
        try:
            call.admission = await quotas.admit(call, self._recorder.last_of(key))
            check = partial(self._admit, secret, target.provider)
            await self._exchange(call, Exchange(call, passed_on, framing, receive, send, check))
        finally:
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]

    async def _admit(self, secret: str, provider: str) -> tuple[Caller, Route]:
        """Raises NotPermitted."""
        caller = await self._callers.of(secret)
        route = caller.routes.get(provider)
        if route is None:
            sentence = _NO_PROVIDER.format(name=provider)
            raise NotPermitted(sentence, 404, "provider_not_found")
        return caller, route

    async def _exchange(self, call: Call, exchange: Exchange) -> None:
        counts = self._recorder.counts
        counts.running += 1
        try:
            await exchange.run()
        finally:
            exchange.release()
            counts.running -= 1
            counts.passed_on += call.sent_at is not None
            call.ended_at = time.perf_counter()
            if call.sent_at is None:
                call.release()
                await quotas.take_back(call)
            else:
                self._recorder.put(call)

    def _call(
        self, scope: Scope, caller: Caller, route: Route, target: paths.Target, secret: str
    ) -> Call:
        query = scope["query_string"].decode("latin-1")
        url = route.base_url + target.path + (f"?{query}" if query else "")
        if secret in url:
            raise BadRequest("A token belongs into a header, not into an address.")
        return Call(
            caller=caller,
            route=route,
            secret=secret,
            method=scope["method"],
            url=url,
            target=target.path,
            session=_session(scope),
            client=headers.first(scope["headers"], b"user-agent"),
            budget=self._recorder.budget,
            request_headers=[],
        )


def _target(scope: Scope) -> paths.Target:
    target = paths.target_of(scope.get("raw_path") or scope["path"].encode())
    if target is None or not paths.is_query(scope["query_string"]):
        raise NotPermitted(_NO_ADDRESS, 404, "not_found")
    if scope["method"] not in METHODS:
        raise Refusal("This method is not passed on.", 405, "method_not_allowed")
    return target


def _framing(scope: Scope) -> headers.Framing:
    try:
        return headers.framing_of(scope["headers"])
    except headers.Smuggled as error:
        raise BadRequest(str(error)) from error


def _secret(scope: Scope) -> str:
    raw = scope["headers"]
    authorization = headers.first(raw, b"authorization")
    return secret_in(authorization, headers.first(raw, b"x-api-key"))


def _session(scope: Scope) -> str:
    """What groups the call with others of its caller. Raises BadRequest."""
    name = headers.first(scope["headers"], headers.SESSION.encode()).strip()
    if len(name) > MAX_GATEWAY_SESSION_NAME or not name.isprintable():
        raise BadRequest(f"X-Roundtrip-Session is a name of {MAX_GATEWAY_SESSION_NAME} characters.")
    if name:
        return name
    parent = _TRACEPARENT.fullmatch(headers.first(scope["headers"], b"traceparent").strip())
    return f"traceparent {parent[1]}" if parent else ""


async def _answer(refusal: Refusal, scope: Scope, send: Send) -> None:
    raw = scope["headers"]
    for_anthropic = any(name in (b"x-api-key", b"anthropic-version") for name, _ in raw)
    body = body_of(refusal, for_anthropic=for_anthropic)
    answered = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *refusal.headers(),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": answered})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
