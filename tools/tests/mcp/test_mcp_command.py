import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tools.models import Server
from tools.tests.calling import odd

pytestmark = [pytest.mark.process, pytest.mark.django_db, pytest.mark.usefixtures("caller")]


@pytest.fixture
def server() -> Server:
    program = odd()
    return Server.objects.create(name="odd", command=program.command, args=list(program.args))


def mcp(*words: str) -> str:
    out = StringIO()
    call_command("mcp", *words, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_list_names_the_servers(server: Server) -> None:
    assert mcp("list").startswith("odd                  idle")


def test_tools_connects_and_keeps_the_list(server: Server) -> None:
    assert "odd 1, protocol 2025-11-25\necho\n  Tool echo" in mcp("tools", "odd")
    assert server.tools.filter(name="echo").exists()


def test_call_prints_what_a_model_is_shown(server: Server) -> None:
    mcp("tools", "odd")
    assert mcp("call", "odd", "echo", '{"text": "hi"}') == "hi\n"


@pytest.mark.parametrize("name", ["a/b", "with space", "\u5de5\u5177"])
def test_a_tool_is_called_by_the_name_that_the_server_gave_it(server: Server, name: str) -> None:
    server.args = [*server.args, "--odd-names"]
    server.save()
    mcp("tools", "odd")
    assert mcp("call", "odd", name, '{"text": "hi"}') == "hi\n"


def test_call_prints_the_frames_on_demand(server: Server) -> None:
    mcp("tools", "odd")
    last = mcp("call", "odd", "echo", '{"text": "hi"}', "--frames").splitlines()[-2]
    assert json.loads(last.partition(" ")[2])["result"]["content"][0]["text"] == "hi"


def test_the_workspace_can_be_chosen(server: Server, tmp_path: Path) -> None:
    server.env = {"FOLDER": "{workspace}"}
    server.save()
    mcp("tools", "odd")
    assert str(tmp_path) in mcp("call", "odd", "environment", "--workspace", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tools", "nobody"], "No server is registered as 'nobody'"),
        (["call", "odd", "nothing"], "There is no tool named 'odd-nothing'"),
        (["call", "odd", "echo", "[1]"], "must be a JSON object"),
        (["call", "odd", "echo", '{"text": 1}'], "is not of type 'string'"),
        (["call", "odd", "refuse"], "the disk is full"),
        (["call", "odd", "die"], "exited with code 7"),
    ],
)
def test_what_goes_wrong_is_an_error_of_the_command(
    server: Server, words: list[str], sentence: str
) -> None:
    mcp("tools", "odd")
    with pytest.raises(CommandError, match=sentence):
        mcp(*words)
