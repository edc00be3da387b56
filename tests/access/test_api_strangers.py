"""Every operation of `/api`, from everybody: with tokens that count and that do not."""

import uuid
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from django.test import Client, TestCase
from django.utils import timezone

from tests.access import rows
from tests.access.api_strangers import STRANGERS, Operation, operations, row_of
from tests.access.rows import CANARY, Rows
from tokens.models import Scope, Token

pytestmark = pytest.mark.process

SCOPES = [scope.value for scope in Scope]


class OperationsTests(TestCase):
    rows: ClassVar[Rows]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.rows = rows.make()

    def client_of(self, who: str, scopes: list[str] | None = None, **columns: Any) -> Client:
        user = self.rows.people[who]
        secret = Token.objects.make(user, "program", scopes or SCOPES, **columns)[1]
        return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})

    def strangers(self) -> dict[str, Client]:
        """Who has no token that counts."""
        past = timezone.now() - timedelta(minutes=1)
        session = Client(raise_request_exception=False)
        session.force_login(self.rows.people["superuser"])
        return {
            "nobody": Client(raise_request_exception=False),
            "unknown": Client(headers={"Authorization": f"Bearer rt_{uuid.uuid4().hex}"}),
            "expired": self.client_of("owner", expires=past),
            "revoked": self.client_of("owner", revoked=past),
            "inactive": self.client_of("inactive"),
            "session": session,
        }

    def ask(self, client: Client, operation: Operation, row: Any) -> tuple[int, str]:
        """Status and content, without the id that was asked for."""
        options: dict[str, Any] = {"data": "{}", "content_type": "application/json"}
        given = {} if operation.method == "get" else options
        response = getattr(client, operation.method)(operation.filled(row), **given)
        content = b"" if response.streaming else response.content
        return response.status_code, content.decode(errors="replace").replace(str(row), "")

    def test_every_operation_with_an_id_has_a_rule(self) -> None:
        named = [one for one in operations() if one.names_a_row]
        assert [one.address for one in named if row_of(one) is None] == []
        assert len(named) > 40

    def test_nobody_is_let_in_without_a_token_that_counts(self) -> None:
        strangers = self.strangers()
        assert set(strangers) == set(STRANGERS)
        for operation in operations():
            for who, client in strangers.items():
                with self.subTest(operation=operation, who=who):
                    status, content = self.ask(client, operation, uuid.uuid4())
                    assert (status, CANARY in content) == (401, False)

    def test_a_token_does_what_its_scopes_allow_and_nothing_else(self) -> None:
        narrow = {
            scope: self.client_of("superuser", [one for one in SCOPES if one != scope])
            for scope in SCOPES
        }
        for operation in operations():
            with self.subTest(operation=operation):
                status, content = self.ask(narrow[operation.scope], operation, uuid.uuid4())
                assert (status, CANARY in content) == (403, False)

    def test_what_is_ones_own_is_answered(self) -> None:
        """So that what others are refused is there."""
        owner = self.client_of("owner")
        plain = [
            one for one in operations() if one.method == "get" and one.address.endswith("{id}")
        ]
        for operation in plain:
            find = row_of(operation)
            assert find is not None
            with self.subTest(operation=operation):
                assert self.ask(owner, operation, find(self.rows))[0] == 200
        assert len(plain) >= 9

    def test_what_is_anothers_is_answered_as_what_is_nobodys(self) -> None:
        other = self.client_of("other")
        for operation in [one for one in operations() if one.names_a_row]:
            find = row_of(operation)
            assert find is not None
            with self.subTest(operation=operation):
                theirs = self.ask(other, operation, find(self.rows))
                assert theirs == self.ask(other, operation, uuid.uuid4())
                assert theirs[0] >= 400 and CANARY not in theirs[1]
