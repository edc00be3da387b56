"""The tool bash, as a model uses it."""

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tools.errors import Failed
from tools.local import WORKSPACE_TOOLS
from tools.values.call import CallContext
from tools.workspace.availability import available
from tools.workspace.limits import MB
from tools.workspace.shell import bash

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(available()), reason=available() or "there is a sandbox"),
]


@pytest.fixture
def context(tmp_path: Path) -> CallContext:
    return CallContext(tmp_path / "workspace")


def failed(command: str, context: CallContext, timeout: int | None = None) -> str:
    with pytest.raises(Failed) as caught:
        bash(command, context, timeout)
    return str(caught.value)


def test_the_output_is_the_result(context: CallContext) -> None:
    assert bash("echo 你好; echo more >&2", context) == "你好\nmore"
    assert bash("true", context) == "(no output)"


def test_it_is_bash(context: CallContext) -> None:
    assert bash("a=(x y); echo ${a[1]} <(true)", context).startswith("y /dev/fd/")


def test_a_failure_begins_with_what_it_was(context: CallContext) -> None:
    assert failed("echo why; exit 3", context) == "[exit code 3]\nwhy"
    assert failed("nonsense", context).startswith("[exit code 127]\n")


def test_a_limit_is_named_first(context: CallContext, settings: Settings) -> None:
    settings.SANDBOX_LIMITS = {"file_bytes": MB}
    ended = failed("echo begun; sleep 60", context, timeout=1)
    assert ended == "[ended: it ran for more than 1 s]\nbegun"
    big = failed("exec head -c 3M /dev/zero > big", context)
    assert big == "[exit code 153: a file may have 1 MB]"


def test_no_command_outlives_the_call(context: CallContext) -> None:
    short = CallContext(context.workspace, deadline_s=0.3)
    assert "it ran for more than 0.3 s" in failed("sleep 60", short, timeout=500)


def test_what_is_no_text_can_be_stored_all_the_same(context: CallContext) -> None:
    assert bash(r"printf 'a\0b\377c'", context) == "a␀b�c"


def test_the_tools_of_the_workspace_wait_for_an_admin_and_ask() -> None:
    names = ["bash", "read_file", "write_file", "edit_file", "list_files"]
    assert [tool.name for tool in WORKSPACE_TOOLS] == names
    for tool in WORKSPACE_TOOLS:
        assert (tool.policy, tool.opt_in, tool.off_by_default) == ("ask", True, True)
    assert [tool.name for tool in WORKSPACE_TOOLS if tool.idempotent] == ["read_file", "list_files"]
