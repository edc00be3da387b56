"""Doubtful addresses, framing and credentials; who goes away in mid-call."""

import socket
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from django.contrib.auth.models import Group, User

from api.gateway import paths
from api.tests.gateway.conftest import KEY, Person, Served
from api.tests.gateway.upstream import Upstream
from chat.models import LanguageModel, Provider
from tests import patience
from tests.slowness import slowness
from tokens.models import Scope, Token
from tracing.models import Span

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def raw(url: str, data: bytes) -> bytes:
    """Everything that is answered to these bytes."""
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as connection:
        connection.sendall(data)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


def eventually(condition: Callable[[], bool], seconds: float = patience.SECONDS) -> bool:
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while not (met := condition()) and time.monotonic() < deadline:
        pause.wait(0.01)
    return met


@pytest.mark.parametrize(
    "path",
    [
        "../admin",
        "a/../../b",
        "a/./b",
        "a//b",
        "%2e%2e/admin",
        "a/%2E%2e/b",
        "a%2fb",
        "a%5Cb",
        "a%252e",
        "a%00b",
        "a%0d%0aX:1",
        "a\\b",
        "a%zz",
        "//evil.example/x",
        "..;/admin",
        "a/.;x=1/b",
        "a%3bb",
        "a%c0%afb",
    ],
)
def test_a_doubtful_path_is_no_address(path: str) -> None:
    assert paths.target_of(f"/gateway/hostile/v1/{path}".encode()) is None


@pytest.mark.parametrize("path", ["models", "models/org/name", "files/f-1:x", "a%20b/c@d", "x/"])
def test_an_ordinary_path_is_passed_on_as_it_is(path: str) -> None:
    target = paths.target_of(f"/gateway/hostile/v1/{path}".encode())
    assert target == paths.Target("hostile", path)


def test_an_absolute_url_goes_to_the_same_provider(anna: Person, upstream: Upstream) -> None:
    path = urlsplit(anna.base).path
    head = f"GET http://evil.example{path}/models HTTP/1.1\r\nHost: evil.example\r\n"
    own = f"Connection: close\r\nAuthorization: Bearer {anna.secret}\r\n\r\n"
    raw(anna.base, (head + own).encode())
    assert [one.line for one in upstream.seen] == ["GET /api/models HTTP/1.1"]


@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n",
        "Content-Length: 3, 4\r\n",
        "Content-Length: +3\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
    ],
)
def test_a_doubtful_framing_is_refused(anna: Person, upstream: Upstream, framing: str) -> None:
    path = urlsplit(anna.base).path
    head = f"POST {path}/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {anna.secret}\r\n{framing}"
    smuggled = f"0\r\n\r\nPOST {path}/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = raw(anna.base, f"{head}\r\n{smuggled}".encode())
    assert answer.startswith(b"HTTP/1.1 400") and not upstream.seen


def test_a_connection_header_takes_no_body_away(anna: Person, upstream: Upstream) -> None:
    headers = {"Connection": "content-length, x-hop, content-type", "X-Hop": "1", "TE": "trailers"}
    anna.client.post("/x", content=b"body", headers={**headers, "Content-Type": "text/x"})
    (seen,) = upstream.seen
    assert seen.body == b"body" and seen.header("content-type") == ["text/x"]
    assert not seen.header("x-hop") and not seen.header("te")


def test_a_header_changes_neither_method_nor_path(anna: Person, upstream: Upstream) -> None:
    anna.client.get("/x", headers={"X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/files"})
    (seen,) = upstream.seen
    assert not seen.header("x-http-method-override") and not seen.header("x-original-url")


@pytest.mark.parametrize("secret", ["", "rt_wrong", "x" * 5_000])
def test_without_a_token_nothing_is_passed_on(
    anna: Person, upstream: Upstream, secret: str
) -> None:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    answer = httpx.post(f"{anna.base}/chat/completions", content=b"{}", headers=headers)
    assert answer.status_code == 401 and answer.json()["error"]["code"] == "invalid_api_key"
    assert not upstream.seen


def test_a_token_without_the_scope_is_refused_in_anthropics_form(anna: Person) -> None:
    _, secret = Token.objects.make(anna.user, "Reader", [Scope.READ])
    answer = httpx.post(f"{anna.base}/messages", headers={"x-api-key": secret})
    assert (answer.status_code, answer.json()["error"]["type"]) == (403, "permission_error")


def test_a_token_in_the_address_is_refused(anna: Person, upstream: Upstream) -> None:
    assert anna.client.get(f"/models?key={anna.secret}").status_code == 400
    assert not upstream.seen


