"""The attributes of an exported tool call."""

import json

import pytest

from tracing.tests.builders import ATurn
from tracing.tests.otel.exporting import export
from tracing.tests.otel.receiver import Receiver, attributes
from tracing.tests.otel.turns import a_call, a_finished_turn

pytestmark = pytest.mark.django_db


def test_a_call_has_the_attributes_of_mcp(receiver: Receiver) -> None:
    turn = a_finished_turn()
    export(turn)
    conversation = turn.trace.attributes["conversation"]
    found = attributes(receiver.named("execute_tool db-query"))
    assert json.loads(found.pop("tool.parameters"))["properties"] == {"sql": {"type": "string"}}
    assert found == {
        "session.id": conversation,
        "user.id": str(turn.trace.owner_id),
        "gen_ai.conversation.id": conversation,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "db-query",
        "gen_ai.tool.description": "Runs a query.",
        "gen_ai.tool.type": "extension",
        "gen_ai.tool.call.id": "call_1",
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-11-25",
        "mcp.session.id": "s-1",
        "jsonrpc.request.id": "3",
        "network.transport": "tcp",
        "server.address": "mcp.example",
        "server.port": 443,
        "openinference.span.kind": "TOOL",
        "tool.name": "db-query",
        "tool.description": "Runs a query.",
        "roundtrip.mcp.server": "db",
        "roundtrip.status": "succeeded",
    }


@pytest.mark.usefixtures("content")
def test_a_call_with_content(receiver: Receiver) -> None:
    export(a_finished_turn())
    found = attributes(receiver.named("execute_tool db-query"))
    assert json.loads(found["gen_ai.tool.call.arguments"]) == {"sql": "SELECT 1"}
    assert json.loads(found["gen_ai.tool.call.result"])["content"][0]["text"] == "7 tables"
    assert (found["input.value"], found["input.mime_type"]) == (
        '{"sql":"SELECT 1"}',
        "application/json",
    )
    assert (found["output.value"], found["output.mime_type"]) == ("7 tables", "text/plain")


def test_names_that_a_model_invents_are_no_names_of_spans(receiver: Receiver) -> None:
    turn = ATurn()
    turn.a_round(1, (0, 900))
    noted = {"server": "", "tool": "fly", "offered": False}
    a_call(turn, name="fly", status="failed", attributes=noted)
    turn.end(900)
    export(turn)
    found = attributes(receiver.named("execute_tool _unknown"))
    assert (found["gen_ai.tool.name"], found["error.type"]) == ("fly", "unknown_tool")
