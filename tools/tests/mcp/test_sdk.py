"""What we rely on in the `mcp` SDK beside its top level is there, and takes what we give it."""

import ast
import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.auth.oauth2 import OAuthContext

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
