"""The threads in which tools use the ORM, so that a large trace that is read holds up neither the
event loop nor the database threads of live sockets."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

from audit.models import Door
from audit.recording import entered

P = ParamSpec("P")
T = TypeVar("T")
_THREADS = 4


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, "mcp-server")


async def in_thread(
    address: str | None, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """What the function returns. What it records came in by `/mcp`, from `address`."""
    work = partial(_run, address, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_threads(), work)


def _run(address: str | None, function: Callable[[], T]) -> T:
    close_old_connections()
    try:
        with entered(Door.MCP, address):
            return function()
    finally:
        close_old_connections()
