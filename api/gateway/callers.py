"""Who calls, and which providers they may call: from the database, kept for a few seconds.

A call costs no statement while its token is known; a revoked token, a model that was taken away or
a new key of a provider takes effect within `MAX_GATEWAY_TOKEN_AGE_S`.
"""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from django.contrib.auth.models import User
from django.db import DatabaseError

from api.gateway.refusals import NotPermitted
from chat.llm.endpoint import is_anthropic
from chat.models import LanguageModel
from chat.quotas import rules
from db.threads import from_loop
from limits.api import MAX_TOKEN_SECRET
from limits.gateway import (
    MAX_GATEWAY_STALE_TOKEN_S,
    MAX_GATEWAY_TOKEN_AGE_S,
    MAX_GATEWAY_TOKEN_WAIT_S,
    MAX_GATEWAY_TOKENS,
)
from tokens.access import ScopeMissing, TokenRefused, access_of, bearer
from tokens.models import Scope, digest

Prices = dict[str, str]
Reading = asyncio.Future["Caller | NotPermitted"]


@dataclass(frozen=True)
class Route:
    """A provider as a caller reaches it. `base_url` ends with a slash. `prices` are those of its
    models, by name; `refused` are the names of models that are not for this caller.
    `shares_objects`: as of the provider."""

    provider: int
    name: str
    base_url: str
    protocol: str
    key: str = field(repr=False)
    models: dict[str, int]
    prices: dict[str, Prices]
    dialects: dict[str, str]
    refused: frozenset[str]
    shares_objects: bool = False

    @property
    def credentials(self) -> list[tuple[str, str]]:
        """The headers with the provider's key, as its clients send it."""
        if not self.key:
            return []
        if self.protocol != "anthropic":
            return [("authorization", f"Bearer {self.key}")]
        own = is_anthropic(self.base_url)
        bearer_too = [] if own else [("authorization", f"Bearer {self.key}")]
        return [("x-api-key", self.key), *bearer_too]


@dataclass(frozen=True)
class Caller:
    """`token_name` is what its owner called the token. `is_limited`: some rule limits what the
    person uses (`chat.quotas`)."""

    user: User
    token: str
    token_name: str
    routes: dict[str, Route]
    is_limited: bool = False


def secret_in(authorization: str, api_key: str) -> str:
    """The token of a request: `Authorization: Bearer`, or `x-api-key` as Anthropic's clients send
    it; "" if there is none."""
    return bearer(authorization) or api_key.strip()


@dataclass
class _Known:
    """What is known of a token since `at` (monotonic seconds), and the reading that replaces it."""

    answer: "Reading"
    at: float
    next: "Reading | None" = None

    @property
    def age(self) -> float:
        return time.monotonic() - self.at


class Callers:
    """The callers of the last seconds, for one event loop. Requests that come while one is being
    read wait for the same answer; who calls again and again never waits, since an answer is read
    anew when half of its time is over. While the database does not answer, the last answer counts
    a while longer: nobody can revoke a token then either."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, secret: str) -> Caller:
        """Raises NotPermitted."""
        if not secret or len(secret) > MAX_TOKEN_SECRET:
            raise NotPermitted(str(TokenRefused()))
        key = digest(secret)
        known = self._known.get(key)
        if known is None:
            known = self._add(key, _Known(_reading(secret), time.monotonic()))
        elif known.age > MAX_GATEWAY_TOKEN_AGE_S / 2 and known.next is None:
            known.next = _reading(secret)
            known.next.add_done_callback(partial(self._replace, key, known, time.monotonic()))
        caller = await self._answer(key, known)
        if isinstance(caller, NotPermitted):
            raise NotPermitted(str(caller), caller.status, caller.code)
        return caller

    async def _answer(self, key: str, known: _Known) -> "Caller | NotPermitted":
        if known.age <= MAX_GATEWAY_TOKEN_AGE_S or known.next is None:
            try:
                done = known.answer.done()
                return known.answer.result() if done else await asyncio.shield(known.answer)
            except DatabaseError:
                self._known.pop(key, None)
                raise
        try:
            async with asyncio.timeout(MAX_GATEWAY_TOKEN_WAIT_S):
                return await asyncio.shield(known.next)
        except (DatabaseError, TimeoutError):
            if known.age > MAX_GATEWAY_STALE_TOKEN_S:
                self._known.pop(key, None)
                raise
            if not known.answer.done():
                raise
            return known.answer.result()

    def _add(self, key: str, known: _Known) -> _Known:
        self._known[key] = known
        if len(self._known) > MAX_GATEWAY_TOKENS:
            self._known.popitem(last=False)
        return known

    def _replace(self, key: str, known: _Known, at: float, answer: "Reading") -> None:
        """Takes a new answer; after a reading that failed the next request reads again."""
        if answer.cancelled() or answer.exception() is not None:
            known.next = None
        elif self._known.get(key) is known:
            self._known[key] = _Known(answer, at)


def _reading(secret: str) -> "Reading":
    return asyncio.ensure_future(from_loop(_read, secret))


def _read(secret: str) -> Caller | NotPermitted:
    try:
        access = access_of(secret)
        access.require(Scope.CHAT)
    except TokenRefused as error:
        return NotPermitted(str(error))
    except ScopeMissing as error:
        return NotPermitted(str(error), 403, "insufficient_scope")
    token = access.token
    user = access.user
    is_limited = bool(rules.amounts_of(user.pk))
    return Caller(user, str(token.public_id), token.name, _routes(user), is_limited)


def _routes(user: User) -> dict[str, Route]:
    """By the slug in the URL, and by public id."""
    offered = list(LanguageModel.objects.for_user(user))
    providers = {model.provider_id: model.provider for model in offered}
    all_names = LanguageModel.objects.filter(provider__in=providers).values_list(
        "provider", "name", named=False
    )
    routes: dict[str, Route] = {}
    for provider in sorted(providers.values(), key=lambda one: one.pk):
        own = [model for model in offered if model.provider_id == provider.pk]
        names = {model.name for model in own}
        route = Route(
            provider=provider.pk,
            name=provider.name,
            base_url=_base_url(provider.endpoint, provider.protocol),
            protocol=provider.protocol,
            key=provider.api_key,
            models={model.name: model.pk for model in own},
            prices={model.name: _prices(model) for model in own},
            dialects={model.name: model.speaks for model in own},
            refused=frozenset(
                name for pk, name in all_names if pk == provider.pk and name not in names
            ),
            shares_objects=provider.shares_objects,
        )
        routes.setdefault(provider.slug, route)
        routes[str(provider.public_id)] = route
    return routes


def _base_url(endpoint: str, protocol: str) -> str:
    """With a slash at its end. The address of Anthropic's API is given without `/v1` or with it."""
    base = endpoint.rstrip("/")
    if protocol == "anthropic":
        base = base.removesuffix("/v1") + "/v1"
    return base + "/"


def _prices(model: LanguageModel) -> Prices:
    """US dollars for a million tokens, as texts; a price that is not set is left out."""
    prices: dict[str, Decimal | None] = {
        "in": model.price_in,
        "cached": model.price_cached,
        "out": model.price_out,
    }
    return {name: str(price) for name, price in prices.items() if price is not None}
