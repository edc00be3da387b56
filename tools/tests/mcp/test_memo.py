"""The memo of our own server: what `append_insight` took can be read as a resource."""

import pytest

from tools import loop
from tools.errors import ToolError
from tools.mcp.resources import read_resource
from tools.tests.calling import Caller, sqlite

pytestmark = pytest.mark.process


def test_an_insight_is_in_the_memo(caller: Caller) -> None:
    caller.call(sqlite(), "append_insight", insight="Sales rise in May")
    read = loop.run(read_resource(sqlite(), "memo://insights", caller.workspace), 20)
    assert read["contents"][0]["text"] == "- Sales rise in May"


def test_another_resource_is_not_there(caller: Caller) -> None:
    with pytest.raises(ToolError, match="no resource"):
        loop.run(read_resource(sqlite(), "memo://other", caller.workspace), 20)
