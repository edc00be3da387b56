"""The endpoints of OAuth one by one: what a program may not do."""

import base64
import hashlib
import html
import json
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from django.contrib.auth.models import User
from django.test import Client

from api.oauth import clients, documents
from tests.signing_in import signed_in
from tokens.programs.commands import register
from tokens.programs.models import Connection, OAuthClient

pytestmark = pytest.mark.postgres

VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=")
REDIRECT = "http://127.0.0.1/callback"
DOCUMENT = "https://program.example/client.json"
BAD_REDIRECTS = [
    "javascript:alert(1)",
    "data:text/html,x",
    "http://program.example/callback",
    "https://user@program.example/",
    "https://program.example/#fragment",
    "https:///nowhere",
    "https://program.example\\@evil.example/",
    "https://pro gram.example/",
    "/callback",
    "",
    7,
]


@pytest.fixture
def person(db: None) -> Client:
    return signed_in(User.objects.create_user("owner"))


@pytest.fixture
def program(db: None) -> OAuthClient:
    return register("Program", [REDIRECT])


def address(program: OAuthClient, **given: str) -> str:
    asked = {
        "client_id": program.client_id,
        "redirect_uri": REDIRECT,
        "response_type": "code",
        "code_challenge": CHALLENGE.decode(),
        "code_challenge_method": "S256",
        "state": "s",
        **given,
    }
    return f"/oauth2/authorize?{urlencode(asked)}"


def answered(location: str) -> dict[str, str]:
    return {name: one[0] for name, one in parse_qs(urlsplit(location).query).items()}


def code_of(person: Client, program: OAuthClient, **given: str) -> str:
    answer = person.post(address(program, **given), {"decision": "allow"})
    return answered(answer["Location"])["code"]


def exchange(program: OAuthClient, code: str, **given: str) -> Any:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": program.client_id,
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
        **given,
    }
    return Client().post("/oauth2/token", form)


def test_who_is_not_signed_in_signs_in_first(program: OAuthClient) -> None:
    answer = Client().get(address(program))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_an_address_that_is_not_the_programs_gets_nothing(
    person: Client, program: OAuthClient
) -> None:
    for uri in (
        "https://evil.example/",
        "http://127.0.0.1/other",
        "http://127.0.0.1.evil/callback",
    ):
        answer = person.post(address(program, redirect_uri=uri), {"decision": "allow"})
        assert answer.status_code == 400
        assert "Location" not in answer
    assert (
        person.get(address(program, redirect_uri="http://127.0.0.1:7/callback")).status_code == 200
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
    ],
)
def test_a_request_that_cannot_be_allowed_is_a_page_and_no_redirect(
    given: dict[str, str], error: str, person: Client, program: OAuthClient
) -> None:
    for answer in (
        person.get(address(program, **given)),
        person.post(address(program, **given), {"decision": "deny"}),
    ):
        assert answer.status_code == 400 and "Location" not in answer
    link = re.search(r'href="(http://127[^"]*)"', answer.content.decode())
    assert link is not None
    back = answered(html.unescape(link[1]))
    assert (back["error"], back["state"]) == (error, "s")


def test_a_code_is_for_its_program_address_and_verifier(
    person: Client, program: OAuthClient
) -> None:
    code, other = code_of(person, program), register("Other", [REDIRECT])
    for given in (
        {"code_verifier": "w" * 50},
        {"redirect_uri": "http://127.0.0.1:9/callback"},
        {"client_id": other.client_id},
        {"resource": "https://elsewhere.example/mcp"},
    ):
        assert exchange(program, code, **given).status_code == 400
    assert exchange(program, code).status_code == 200


def test_a_code_that_comes_twice_ends_what_it_was_exchanged_for(
    person: Client, program: OAuthClient
) -> None:
    code = code_of(person, program, scope="traces chat admin")
    assert exchange(program, code).json()["scope"] == "chat traces"
    assert exchange(program, code).json()["error"] == "invalid_grant"
    assert not Connection.objects.open().exists()


def test_the_form_may_lead_to_the_program_alone(person: Client, program: OAuthClient) -> None:
    policy = person.get(address(program))["Content-Security-Policy"]
    assert "form-action 'self' http://127.0.0.1;" in f"{policy};"


def test_no_answer_counts_without_a_csrf_token(program: OAuthClient, person: Client) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get())
    assert browser.post(address(program), {"decision": "allow"}).status_code == 403


@pytest.mark.parametrize("uri", BAD_REDIRECTS)
def test_a_program_does_not_register_with_such_an_address(uri: Any, db: None) -> None:
    body = {"client_name": "Program", "redirect_uris": [uri]}
    answer = Client().post("/oauth2/register", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")


def test_registration_is_limited(db: None) -> None:
    body = {"client_name": "Program", "redirect_uris": ["cursor://callback"]}
    answers = [
        Client().post("/oauth2/register", body, content_type="application/json").status_code
        for _ in range(21)
    ]
    assert answers == [201] * 20 + [429]


def served(document: Any, status: int = 200) -> httpx2.MockTransport:
    async def body() -> AsyncIterator[bytes]:
        yield json.dumps(document).encode()

    return httpx2.MockTransport(lambda request: httpx2.Response(status, content=body()))


def test_the_document_of_a_program_is_read_and_has_to_be_its_own() -> None:
    described = {"client_id": DOCUMENT, "client_name": "Program", "redirect_uris": [REDIRECT]}
    assert clients.read_metadata(documents.read(DOCUMENT, served(described))) == (
        "Program",
        [REDIRECT],
    )
    others: tuple[Any, ...] = ({**described, "client_id": "https://other.example/x"}, [])
    for wrong in (*others, "x" * 20_000):
        with pytest.raises(documents.Unreadable):
            documents.read(DOCUMENT, served(wrong))
    with pytest.raises(documents.Unreadable):
        documents.read(DOCUMENT, served(described, 302))


@pytest.mark.parametrize(
    "where",
    ["https://127.0.0.1/client.json", "https://169.254.169.254/latest", "https://10.0.0.1/c"],
)
def test_no_document_is_read_from_within_this_network(where: str, person: Client) -> None:
    answer = person.get(f"/oauth2/authorize?{urlencode({'client_id': where})}")
    assert answer.status_code == 400
    assert b"where this server may not be" in answer.content


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "resource", "scope"])
@pytest.mark.parametrize("text", ["a\0b", "https://a\0b.example/x", "x" * 5_000])
def test_no_parameter_is_an_error_of_the_server(
    person: Client, program: OAuthClient, name: str, text: str
) -> None:
    assert person.get(address(program, **{name: text})).status_code in (200, 302, 400)
    tokens = {"grant_type": "authorization_code", "client_id": program.client_id, name: text}
    assert person.post("/oauth2/token", tokens).status_code == 400
    assert person.post("/oauth2/revoke", {"token": text}).status_code == 200
