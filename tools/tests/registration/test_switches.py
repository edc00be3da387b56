"""What admins decide about the tools of this program."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tools import local
from tools.catalogue import registry, switches
from tools.models import LocalTool
from tools.values.tool import Tool

pytestmark = pytest.mark.django_db

CALCULATE = "calculate"


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Tool]]:
    """The tools of the program, to change within a test."""
    tools = list(local.TOOLS)
    monkeypatch.setattr(local, "TOOLS", tools)
    yield tools


def names() -> list[str]:
    return [tool.name for tool in registry.offered(None)]


def test_without_a_decision_a_tool_is_on() -> None:
    assert CALCULATE in names()


def test_what_is_switched_off_is_neither_offered_nor_found() -> None:
    switches.switch(CALCULATE, enabled=False)
    assert CALCULATE not in names()
    assert registry.find(CALCULATE) is None


def test_a_switch_back_keeps_the_policy() -> None:
    switches.switch(CALCULATE, enabled=False, policy="ask")
    switches.switch(CALCULATE, enabled=True)
    found = registry.find(CALCULATE)
    assert found is not None
    assert found.policy == "ask"


def test_what_is_off_by_default_waits_for_an_admin(shipped: list[Tool]) -> None:
    shipped.append(replace(shipped[0], name="risky", policy="ask", off_by_default=True))
    assert registry.find("risky") is None
    switches.switch("risky", enabled=True)
    found = registry.find("risky")
    assert found is not None
    assert found.policy == "ask"


def test_what_lacks_something_is_not_there_even_if_it_is_on(shipped: list[Tool]) -> None:
    shipped.append(replace(shipped[0], name="shell", missing=lambda: "There is no sandbox."))
    switches.switch("shell", enabled=True)
    assert registry.find("shell") is None
    assert switches.built_in()[-1].missing == "There is no sandbox."


def test_a_model_is_told_why_a_tool_is_not_there() -> None:
    assert switches.why_off(CALCULATE) == switches.why_off("no_such_tool") == ""
    switches.switch(CALCULATE, enabled=False)
    assert "an admin switched it off" in switches.why_off(CALCULATE)


def test_an_unknown_tool_or_policy_is_refused() -> None:
    with pytest.raises(KeyError):
        switches.switch("nothing", enabled=True)
    with pytest.raises(ValueError, match="perhaps"):
        switches.switch(CALCULATE, policy="perhaps")
    assert not LocalTool.objects.exists()
