"""A server under OAuth that repeats what it is sent, wherever it can."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import unquote

import httpx2
import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from tools import loop
from tools.accounts import sessions
from tools.calls import execution
from tools.mcp.frames import Journal, masked_message, with_opaque
from tools.mcp.masking import KEPT, MASK, Masking
from tools.mcp.prompts import get_prompt
from tools.mcp.resources import read_resource
from tools.mcp.transports.http_secrets import sent_secrets
from tools.mcp.transports.stderr import Stderr
from tools.models import Account, Server, ServerTool
from tools.tests.calling import Caller
from tools.tests.mcp.test_oauth import ada, eventually, server, sign_in
from tools.tests.servers.authorizing import Authority, authorizing
from tools.values.call import CallContext, ToolResult
from tools.values.server_config import ServerConfig

__all__ = ["ada", "server"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("caller"),
]


@pytest.fixture
def authority() -> Iterator[Authority]:
    with authorizing(repeats=True) as running:
        yield running


def called(caller: Caller, server: Server, user: User, name: str) -> tuple[ToolResult, CallContext]:
    told: list[str] = []
    context = caller.context(progress=lambda done, total, text: told.append(text))
    tool = ServerTool(server=server, name=name, input_schema={}).as_tool()
    used = sessions.signed_in(tool, user.pk)
    result = loop.run(execution.execute_tool(used, {}, context), 20)
    context.facts["told"] = told  # type: ignore[typeddict-unknown-key]
    return result, context


def signed_in(server: Server, user: User) -> ServerConfig:
    return sessions.configured(server.config(), user.pk)


@pytest.mark.parametrize("name", ["repeat", "fail", "refuse"])
def test_no_result_progress_or_frame_has_the_token(
    caller: Caller, server: Server, ada: User, authority: Authority, name: str
) -> None:
    sign_in(server, ada)
    result, context = called(caller, server, ada, name)
    assert MASK in result.shown and MASK in str(context.frames)
    everything = f"{result} {result.shown} {context.frames} {context.facts} {context.stderr}"
    assert [token for token in authority.given if token in everything] == []


def test_a_token_that_is_renewed_in_the_session_is_masked_before_and_after(
    caller: Caller, server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    Account.objects.update(expires=timezone.now() + timedelta(seconds=sessions.MARGIN_S + 1))
    answers: list[tuple[ToolResult, CallContext]] = []

    def is_renewed() -> bool:
        answers.append(called(caller, server, ada, "repeat"))
        return bool(authority.of("refresh_token"))

    assert eventually(is_renewed)
    everything = str([(result, context.frames) for result, context in answers])
    assert MASK in str(answers[-1][0].structured)
    assert [token for token in authority.given if token in everything] == []


def test_no_list_of_the_server_has_the_token(
    server: Server, ada: User, authority: Authority
) -> None:
    sign_in(server, ada)
    stored = str([*Server.objects.values(), *ServerTool.objects.values()])
    assert stored.count(MASK) >= 4
    token = Account.objects.get().tokens["access_token"]
    assert token in authority.given and token not in stored


def test_neither_a_resource_nor_a_prompt_has_it(caller: Caller, server: Server, ada: User) -> None:
    sign_in(server, ada)
    config = signed_in(server, ada)
    resource = loop.run(read_resource(config, "notes://sent", caller.workspace), 20)
    prompt = loop.run(get_prompt(config, "ask", {}, caller.workspace), 20)
    assert resource["contents"][0]["text"] == MASK
    assert prompt["messages"][0]["content"]["text"] == MASK


def test_a_refused_exchange_repeats_neither_code_nor_verifier(
    server: Server, ada: User, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    authority.takes_code = False
    row = sign_in(server, ada)
    assert row is not None and "invalid_grant" in row.error and MASK in row.error
    (sent,) = authority.of("authorization_code")
    for told in (row.error, caplog.text):
        assert sent["code"] not in told and sent["code_verifier"] not in told
    assert "OAuthTokenError" in caplog.text


def test_everything_secret_in_a_request_is_known() -> None:
    request = httpx2.Request(
        "POST",
        "https://user:p4ssword@notes.example/mcp?api_key=in-the-query",
        headers={"Authorization": "Basic dXM6dGhlLXBhc3N3b3Jk", "Cookie": "session=of-a-cookie"},
        data={"code": "the-code", "code_verifier": "the-verifier", "redirect_uri": "https://ours"},
    )
    known = set(sent_secrets(request, {}))
    assert {"p4ssword", "in-the-query", "the-password", "of-a-cookie"} <= known
    assert {"dXM6dGhlLXBhc3N3b3Jk", "the-code", "the-verifier"} <= known
    assert "https://ours" not in known


def test_a_secret_is_masked_as_urls_and_json_have_it() -> None:
    masking = Masking(['a/"quoted" secret'])
    for form in (
        "a%2F%22quoted%22%20secret",
        json.dumps({"x": 'a/"quoted" secret'}),
        r"a\/\"quoted\" secret",
    ):
        assert "secret" not in masking.text(form).replace(MASK, "")


@pytest.mark.parametrize("form", ["p%40ss%21word", "p%40ss!word", "%e5%af%86p%40ss!word"])
def test_a_secret_is_masked_as_programs_quote_it(form: str) -> None:
    secret = unquote(form)
    assert Masking([secret]).text(form) == MASK


def test_neither_name_nor_id_of_a_message_has_it_in_a_frame() -> None:
    journal = Journal(Masking(["the-token"]))
    journal.received(JSONRPCNotification(jsonrpc="2.0", method="x/the-token"))
    journal.received(JSONRPCRequest(jsonrpc="2.0", id="the-token", method="ping"))
    assert journal.opening and "the-token" not in json.dumps(journal.opening)


@pytest.mark.parametrize("before", [b"a line\n", b"." * 65_536])
def test_a_secret_that_is_cut_is_not_in_the_output(before: bytes) -> None:
    stderr, written = Stderr(Masking(["the-token"])), before + b"the-token\nlast"
    stderr.write(written)
    for mark in (0, 1, *range(len(before) - 1, len(written))):
        assert "oken" not in stderr.since(mark)


@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_a_secret_in_a_file_is_masked(before: str) -> None:
    text = f"{before}token-of-the-account and more".encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        masked = Masking(["token-of-the-account"])({"blob": encode(text).decode()})
        assert MASK in masked["blob"]


def test_what_a_server_wants_back_goes_back_as_it_came() -> None:
    masking, result = Masking(["the-token"]), {"nextCursor": "the-token", "text": "the-token"}
    message = JSONRPCResponse(jsonrpc="2.0", id=1, result=result)
    masked = masked_message(message, masking)
    assert masked == JSONRPCResponse(jsonrpc="2.0", id=1, result={"nextCursor": MASK, "text": MASK})
    usable = with_opaque(masked, message)
    assert usable == JSONRPCResponse(
        jsonrpc="2.0", id=1, result={"nextCursor": "the-token", "text": MASK}
    )


def test_tokens_of_a_session_that_renews_for_days_are_bounded() -> None:
    masking = Masking(["configured"])
    for number in range(KEPT + 1):
        masking.hide_passing([f"token-{number:03}"])
    assert masking.text("token-000 token-001 configured") == f"token-000 {MASK} {MASK}"


def test_secrets_in_the_address_and_the_arguments_of_a_server_are_masked() -> None:
    web = ServerConfig("web", "http", url="https://a.example/mcp?api_key=in-the-query")
    program = ServerConfig(
        "program", "stdio", args=("--token", "first-one", "--api-key=second-one", "--mode=readonly")
    )
    assert web.secrets == ("in-the-query",)
    assert program.secrets == ("first-one", "second-one")
