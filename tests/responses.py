"""What Django's test client got."""

from typing import Any

from asgiref.sync import async_to_sync


def body_of(response: Any) -> bytes:
    """Of a streamed response too, which is made for ASGI."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    return async_to_sync(read)() if getattr(response, "is_async", False) else b"".join(response)
