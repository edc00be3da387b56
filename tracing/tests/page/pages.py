"""The page of a trace as tests read it, and what a turn of two rounds says."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from tracing.models import Span
from tracing.tests.builders import ATurn, wire

SYSTEM = {"role": "system", "content": "You look after a database."}
QUESTION = {"role": "user", "content": "数据库有几张表"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "sqlite-list_tables", "arguments": '{"schema": "main"}'},
}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "call_1", "content": "students, log"}
ANSWER = {"role": "assistant", "content": "There are two tables."}
TOOL = {"type": "function", "function": {"name": "sqlite-list_tables"}}


def stages(messages: list[dict[str, Any]], answer: dict[str, Any]) -> dict[str, bytes]:
    events = [wire({"choices": [{"delta": {"content": text}}]}) for text in ("<tool", "_call>")]
    return {
        "input": wire({"messages": messages, "tools": [TOOL], "parameters": {"temperature": 0.5}}),
        "request": wire({"model": "qwen", "messages": messages, "stream": True}),
        "response": b"".join(b"data: " + event + b"\n\n" for event in events),
        "output": wire({"message": answer, "errors": ["A call was cut off."], "origins": []}),
    }


class Page:
    def __init__(self, turn: ATurn, client: Client, user: User) -> None:
        self.address = turn.trace.get_absolute_url()
        self.client = client
        client.force_login(user)

    def get(self, **query: str | int) -> str:
        response = self.client.get(self.address, query)
        assert response.status_code == 200
        return response.content.decode()

    def stage(self, name: str, **query: str | int) -> str:
        """The HTML of one stage."""
        return self.get(**query).split(f'id="stage-{name}"')[1].split("</section>")[0]


def address_of(turn: ATurn, part: str) -> str:
    address = turn.trace.get_absolute_url()
    if part != "payload":
        return address + part
    span = Span.objects.filter(trace=turn.trace, kind="generation").earliest("id")
    return f"{address}payloads/{span.public_id}/request"
