"""Every URL, for everybody, with an id of their own, of others, and of nobody.

Whatever is answered has no secret in it, is kept by no cache, and changes nothing for whom it is
not for. Each request is undone.
"""

import logging
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.test import Client, TestCase, override_settings
from django.urls import reverse

from tests.access import rows
from tests.access.admin_routes import admin_rules
from tests.access.routes import ARGUMENT, RULES, Route, Rule, own_routes, routes
from tests.access.rows import CANARY, ROLES, Rows, grant
from tests.responses import body_of

# Thousands of requests in a test.
pytestmark = [pytest.mark.process, pytest.mark.timeout(1200)]

METHODS = ("get", "post")
WRITES = ("INSERT", "UPDATE", "DELETE")
# Written for whoever comes: sessions, rate limits, what happened at the sign-in.
EVERYBODYS = (
    '"django_session"',
    '"cache"',
    '"audit_event"',
    '"auth_user" SET "last_login"',
)
# What differs between two answers of the same page: ids, and what is drawn for each.
DRAWN = re.compile(rb'[0-9a-f]{8}-[0-9a-f-]{27}|value="\w{64}"|nonce-[\w+/=-]+|nonce="[^"]+"')


class Writes:
    """The statements that wrote, as they were sent: what they wrote is not put into them, for which
    SQLite would be asked once more for each statement."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if sql.startswith(WRITES) and not any(x in sql for x in EVERYBODYS):
            self.statements.append(sql)
        return execute(sql, params, many, context)


class Visitor(Client):
    """Who keeps nothing of how a page was made: Django's client copies what each template gets."""

    def request(self, **request: Any) -> Any:
        return self.handler(self._base_environ(**request))  # type: ignore[attr-defined]  # the stubs lack it


