"""What an id in the address of an operation of `/api` names, by the operation's address.

Which scope an operation needs it says itself (`x-scope` of the description). An address with an id
and without a rule here fails `test_api_strangers`.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.test import RequestFactory

from api.rest.description import METHODS
from api.rest.documentation import openapi
from tests.access.rows import Rows

# Who comes with what; nobody of them is let in.
STRANGERS = ("nobody", "unknown", "expired", "revoked", "inactive", "session")


@dataclass(frozen=True)
class Operation:
    method: str
    address: str
    scope: str

    @property
    def names_a_row(self) -> bool:
        return "{id}" in self.address

    def filled(self, row: Any) -> str:
        """The address with this id; what stands beside it names nothing."""
        named = {"{id}": row, "{share}": row, "{span}": row}
        address = self.address.replace("{path}", "a.txt").replace("{number}", "1")
        for name, value in named.items():
            address = address.replace(name, str(value))
        return address.replace("{stage}", "request")


@cache
def operations() -> tuple[Operation, ...]:
    response = openapi(RequestFactory().get("/api/openapi.json"))
    described = json.loads(response.content)
    return tuple(_operations(described["paths"]))


def _operations(paths: Any) -> Iterator[Operation]:
    for address, methods in paths.items():
        for method, one in methods.items():
            if method in METHODS:
                yield Operation(method, address, one["x-scope"])


def _of(name: str) -> Callable[[Rows], Any]:
    return lambda rows: next(iter(rows.arguments[name].values()))


# By the beginning of the address: a row of the owner's, which is nobody's for `other`.
ROWS: dict[str, Callable[[Rows], Any]] = {
    "/api/conversations/{id}": lambda rows: rows.conversation,
    "/api/messages/{id}": _of("message"),
    "/api/turns/{id}": lambda rows: rows.turn,
    "/api/calls/{id}": lambda rows: rows.call,
    "/api/questions/{id}": lambda rows: rows.question,
    "/api/attachments/{id}": _of("attachment"),
    "/api/projects/{id}": _of("project"),
    "/api/project-files/{id}": _of("project_file"),
    "/api/assistants/{id}": _of("preset"),
    "/api/models/{id}": _of("withheld_model"),
    "/api/prompts/{id}": _of("prompt"),
    "/api/traces/{id}": _of("trace"),
    "/api/cassettes/{id}": _of("provider"),
}


def row_of(operation: Operation) -> Callable[[Rows], Any] | None:
    """What the id of its address names; None without a rule."""
    beginning = operation.address[: operation.address.index("{id}") + len("{id}")]
    return ROWS.get(beginning)