def test_a_revoked_token_stops_within_its_time(
    anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.callers.MAX_GATEWAY_TOKEN_AGE_S", 0.2)
    assert anna.client.get("/x").status_code == 200
    anna.token.revoke()
    assert eventually(lambda: anna.client.get("/x").status_code == 401, 2)


@pytest.mark.parametrize("do", ["begin", "hang"])
def test_a_call_ends_within_five_seconds_of_its_token(
    anna: Person, served: Served, upstream: Upstream, do: str
) -> None:
    """Before its answer with a refusal, in its answer with a connection that is cut."""
    revoked = threading.Timer(0.2, anna.token.revoke)
    began = time.monotonic()
    revoked.start()
    if do == "begin":
        with pytest.raises(httpx.RemoteProtocolError):
            anna.client.get(f"/x?do={do}")
    else:
        assert anna.client.get(f"/x?do={do}").status_code == 401
    revoked.join()
    assert time.monotonic() - began < 4 + 1.2 * slowness(time.monotonic)
    assert upstream.left.wait(patience.SECONDS)
    assert eventually(lambda: Span.objects.filter(kind="generation").exists())
    assert "token" in Span.objects.get(kind="generation").error


def test_a_call_goes_on_while_its_token_counts(
    anna: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.gateway.exchange.CHECK_INTERVAL_S", 0.01)
    assert anna.client.get("/x?do=stream&n=5&pause=0.05").status_code == 200


def test_a_provider_whose_models_are_for_a_group_is_no_address_for_others(
    anna: Person, provider: Provider
) -> None:
    model = LanguageModel.objects.get(provider=provider)
    model.groups.add(Group.objects.create(name="Research"))
    assert anna.client.get("/models").status_code == 404


def test_a_caller_that_leaves_ends_the_call_upstream(
    anna: Person, served: Served, upstream: Upstream
) -> None:
    with anna.client.stream("GET", "/x?do=begin") as answer:
        assert next(answer.iter_raw()) == b"first\n"
        answer.close()
        left_at = time.monotonic()
    assert upstream.left.wait(patience.SECONDS)
    assert (upstream.seen[0].gone_at or 0) - left_at < slowness(time.monotonic)
    assert eventually(lambda: served.recorder.counts.recorded == 1)
    span = Span.objects.get(kind="generation")
    assert (span.status, span.attributes["cut"]) == ("cancelled", "caller")


def test_a_caller_that_leaves_before_an_answer_ends_the_call_too(
    anna: Person, upstream: Upstream
) -> None:
    with pytest.raises(httpx.ReadTimeout):
        anna.client.get("/x?do=hang", timeout=0.3)
    assert upstream.left.wait(patience.SECONDS)


@pytest.mark.parametrize("fault", ["close", "reset"])
def test_a_cut_answer_is_seen_as_cut_and_kept(anna: Person, served: Served, fault: str) -> None:
    with pytest.raises(httpx.HTTPError), anna.client.stream("GET", f"/x?do={fault}") as answer:
        for piece in answer.iter_raw():
            assert b"half".startswith(piece)
    assert served.recorder.flush()
    span = Span.objects.get(kind="generation")
    assert (span.status, span.attributes["cut"]) == ("failed", "provider")


@pytest.mark.parametrize("fault", ["nothing", "rubbish"])
def test_a_provider_that_answers_nothing_is_a_502(anna: Person, fault: str) -> None:
    answer = anna.client.post(f"/x?do={fault}", content=b"x")
    assert answer.status_code == 502 and answer.json()["error"]["type"] == "server_error"
    assert anna.client.get("/x").status_code == 200  # on a new connection


def test_an_unreachable_provider_is_a_502(anna: Person, provider: Provider) -> None:
    closed = Provider.objects.create(name="Closed", base_url="http://127.0.0.1:9/v1")
    LanguageModel.objects.create(provider=closed, name="x")
    answer = httpx.get(
        anna.base.replace("hostile", "closed") + "/models",
        headers={"Authorization": f"Bearer {anna.secret}"},
    )
    assert answer.status_code == 502 and "127.0.0.1" not in answer.text


def test_an_answer_may_come_before_the_request_has_ended(anna: Person) -> None:
    pieces = (b"x" * 65536 for _ in range(100))
    answer = anna.client.post("/x?do=early", content=pieces)
    assert (answer.status_code, answer.content) == (413, b"large")


def test_a_body_beyond_the_limit_is_refused(anna: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.gateway.exchange.MAX_GATEWAY_REQUEST_BYTES", 100_000)
    assert anna.client.post("/x", content=b"x" * 100_001).status_code == 413
    assert anna.client.post("/x", content=iter([b"x" * 90_000] * 2)).status_code == 413


def test_the_providers_key_is_masked_in_the_answer(anna: Person) -> None:
    answer = anna.client.get("/x?do=key")
    assert answer.status_code == 401 and "[redacted" in answer.text
    assert KEY not in answer.text and KEY not in str(answer.headers)


def test_a_compressed_answer_with_the_key_is_cut(anna: Person, served: Served) -> None:
    with pytest.raises(httpx.HTTPError):
        anna.client.get("/x?do=zipped-key")
    assert served.recorder.flush()
    assert Span.objects.get(kind="generation").attributes["cut"] == "gateway"


def test_calls_of_others_are_not_mine(anna: Person, served: Served) -> None:
    User.objects.create_user("berta")
    anna.client.get("/x")
    assert served.recorder.flush()
    assert Span.objects.get(kind="turn").trace.owner == anna.user
