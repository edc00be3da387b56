"""Following a conversation for a socket."""

import asyncio
from typing import Any, cast

import pytest

from chat.live.following import Following


class _Gone:
    """A hub whose feed ends with the connection, however it is asked to stop."""

    async def follow(self, conversation: object, wake: object) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise OSError("the client is gone") from None


class _Conversation:
    public_id = None


@pytest.mark.asyncio
async def test_a_client_that_is_gone_while_its_follower_ends_is_no_error() -> None:
    problems: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
    failures: list[object] = []

    following = Following(
        cast(Any, _Gone()), cast(Any, _Conversation()), cast(Any, None), failures.append
    )
    following.begin(None, snapshot_first=False)
    await asyncio.sleep(0)
    await following.end()
    await asyncio.sleep(0)
    assert (problems, failures) == ([], [])
