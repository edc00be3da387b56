"""The description of all operations (OpenAPI 3.1), made of them."""

import json
from collections.abc import Iterator
from typing import Any

from api import problems
from api.rest.operations import api
from tokens.models import Scope

SECURITY = "token"
METHODS = ("get", "post", "put", "patch", "delete")
ABOUT = """\
What Roundtrip's pages can do, for programs. A request has a token (made under Settings) as \
`Authorization: Bearer rt_…`; each operation names the scope that it needs.

- **Problems** are `application/problem+json` (RFC 9457); `type` leads to its description.
- **Lists** have `items` and `next`, which is the `cursor` of the next page.
- **A POST** with an `Idempotency-Key` may be sent again for 24 hours: it is done once.
- **A GET** has an `ETag`; with `If-None-Match` it answers 304 while nothing has changed. A PATCH \
with `If-Match` answers 412 if something has.
"""
# Operations that answer no JSON, by operation id: media type and description of the answer.
STREAMS = "text/event-stream"
BYTES = "application/octet-stream"
_PROBLEMS_OF_ALL = (problems.UNAUTHENTICATED, problems.SCOPE_MISSING, problems.LIMIT_REACHED)


def describe() -> dict[str, Any]:
    """The document."""
    described: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/api")))
    described["info"]["description"] = ABOUT
    described["servers"] = [{"url": "/", "description": "This server"}]
    components = described["components"]
    components["schemas"]["Problem"] = _problem_schema()
    scopes = ", ".join(f"`{scope.value}`" for scope in Scope)
    components["securitySchemes"] = {
        SECURITY: {
            "type": "http",
            "scheme": "bearer",
            "description": f"A token of a person, with scopes: {scopes}.",
        }
    }
    components["responses"] = {kind.name: _problem_answer(kind) for kind in problems.KINDS}
    for _address, method, operation in operations(described):
        _complete(method, operation)
    described["tags"] = [{"name": name} for name in tags(described)]
    return described


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Address, method and operation of each, in the order of the document."""
    for address, methods in described["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield address, method, operation


def tags(described: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(one["tags"][0] for _, _, one in operations(described)))


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Adds its scope, the problems that it may answer, and the headers that it takes."""
    scope = operation["x-scope"]
    operation["security"] = [{SECURITY: [scope]}]
    media = operation.pop("x-media", None)
    if media is not None:
        schema = {"type": "string"} if media == STREAMS else {}
        operation["responses"]["200"]["content"] = {media: {"schema": schema}}
    kinds = [*_PROBLEMS_OF_ALL]
    if any(one["in"] == "path" for one in operation["parameters"]):
        kinds.append(problems.NOT_FOUND)
    if operation["parameters"] or "requestBody" in operation:
        kinds.append(problems.INVALID)
    if "requestBody" in operation:
        kinds += [problems.MALFORMED, problems.TOO_LARGE]
    if method == "patch":
        kinds.append(problems.PRECONDITION)
        operation["parameters"].append(_header("If-Match", "Only if its ETag is this one."))
    if method == "post":
        kinds.append(problems.CONFLICT)
        operation["parameters"].append(
            _header("Idempotency-Key", "A key of yours: sent again, it is done once.")
        )
    if media == STREAMS:
        operation["parameters"].append(
            _header("Last-Event-ID", "Go on after this event of an earlier stream.")
        )
    elif method == "get":
        operation["parameters"].append(_header("If-None-Match", "The ETag that is known."))
        operation["responses"]["304"] = {"description": "Not changed"}
    for kind in kinds:
        reference = {"$ref": f"#/components/responses/{kind.name}"}
        operation["responses"].setdefault(str(kind.status), reference)


def _header(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string"}
    return {
        "in": "header",
        "name": name,
        "schema": schema,
        "required": False,
        "description": description,
    }


def _problem_answer(kind: problems.Kind) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": f"{kind.title}: {kind.meaning}",
        "content": {problems.CONTENT_TYPE: {"schema": schema}},
    }


def _problem_schema() -> dict[str, Any]:
    text = {"type": "string"}
    errors = {"type": "object", "properties": {"where": text, "why": text}}
    return {
        "type": "object",
        "title": "Problem",
        "description": "Why a request is refused (RFC 9457).",
        "required": ["type", "title", "status", "detail", "instance"],
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": text,
            "status": {"type": "integer"},
            "detail": text,
            "instance": {"type": "string", "format": "uri-reference"},
            "errors": {"type": "array", "items": errors},
            "scope": text,
            "limit": text,
            "left": {"type": "number"},
            "opens_at": {"type": "string", "format": "date-time"},
        },
    }
