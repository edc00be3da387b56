import json
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tools.management.conformance import Run, _agree, _arguments
from tools.models import Server
from tools.tests.servers import web
from tools.values.questions import Asked

pytestmark = pytest.mark.usefixtures("caller")


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    with web.serving(web.good()) as url:
        yield url


def conformance(url: str) -> str:
    out = StringIO()
    call_command("mcp", "conformance", url, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_calls_of_the_context_are_made_in_both_eras(
    good: str, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [{"name": "echo", "arguments": {"text": "hi"}}, {"name": "nothing", "arguments": {}}]
    monkeypatch.setenv("MCP_CONFORMANCE_CONTEXT", json.dumps({"toolCalls": calls}))
    monkeypatch.setenv("MCP_CONFORMANCE_PROTOCOL_VERSION", revision)
    assert conformance(good).splitlines()[0].startswith("echo ok ")


@pytest.mark.django_db
def test_nothing_is_left_in_the_database(good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [{"name": "echo", "arguments": {"text": "hi"}}]
    monkeypatch.setenv("MCP_CONFORMANCE_CONTEXT", json.dumps({"toolCalls": calls}))
    conformance(good)
    assert not Server.objects.exists()


def test_a_server_that_is_not_there_is_an_error_of_the_command() -> None:
    with pytest.raises(CommandError, match="No connection"):
        conformance("http://127.0.0.1:9/mcp")


def test_a_tool_gets_a_value_for_each_property_that_it_requires() -> None:
    properties = {"text": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "more": {}}
    schema = {"type": "object", "properties": properties, "required": ["text", "kind"]}
    assert _arguments("any", schema, {}) == {"text": "text", "kind": "a"}


def test_the_client_of_the_context_counts_as_registered() -> None:
    registered = Run("", context={"client_id": "us", "client_secret": "s"}).client.registered
    assert registered is not None and registered.client_id == "us"


@pytest.mark.asyncio
async def test_a_question_is_answered_with_the_defaults_of_its_schema() -> None:
    schema = {"properties": {"name": {"type": "string", "default": "Ada"}, "note": {}}}
    answer = await _agree(Asked("form", "Who?", schema=schema))
    assert (answer.action, answer.content) == ("accept", {"name": "Ada"})
