"""A router whose operations name the scope that they need."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja import Router, Schema
from ninja.responses import NinjaJSONEncoder

from tokens.access import Access
from tokens.models import Scope


def rendered(schema: type[Schema], shape: Any) -> bytes:
    """The body that an answer of this shape has."""
    values = schema.model_validate(shape).model_dump()
    return json.dumps(values, cls=NinjaJSONEncoder).encode()


View = TypeVar("View", bound=Callable[..., Any])


class ApiRequest(HttpRequest):
    """A request with a valid token."""

    user: User
    access: Access


class ScopeCheck:
    """Raises `ScopeMissing` unless the request's token allows this."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __call__(self, request: ApiRequest) -> Access:
        request.access.require(self.scope)
        return request.access


class Resource:
    """The operations of one kind of thing; `tag` is its heading in the documentation."""

    def __init__(self, tag: str) -> None:
        self.router = Router(tags=[tag])

    def get(self, path: str, scope: Scope, answer: Any, summary: str) -> Callable[[View], View]:
        return self._add("GET", path, scope, answer, summary)

    def content(
        self, path: str, scope: Scope, summary: str, media: str = "application/octet-stream"
    ) -> Callable[[View], View]:
        """A GET that answers a file, or a stream, of this media type."""
        return self._add("GET", path, scope, None, summary, media=media)

    def post(
        self, path: str, scope: Scope, answer: Any, summary: str, status: int = 200
    ) -> Callable[[View], View]:
        return self._add("POST", path, scope, answer, summary, status)

    def put(
        self, path: str, scope: Scope, answer: Any, summary: str, status: int = 200
    ) -> Callable[[View], View]:
        return self._add("PUT", path, scope, answer, summary, status)

    def patch(self, path: str, scope: Scope, answer: Any, summary: str) -> Callable[[View], View]:
        return self._add("PATCH", path, scope, answer, summary)

    def delete(
        self, path: str, scope: Scope, summary: str, answer: Any = None
    ) -> Callable[[View], View]:
        return self._add("DELETE", path, scope, answer, summary, 200 if answer else 204)

    def _add(
        self,
        method: str,
        path: str,
        scope: Scope,
        answer: Any,
        summary: str,
        status: int = 200,
        media: str = "",
    ) -> Callable[[View], View]:
        extra = {"x-scope": scope.value, **({"x-media": media} if media else {})}
        return self.router.api_operation(
            [method],
            path,
            auth=ScopeCheck(scope),
            response={status: answer},
            summary=summary,
            openapi_extra=extra,
        )
