"""Calling local functions: they learn when nobody waits any more, and tell how far they are."""

import asyncio
import threading
from pathlib import Path

from tests import patience
from tools.calls import execution
from tools.errors import Failed
from tools.local.schema import local_tool
from tools.values.call import NOT_KNOWN, CallContext, ToolResult


def waiting(context: CallContext) -> str:
    """Wait until nobody waits for it."""
    context.facts["late"] = context.cancelled.wait(5)
    return "late"


def telling(context: CallContext) -> str:
    """Tell how far it is."""
    assert context.progress is not None
    context.progress(1, 2, threading.current_thread().name)
    return "done"


def failing(context: CallContext) -> str:
    """Fail with what a command wrote."""
    raise Failed("no such file\n[exit code 2]")


def greeting(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"


def call(function: object, context: CallContext, **arguments: object) -> ToolResult:
    tool = local_tool(function)  # type: ignore[arg-type]
    return asyncio.run(execution.execute_tool(tool, arguments, context))


def test_at_the_deadline_it_learns_that_nobody_waits(tmp_path: Path) -> None:
    context = CallContext(tmp_path, deadline_s=0.05)
    result = call(waiting, context)
    assert (result.unknown, result.text) == (
        True,
        f"waiting did not answer within 0.05 s. {NOT_KNOWN}",
    )
    assert context.facts == {"late": True}


def test_what_it_tells_arrives_on_the_loop(tmp_path: Path) -> None:
    told: list[tuple[float, float | None, str]] = []
    heard = threading.Event()

    def progress(done: float, total: float | None, message: str) -> None:
        asyncio.get_running_loop()
        told.append((done, total, message))
        heard.set()

    assert call(telling, CallContext(tmp_path, progress=progress)).text == "done"
    assert heard.wait(patience.SECONDS)
    assert told[0][:2] == (1, 2)
    assert told[0][2] != threading.current_thread().name


def test_what_failed_says_all_that_there_is_to_say(tmp_path: Path) -> None:
    result = call(failing, CallContext(tmp_path))
    assert (result.is_error, result.text) == (True, "no such file\n[exit code 2]")


def test_arguments_that_it_does_not_have_are_left_out_and_told(tmp_path: Path) -> None:
    result = call(greeting, CallContext(tmp_path), name="you", description="a greeting", x=1)
    assert not result.is_error
    left_out = "[greeting has no argument 'description', 'x'; they were left out.]"
    assert result.text == f"hello you\n{left_out}"