class Heard(logging.Handler):
    """What is logged, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@override_settings(METRICS_TOKEN=CANARY, SHARED_LINKS="everybody")
class RoutesTests(TestCase):
    rows: ClassVar[Rows]

    @classmethod
    def setUpTestData(cls) -> None:
        cls.rows = rows.make()

    def setUp(self) -> None:
        self.clients = {role: self.client_of(role) for role in ROLES}
        self.heard = Heard()
        logging.getLogger().addHandler(self.heard)
        self.addCleanup(logging.getLogger().removeHandler, self.heard)

    def client_of(self, role: str, **options: Any) -> Client:
        client = Visitor(**options)
        if role != "anonymous":
            client.force_login(self.rows.people[role])
        return client

    def address(self, route: Route, rule: Rule, *, unknown: bool = False) -> str:
        given: dict[str, Any] = {
            "program": "curl",
            "name": "x",
            "rest": "models",
            "path": "nowhere",
        }
        given |= {"section": "general"}
        given |= self.rows.arguments.get(rule.of, {})
        if unknown:
            given |= {k: uuid.uuid4() for k, v in given.items() if isinstance(v, uuid.UUID)}
        if route.name == "admin:":
            return "/" + ARGUMENT.sub(lambda found: str(given[found[1]]), route.pattern)
        named = {name: given[name] for name in route.arguments}
        return reverse(route.name, kwargs=named) + rule.query

    def body(self, rule: Rule) -> dict[str, Any]:
        """What is posted; a key that is a row's becomes that row's id."""
        named = {"server": "public_id", "trace": "trace_id"}
        return {
            key: str(self.rows.arguments[key][named[key]]) if key in named else value
            for key, value in rule.body.items()
        }

    def ask(
        self, client: Client, method: str, address: str, rule: Rule
    ) -> tuple[HttpResponseBase, bytes, list[str]]:
        """The response, its content, and the statements that wrote; nothing of that stays."""
        writes = Writes()
        with transaction.atomic(), connection.execute_wrapper(writes):
            response = getattr(client, method)(address, self.body(rule) if method == "post" else {})
            content = body_of(response)
            transaction.set_rollback(True)
        return response, content, writes.statements

    def check(self, route: Route, rule: Rule, role: str, method: str, unknown: bool) -> bytes:
        """Asks; answers the content."""
        label = (route.name, rule.of, role, method, "unknown" if unknown else "known")
        address = self.address(route, rule, unknown=unknown)
        response, content, written = self.ask(self.clients[role], method, address, rule)
        expected = rule.status(role, method, unknown=unknown)
        assert response.status_code == expected, (label, response.status_code, expected)
        may_write = role in rule.who and not (unknown and method == "post")
        assert may_write or rule.is_conditional or not written, (label, written)
        headers = str(response.headers)
        assert not rule.is_private or "no-store" in headers, (label, headers)
        for secret in (CANARY, settings.SECRET_KEY, *settings.ENCRYPTION_KEYS):
            assert secret not in headers and secret.encode() not in content, (label, secret[:6])
        return content

    def cells(self, rule: Rule, route: Route) -> Iterator[tuple[str, str]]:
        if rule.permission:
            grant(self.rows.people["holder"], rule.permission)
        methods = [one for one in METHODS if getattr(rule, one)]
        return ((role, method) for role in ROLES for method in methods)

    def test_every_encrypted_field_has_a_planted_value(self) -> None:
        for model, field in rows.ENCRYPTED:
            values = model._default_manager.values_list(field.name, flat=True)
            assert CANARY in str(list(values)), (model, field.name)

    def test_every_route_has_a_rule(self) -> None:
        named = {route.name for route in own_routes()}
        assert named == set(RULES)
        assert len(routes()) == len(own_routes()) + len(admin_rules())

    def test_every_route_answers_everybody_as_its_rule_says(self) -> None:
        count = 0
        for route, rule in [(one, rule) for one in own_routes() for rule in RULES[one.name]]:
            for role, method in self.cells(rule, route):
                with self.subTest(route=route.name, of=rule.of, role=role, method=method):
                    known = self.check(route, rule, role, method, False)
                    count += 1
                    if route.names_a_row:
                        unknown = self.check(route, rule, role, method, True)
                        count += 1
                        is_theirs = role in rule.who or dict(rule.but).get(role)
                        assert is_theirs or DRAWN.sub(b"", known) == DRAWN.sub(b"", unknown)
        assert count > 1_800
        assert CANARY not in "".join(self.heard.lines)

    def test_every_page_of_the_admin_is_for_who_may_see_its_rows(self) -> None:
        count = 0
        for route, rule in admin_rules():
            for role, method in self.cells(rule, route):
                with self.subTest(route=route.pattern, role=role):
                    self.check(route, rule, role, method, False)
                    count += 1
        assert count > 400
        assert CANARY not in "".join(self.heard.lines)

    def test_no_change_is_made_without_a_csrf_token(self) -> None:
        for route in own_routes():
            for rule in [one for one in RULES[route.name] if one.post and one.has_csrf]:
                role = "superuser" if "superuser" in rule.who else sorted(rule.who)[0]
                browser = self.client_of(role, enforce_csrf_checks=True)
                with self.subTest(route=route.name, role=role):
                    found = self.ask(browser, "post", self.address(route, rule), rule)
                    response, content, written = found
                    assert (response.status_code, written) == (403, [])
                    assert b"CSRF" in content or b"form" in content

    def test_a_method_that_a_route_has_not_is_refused(self) -> None:
        for route in own_routes():
            rules = RULES[route.name]
            for method in [one for one in METHODS if not any(getattr(r, one) for r in rules)]:
                role = "superuser" if "superuser" in rules[0].who else sorted(rules[0].who)[0]
                if rules[0].permission:
                    grant(self.rows.people["holder"], rules[0].permission)
                with self.subTest(route=route.name, method=method):
                    address = self.address(route, rules[0])
                    response, _, written = self.ask(self.clients[role], method, address, rules[0])
                    assert (response.status_code, written) == (405, [])
