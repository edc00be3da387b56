"""The description of the API, and its page."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

from api.rest.description import METHODS
from tests.signing_in import signed_in

pytestmark = pytest.mark.long


@pytest.fixture
def described(db: None) -> Any:
    return Client().get("/api/openapi.json").json()


def operations(described: Any) -> list[tuple[str, Any]]:
    return [
        (f"{method} {address}", one)
        for address, methods in described["paths"].items()
        for method, one in methods.items()
        if method in METHODS
    ]


def test_the_description_is_openapi_3_1(described: Any) -> None:
    assert described["openapi"].startswith("3.1")
    assert list(OpenAPIV31SpecValidator(described).iter_errors()) == []


def test_every_operation_says_what_it_needs_and_how_it_refuses(described: Any) -> None:
    for name, one in operations(described):
        assert one["summary"], name
        assert one["security"] == [{"token": [one["x-scope"]]}], name
        assert {"401", "403"} <= one["responses"].keys(), name


def test_operations_have_names_of_their_own(described: Any) -> None:
    names = [one["operationId"] for _, one in operations(described)]
    assert len(set(names)) == len(names)


def test_the_page_has_every_operation(described: Any) -> None:
    browser = signed_in(User.objects.create_user("owner"))
    page = browser.get("/api/docs").content.decode()
    for name, one in operations(described):
        assert f'id="{one["operationId"]}"' in page, name


def test_the_page_explains_every_type_of_problem(db: None) -> None:
    browser = signed_in(User.objects.create_user("owner"))
    refused = Client().get("/api/conversations").json()["type"]
    anchor = re.escape(refused.partition("#")[2])
    assert re.search(f'id="{anchor}"', browser.get("/api/docs").content.decode())


def test_the_page_is_for_who_is_signed_in(db: None) -> None:
    assert Client().get("/api/docs").status_code == 302
