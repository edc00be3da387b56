"""What we rely on in the `mcp` SDK beside its top level is there, and takes what we give it."""

import ast
import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from h11 import _readers
from httpcore2._async import http11
from mcp.client import streamable_http
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared import jsonrpc_dispatcher
from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS

from tools.mcp import sdk
from tools.mcp.oauth import Provider

ROOT = Path(inspect.getfile(sdk)).parents[2]
ADAPTER = Path("tools/mcp/sdk.py")
# Programs of their own, on the SDK's other side: its servers.
SERVERS = Path("tools/mcp/servers")

# Each with the arguments that we call it by.
CALLS: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "a session over HTTP": (sdk.streamable_http_client, ["url", "http_client"]),
    "a stream of events": (sdk.sse_within_origin, ["client", "url", "max_event_size"]),
    "a request": (sdk.request_within_origin, ["client", "method", "url", "kwargs"]),
    "a message": (sdk.SessionMessage, ["message", "metadata"]),
    "scopes": (sdk.union_scopes, ["previous_scope", "new_scope"]),
    "an id of a request": (sdk.coerce_request_id, ["request_id"]),
    "an id from the wire": (sdk.as_request_id, ["value"]),
    "an environment": (sdk.get_default_environment, []),
    "a flow of OAuth": (
        sdk.OAuthClientProvider,
        [
            *("server_url", "client_metadata", "storage", "redirect_handler"),
            *("callback_handler", "client_metadata_url"),
        ],
    ),
}
# What `Provider` replaces, with its arguments.
REPLACED = {
    "_auth_flow": ["self", "request"],
    "_initialize": ["self"],
    "_handle_token_response": ["self", "response"],
    "_perform_authorization_code_grant": ["self"],
}


@pytest.mark.parametrize("call", CALLS)
def test_it_is_called_as_it_wants_to_be(call: str) -> None:
    function, arguments = CALLS[call]
    assert set(arguments) <= set(inspect.signature(function).parameters)


def test_a_call_with_the_first_arguments_by_position_means_the_same() -> None:
    names = list(inspect.signature(sdk.OAuthClientProvider).parameters)
    assert names[:5] == CALLS["a flow of OAuth"][1][:5]


@pytest.mark.parametrize("name", REPLACED)
def test_the_steps_of_oauth_that_we_replace_are_the_sdks(name: str) -> None:
    of_the_sdk = vars(sdk.OAuthClientProvider)[name]
    assert list(inspect.signature(of_the_sdk).parameters) == REPLACED[name]
    assert inspect.isasyncgenfunction(of_the_sdk) == (name == "_auth_flow")
    assert name in vars(Provider)


def test_the_context_of_oauth_has_what_we_set() -> None:
    fields = {field.name for field in dataclasses.fields(OAuthContext)}
    assert fields >= {
        *("client_info", "client_metadata", "current_tokens", "token_expiry_time"),
        *("oauth_metadata", "protected_resource_metadata", "auth_server_url"),
    }


@pytest.mark.parametrize(("kind", "code", "text"), sdk.SDK_TEXTS)
def test_the_sdk_still_says_what_its_errors_are_told_apart_by(
    kind: sdk.SdkError, code: int, text: str
) -> None:
    sources = map(inspect.getsource, (streamable_http, jsonrpc_dispatcher))
    assert any(text in source for source in sources)


def test_the_http_client_still_says_where_a_connection_ended() -> None:
    no_response = httpx2.RemoteProtocolError("Server disconnected without sending a response.")
    assert sdk.closed_before_response(no_response)
    assert str(no_response) in inspect.getsource(http11)
    assert sdk._BODY_CUT in inspect.getsource(_readers)


def test_a_servers_error_is_none_of_the_sdks() -> None:
    assert sdk.sdk_error(CONNECTION_CLOSED, "Connection closed") is sdk.SdkError.CLOSED
    assert sdk.sdk_error(CONNECTION_CLOSED, "Connection closed by policy") is None
    assert sdk.sdk_error(INVALID_PARAMS, "Connection closed") is None


@pytest.mark.parametrize("text", ["Session not found", "Bad Request: Server not initialized"])
def test_the_typescript_sdks_words_for_an_unknown_session_are_known(text: str) -> None:
    assert sdk.is_about_session(text)


def test_no_other_module_imports_what_may_move() -> None:
    modules = [
        path.relative_to(ROOT)
        for app in ("config", "chat", "tools", "tracing", "db")
        for path in (ROOT / app).rglob("*.py")
    ]
    product = [path for path in modules if "tests" not in path.parts]
    importers = {path for path in product if _imports_a_submodule(ROOT / path)}
    assert {path for path in importers if not path.is_relative_to(SERVERS)} == {ADAPTER}


def _imports_a_submodule(path: Path) -> bool:
    text = path.read_text()
    if "mcp." not in text:
        return False
    nodes = list(ast.walk(ast.parse(text)))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [one.name for node in nodes if isinstance(node, ast.Import) for one in node.names]
    return any(name.startswith("mcp.") for name in names)
