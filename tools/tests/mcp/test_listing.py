"""What a look at a server leaves in the database."""

from typing import Any

import mcp_types
import pytest

from tools.catalogue import registry
from tools.errors import Failure
from tools.mcp import listing, tool_list
from tools.mcp.listing import Finding, fingerprint, look, store
from tools.models import Server, ServerTool
from tools.tests.calling import Caller, odd

pytestmark = pytest.mark.process


@pytest.fixture
def server(db: None) -> Server:
    return Server.objects.create(name="odd", command="true")


def tool(name: str, description: str | None = None, **fields: Any) -> mcp_types.Tool:
    schema = fields.pop("input_schema", {"type": "object"})
    return mcp_types.Tool(name=name, description=description, input_schema=schema, **fields)


def found(*tools: mcp_types.Tool, instructions: str = "") -> Finding:
    return Finding(tools=tools, protocol="2025-11-25", latency_ms=12, instructions=instructions)


def test_a_look_stores_what_the_server_said_of_itself(server: Server, caller: Caller) -> None:
    Server.objects.filter(pk=server.pk).update(command=odd().command, args=list(odd().args))
    server.refresh_from_db()
    listing.refresh(server)
    server.refresh_from_db()
    assert (server.server_name, server.server_version) == ("odd", "1")
    assert (server.protocol, server.era) == ("2025-11-25", "legacy")
    assert (server.instructions, server.check_state) == ("Handle with care.", "succeeded")
    assert server.last_contact is not None
    assert registry.find("odd-echo") is not None


def test_all_pages_are_listed_in_order(caller: Caller) -> None:
    assert [t.name for t in look(odd("--many")).tools] == [f"tool_{n}" for n in range(250)]


def test_a_list_without_end_is_cut_and_says_so(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_list, "MAX_TOOL_PAGES", 3)
    finding = look(odd("--endless"))
    assert len(finding.tools) == 300
    assert finding.notes == [
        "The list of tools was cut after 3 pages with 300 tools; the server has more."
    ]


def test_a_list_of_too_many_tools_is_cut_and_says_so(caller: Caller) -> None:
    finding = look(odd("--endless"))
    assert len(finding.tools) == 1000
    assert "cut after 10 pages with 1,000 tools" in finding.notes[0]


def test_pages_in_a_circle_are_asked_for_once(caller: Caller) -> None:
    names = [tool.name for tool in look(odd("--circle")).tools]
    assert names == ["of None", "of a", "of b"]


def test_an_empty_cursor_is_the_end(caller: Caller) -> None:
    tools = look(odd("--empty-cursor")).tools
    assert len({tool.name for tool in tools}) == len(tools)


def test_a_server_that_does_not_start_is_a_finding_with_its_stderr(caller: Caller) -> None:
    finding = look(odd("--broken"))
    assert (finding.error, finding.stderr) == (
        "exited with code 3: no license found",
        "no license found\n",
    )


def test_a_failed_look_keeps_the_tools_of_the_last_contact(server: Server) -> None:
    store(server, found(tool("a")))
    store(server, Finding(Failure("exited with code 1"), stderr="why"))
    server.refresh_from_db()
    assert (server.check_state, server.last_error) == ("failed", "exited with code 1")
    assert server.last_stderr == "why"
    assert server.tools.get().name == "a"


def test_the_rows_become_the_list(server: Server) -> None:
    store(server, found(tool("a"), tool("b"), tool("c")))
    store(server, found(tool("c"), tool("d"), tool("a")))
    assert [row.name for row in server.tools.order_by("position")] == ["c", "d", "a"]


def test_a_switched_off_tool_stays_off_through_a_new_list(server: Server) -> None:
    store(server, found(tool("a")))
    server.tools.update(enabled=False)
    store(server, found(tool("a", "new words")))
    row = server.tools.get()
    assert (row.enabled, row.description) == (False, "new words")


def test_of_two_tools_with_one_name_the_first_counts(server: Server) -> None:
    store(server, found(tool("a", "first"), tool("b"), tool("a", "second")))
    rows = list(server.tools.order_by("position").values_list("name", "description"))
    assert rows == [("a", "first"), ("b", "")]
    server.refresh_from_db()
    assert server.list_notes == ["a second tool named 'a' was left out"]


def test_a_name_that_no_column_holds_is_left_out(server: Server) -> None:
    store(server, found(tool("x" * 201), tool("nul \0"), tool("half \ud800"), tool("ok")))
    assert server.tools.get().name == "ok"
    server.refresh_from_db()
    assert sum("its name cannot be stored" in note for note in server.list_notes) == 3


def test_text_that_databases_refuse_is_stored_without_it(server: Server) -> None:
    store(server, found(tool("a", "nul \0 and \ud800"), instructions="\0"))
    assert server.tools.get().description == "nul \ufffd and \ufffd"


def test_the_schema_is_stored_word_for_word(server: Server) -> None:
    schema = {"type": "object", "required": ["b"], "properties": {"b": {"const": "\0"}, "a": {}}}
    store(server, found(tool("a", input_schema=schema)))
    stored = ServerTool.objects.get().input_schema
    assert stored == schema
    assert list(stored) == list(schema)


def test_a_check_that_was_asked_for_meanwhile_is_still_to_come(server: Server) -> None:
    Server.objects.filter(pk=server.pk).update(check_state=Server.Check.ASKED)
    store(server, found(tool("a")))
    server.refresh_from_db()
    assert server.check_state == Server.Check.ASKED


@pytest.mark.parametrize(
    "changed",
    [
        tool("b", "words"),
        tool("a", "other words"),
        tool("a", "words", input_schema={"type": "object", "x": 1}),
        tool("a", "words", output_schema={"type": "object"}),
    ],
)
def test_the_fingerprint_changes_with_all_that_a_model_reads(changed: mcp_types.Tool) -> None:
    assert fingerprint(changed) != fingerprint(tool("a", "words"))


def test_the_fingerprint_does_not_depend_on_the_order_of_keys() -> None:
    one = tool("a", input_schema={"type": "object", "x": 1})
    other = tool("a", input_schema={"x": 1, "type": "object"})
    assert fingerprint(one) == fingerprint(other)
