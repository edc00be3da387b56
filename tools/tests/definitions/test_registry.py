import pytest
from pytest_django import DjangoAssertNumQueries

from tools.catalogue import registry
from tools.models import Server, ServerTool

pytestmark = pytest.mark.django_db

SCHEMA = {"type": "object", "required": [], "properties": {"b": {}, "a": {}}}


def add(server: str, *tools: str, **fields: object) -> Server:
    row = Server.objects.create(name=server, command="true", **fields)
    for position, tool in enumerate(tools):
        ServerTool.objects.create(
            server=row,
            name=tool,
            position=position,
            input_schema=SCHEMA,
            description=f"Does {tool}",
        )
    return row


def names(patterns: list[str] | None) -> list[str]:
    return [tool.name for tool in registry.offered(patterns)]


def test_local_tools_come_first_then_servers_by_name_then_their_own_order() -> None:
    add("zoo", "walk", "feed")
    add("art", "paint")
    assert names(None) == [
        "calculate",
        "get_current_datetime",
        "search_files",
        "art-paint",
        "zoo-walk",
        "zoo-feed",
    ]


def test_patterns_choose_and_do_not_order() -> None:
    add("zoo", "walk", "feed")
    assert names(["zoo-f*", "calculate"]) == ["calculate", "zoo-feed"]
    assert names([]) == []


def test_switched_off_servers_and_tools_are_not_offered() -> None:
    add("off", "tool", enabled=False)
    server = add("on", "one", "two")
    server.tools.filter(name="one").update(enabled=False)
    assert names(["o*"]) == ["on-two"]
    assert registry.find("off-tool") is None
    assert registry.find("on-one") is None


def test_a_definition_has_the_listed_schema_with_its_key_order() -> None:
    add("zoo", "walk")
    (tool,) = registry.offered(["zoo-*"])
    assert tool.definition["function"]["parameters"] == SCHEMA
    assert list(tool.definition["function"]["parameters"]) == ["type", "required", "properties"]
    assert list(tool.parameters["properties"]) == ["b", "a"]


def test_find_knows_local_tools_and_those_of_servers() -> None:
    add("zoo", "walk")
    found = registry.find("zoo-walk")
    assert found is not None
    assert (found.server, found.tool, found.description) == ("zoo", "walk", "Does walk")
    assert found.config is not None
    assert registry.find("calculate") is not None
    assert registry.find("zoo-fly") is None
    assert registry.find("") is None


def test_hyphens_in_the_names_of_servers_and_tools_are_told_apart() -> None:
    add("a-b", "c")
    add("x", "y-z")
    found = [registry.find("a-b-c"), registry.find("x-y-z")]
    assert [(tool.server, tool.tool) for tool in found if tool] == [("a-b", "c"), ("x", "y-z")]


def test_only_an_operators_patterns_make_a_tool_idempotent() -> None:
    add("zoo", "read_log", "write_log", idempotent_tools=["read_*"])
    assert [tool.idempotent for tool in registry.offered(["zoo-*"])] == [True, False]


def test_secrets_are_not_in_a_tools_representation() -> None:
    add("zoo", "walk", env={"TOKEN": "canary"})
    assert "canary" not in repr(registry.offered(["zoo-*"]))


def test_offering_takes_two_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    add("art", "paint", "sketch")
    add("zoo", "walk")
    with django_assert_num_queries(2):
        names(None)


def test_a_preset_s_servers_are_the_only_ones_and_keep_the_local_tools() -> None:
    add("art", "paint")
    add("zoo", "walk")
    found = registry.offered(None, servers=["zoo"])
    assert [tool.name for tool in found if tool.server] == ["zoo-walk"]
    assert "calculate" in [tool.name for tool in found]
    assert registry.offered(["art-*"], servers=["zoo"]) == []
