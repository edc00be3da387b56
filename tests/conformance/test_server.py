"""The product as an MCP server against the public suite.

The suite sends no token, so each request gets one on its way in. It calls tools, resources and
prompts by names of its own: for these `suite_server` stands behind the same door and serving code;
what is asked of any server is asked of the product itself.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from api.mcp_server.application import McpServer
from config.entrances import address_of_scope
from config.fair_requests import address
from config.same_origin import is_own
from tests.conformance import suite
from tests.serving import served
from tokens.models import Token

pytestmark = [
    pytest.mark.process,
    pytest.mark.campaign,
    pytest.mark.conformance,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(2 * suite.RUN_S),
]

SUITES = "tests.conformance.suite_server"
PRODUCT = "api.mcp_server.serving"
# Of any server; `server-stateless` calls tools of the suite's too.
OF_PRODUCT = {
    "2025-11-25": ("server-initialize", "ping", "tools-list", "dns-rebinding-protection"),
    "2026-07-28": (
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
    ),
}
# What this server does not offer, and why.
LEFT_OUT = {
    "completion-complete": "the server completes no arguments",
    "logging-set-level": "the server sends no log messages (deprecated since 2026-07-28)",
    "tools-call-with-logging": "the server sends no log messages (deprecated since 2026-07-28)",
    "tools-call-sampling": "no tool asks the client's model (deprecated since 2026-07-28)",
    "tools-call-elicitation": "no tool asks the client's person; without sessions there is no way",
    "elicitation-sep1034-defaults": "no tool asks the client's person",
    "elicitation-sep1330-enums": "no tool asks the client's person",
    "resources-subscribe": "the server announces no changes",
    "resources-unsubscribe": "the server announces no changes",
    "server-session-lifecycle": "the server gives no session ids, which it may",
    "server-sse-polling": "without sessions no stream is resumed",
}


class Signed:
    """Adds a token to each request."""

    def __init__(self, application: Any, secret: str) -> None:
        self._application, self._header = application, f"Bearer {secret}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = [*scope["headers"], (b"authorization", self._header)]
        await self._application({**scope, "headers": headers}, receive, send)


@pytest.fixture
def serve(transactional_db: None) -> Iterator[Callable[[str], str]]:
    """Serves `/mcp` by this module; gives its URL."""
    owner = User.objects.create_user("owner")
    _, secret = Token.objects.make(owner, "suite", ["traces", "chat"])

    def start(serving: str) -> str:
        door = McpServer(
            None,  # type: ignore[arg-type]
            address=address,
            audited_address=address_of_scope,
            is_own_origin=is_own,
            serving=serving,
        )
        return stack.enter_context(served(Signed(door, secret))) + "/mcp"

    with ExitStack() as stack:
        yield start


def outcome(url: str, revision: str, folder: Path) -> suite.Outcome:
    try:
        return suite.run_server(url, revision, folder)
    except suite.NotInstallable as error:
        pytest.skip(f"Node or the suite cannot be installed here: {error}")


@pytest.mark.parametrize("revision", suite.REVISIONS)
def test_every_scenario_passes_but_those_of_what_the_server_does_not_offer(
    revision: str,
    serve: Callable[[str], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = outcome(serve(SUITES), revision, tmp_path)
    failed = {name for name, passed in found.required.items() if not passed}
    with capsys.disabled():
        sys.stdout.write(f"\n{revision}: {found.counts}\n{json.dumps(sorted(failed))}\n")
    assert found.required
    assert {name for name in failed if not is_left_out(name)} == set(), found.report


def is_left_out(scenario: str) -> bool:
    return scenario in LEFT_OUT or scenario.startswith("input-required-result-")


@pytest.mark.parametrize("revision", suite.REVISIONS)
def test_the_product_itself_passes_what_is_asked_of_any_server(
    revision: str, serve: Callable[[str], str], tmp_path: Path
) -> None:
    found = outcome(serve(PRODUCT), revision, tmp_path)
    passed = {name for name in OF_PRODUCT[revision] if found.scenarios.get(name)}
    assert passed == set(OF_PRODUCT[revision]), found.report
