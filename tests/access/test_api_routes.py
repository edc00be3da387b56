"""Every operation of `/api`, for everybody, with a token of each scope, and with ids of nobody."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client, TestCase

from api.rest.description import describe, operations
from tests.access import rows
from tests.access.api_routes import ROLES, RULES, ApiRule
from tests.access.rows import CANARY, Rows
from tokens.models import Scope, Token

NAMES = re.compile(r"{(\w+)}")
pytestmark = [
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume"),
]


class ApiRoutesTests(TestCase):
    rows: ClassVar[Rows]
    tokens: ClassVar[dict[tuple[str, Scope], str]]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.rows = rows.make()
        cls.tokens = {
            (role, scope): Token.objects.make(cls.rows.people[role], role, [scope.value])[1]
            for role in ROLES
            for scope in Scope
        }

    def arguments(self, rule: ApiRule) -> dict[str, Any]:
        given = dict(self.rows.arguments.get(rule.of, {}))
        if rule.of in ("call", "question"):
            given["public_id"] = getattr(self.rows, rule.of)
        first = given.get("public_id") or given.get("trace_id")
        about = {"id": first, "span": given.get("span_id"), "stage": given.get("stage")}
        return {**about, "number": 1, "path": "quokka.txt", "share": uuid.uuid4()}

    def ask(
        self, name: str, secret: str, *, unknown: bool = False
    ) -> tuple[HttpResponseBase, bytes]:
        """Nothing of it stays."""
        rule, (method, path) = RULES[name], name.split()
        given = self.arguments(rule)
        if unknown:
            given = {key: uuid.uuid4() if key == "id" else one for key, one in given.items()}
        address = NAMES.sub(lambda found: str(given[found[1]]), path)
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        client = Client(headers=headers, raise_request_exception=False)
        body = b"" if rule.body is None else json.dumps(rule.body).encode()
        with transaction.atomic():
            response = client.generic(method, address, body, content_type="application/json")
            content = b"" if getattr(response, "streaming", False) else response.content
            transaction.set_rollback(True)
        return response, content

    def cells(self) -> Iterator[tuple[str, ApiRule, str]]:
        return ((name, rule, role) for name, rule in RULES.items() for role in ROLES)

    def test_every_operation_has_a_rule_with_its_scope(self) -> None:
        described = {
            f"{method.upper()} {address}": one["x-scope"]
            for address, method, one in operations(describe())
        }
        assert described == {name: rule.scope.value for name, rule in RULES.items()}

    def test_each_person_gets_what_the_rule_says(self) -> None:
        wrong = []
        for name, rule, role in self.cells():
            response, content = self.ask(name, self.tokens[role, rule.scope])
            if response.status_code != rule.expected(role):
                wrong.append((name, role, response.status_code, rule.expected(role), content[:90]))
            assert CANARY.encode() not in content, (name, role)
        assert not wrong, "\n".join(map(str, wrong))

    def test_a_token_of_any_other_scope_is_told_which_it_lacks(self) -> None:
        for name, rule in RULES.items():
            for scope in set(Scope) - {rule.scope}:
                response, content = self.ask(name, self.tokens["superuser", scope])
                assert response.status_code == 403, (name, scope)
                assert json.loads(content)["scope"] == rule.scope.value, (name, scope)

    def test_nobody_does_anything_without_a_token(self) -> None:
        for name in RULES:
            assert self.ask(name, "")[0].status_code == 401, name

    def test_an_id_of_nobody_is_not_there(self) -> None:
        for name, rule in RULES.items():
            if "{id}" in name:
                secret = self.tokens["superuser", rule.scope]
                response, _ = self.ask(name, secret, unknown=True)
                expected = rule.foreign if rule.scope != Scope.ADMIN else 404
                assert response.status_code == expected, name
