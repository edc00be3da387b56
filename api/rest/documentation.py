"""The description of the API, for programs and for people."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from api import problems
from limits.api import MAX_DOCUMENTED_NESTING
from tokens.models import Scope


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body."""

    name: str
    kind: str
    place: str = ""
    required: bool = False
    description: str = ""


@dataclass(frozen=True)
class Operation:
    key: str
    method: str
    address: str
    summary: str
    description: str
    scope: str
    parameters: list[Field]
    body: list[Field]
    media: str
    answers: list[tuple[str, str]]
    answer: list[Field]
    words: str


@dataclass(frozen=True)
class Group:
    name: str
    operations: list[Operation]


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """Public: it names nothing of this deployment."""
    headers = {"Cache-Control": "public, max-age=300"}
    return HttpResponse(_document(), content_type="application/json", headers=headers)


@login_required
@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    context = {"groups": _groups(), "kinds": problems.KINDS, "scopes": list(Scope)}
    return render(request, "api/documentation.html", context)


@cache
def _document() -> bytes:
    # Loaded with the first request: see `entry`.
    described = import_module("api.rest.description").describe()
    return json.dumps(described, separators=(",", ":")).encode()


def _groups() -> list[Group]:
    described = json.loads(_document())
    shown: dict[str, list[Operation]] = {tag["name"]: [] for tag in described["tags"]}
    for address, methods in described["paths"].items():
        for method, one in methods.items():
            shown[one["tags"][0]].append(_operation(address, method, one, described))
    return [Group(name, operations) for name, operations in shown.items()]


def _operation(address: str, method: str, one: dict[str, Any], described: Any) -> Operation:
    parameters = [
        Field(
            parameter["name"],
            _kind(parameter["schema"]),
            parameter["in"],
            parameter.get("required", False),
            _plain(parameter.get("description", "")),
        )
        for parameter in one["parameters"]
    ]
    content: dict[str, Any] = one.get("requestBody", {}).get("content", {})
    media = next(iter(content), "")
    body = content.get(media, {})
    answers = [(status, _answer(answer)) for status, answer in sorted(one["responses"].items())]
    success = next(value for status, value in one["responses"].items() if status < "3")
    shape = success.get("content", {}).get("application/json", {}).get("schema", {})
    about = _plain(one.get("description", ""))
    return Operation(
        key=one["operationId"],
        method=method.upper(),
        address=address,
        summary=one["summary"],
        description=about,
        scope=one["x-scope"],
        parameters=parameters,
        body=list(_fields(body.get("schema", {}), described)),
        media=media,
        answers=answers,
        answer=list(_fields(shape, described)),
        words=f"{method} {address} {one['summary']} {about} {one['x-scope']}".lower(),
    )


def _fields(schema: dict[str, Any], described: Any, prefix: str = "") -> Iterator[Field]:
    """The members of an object, with those of objects in it by their paths."""
    schema = _resolved(schema, described)
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield Field(
            path, _kind(member), "", name in required, _plain(member.get("description", ""))
        )
        inner = member.get("items", member)
        for choice in (inner, *inner.get("anyOf", ())):
            nested = _resolved(choice, described)
            if "properties" in nested and path.count(".") < MAX_DOCUMENTED_NESTING:
                dots = f"{path}[]." if "items" in member else f"{path}."
                yield from _fields(nested, described, dots)


def _plain(text: str) -> str:
    """Without the marks of Markdown, which clients of the description know."""
    return text.replace("`", "")


def _resolved(schema: dict[str, Any], described: Any) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = described["components"]["schemas"][name] if name else schema
    return found


def _kind(schema: dict[str, Any]) -> str:
    """What a value is, in a few words."""
    if "$ref" in schema:
        return "object"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any")


def _answer(answer: dict[str, Any]) -> str:
    name = answer.get("$ref", "").rpartition("/")[2]
    return next((kind.title for kind in problems.KINDS if kind.name == name), "") or str(
        answer.get("description", "")
    )
