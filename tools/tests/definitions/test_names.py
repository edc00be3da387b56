"""The names under which servers' tools are offered: providers take them, each finds its tool."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.catalogue import registry
from tools.definitions.names import candidates
from tools.models import Server, ServerTool

ACCEPTED = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
HOSTILE = ["read file", "übergrößen", "説明", "a" * 200, "tool.with/slash", "-", "a\nb", "<b>"]


def add(server: str, *tools: str) -> list[ServerTool]:
    row = Server.objects.create(name=server, command="true")
    return [
        ServerTool.objects.create(
            server=row,
            name=tool,
            position=position,
            input_schema={"type": "object"},
            hash="h",
            approved_hash="h",
        )
        for position, tool in enumerate(tools)
    ]


def test_a_name_that_fits_stays_as_it_is() -> None:
    assert next(candidates("sqlite", "read_query")) == "sqlite-read_query"


@given(st.text(min_size=1, max_size=200))
def test_every_name_is_one_that_providers_take(tool: str) -> None:
    assert all(ACCEPTED.fullmatch(name) for name in candidates("server", tool))


@pytest.mark.django_db
def test_each_name_leads_back_to_its_tool() -> None:
    for row in add("odd", *HOSTILE):
        found = registry.find(row.offered_name)
        assert found is not None
        assert (found.server, found.tool) == ("odd", row.name)


@pytest.mark.django_db
def test_hyphens_in_both_parts_do_not_mix_servers_up() -> None:
    (first,) = add("git", "hub-search")
    (second,) = add("git-hub", "search")
    assert first.offered_name == "git-hub-search"
    assert second.offered_name.startswith("git-hub-search-")
    found = registry.find(second.offered_name)
    assert found is not None
    assert (found.server, found.tool) == ("git-hub", "search")


@pytest.mark.django_db
def test_two_servers_may_have_tools_of_the_same_names() -> None:
    add("one", "search", "read")
    add("two", "search", "read")
    assert {tool.name for tool in registry.offered(["*-*"])} == {
        "one-search",
        "one-read",
        "two-search",
        "two-read",
    }


@pytest.mark.django_db
def test_a_name_is_not_changed_by_what_comes_and_goes() -> None:
    (first,) = add("git", "hub-search")
    (second,) = add("git-hub", "search")
    name = second.offered_name
    first.server.delete()
    second.server.save()
    second.refresh_from_db()
    assert second.offered_name == name


@pytest.mark.django_db
def test_a_renamed_server_s_tools_are_renamed() -> None:
    (tool,) = add("old", "search")
    tool.server.name = "new"
    tool.server.save()
    tool.refresh_from_db()
    assert tool.offered_name == "new-search"
