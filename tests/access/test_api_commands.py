"""What people can do on pages, programs can do too."""

import pytest

from chat.live.consumer import ChatConsumer
from tests.access import api_routes, routes
from tests.access.api_commands import FRAMES, ROUTES, of_route

pytestmark = pytest.mark.process


def changing() -> set[str]:
    """The names of routes that take a POST."""
    return {
        name
        for name, rules in routes.RULES.items()
        if any(rule.post not in (0, 405) for rule in rules)
    }


def test_every_change_of_a_page_has_an_operation_or_a_reason() -> None:
    assert sorted(name for name in changing() if of_route(name) is None) == []


def test_every_frame_has_an_operation_or_a_reason() -> None:
    assert FRAMES.keys() == ChatConsumer.handlers.keys()


def test_the_routes_are_those_that_there_are() -> None:
    assert sorted(ROUTES.keys() - changing()) == []


def test_the_operations_are_those_that_there_are() -> None:
    known = api_routes.RULES.keys()
    named = {
        one
        for operations in (*ROUTES.values(), *FRAMES.values())
        if isinstance(operations, tuple)
        for one in operations
    }
    assert sorted(named - known) == []
