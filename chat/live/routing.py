from typing import Any

from django.urls import path, re_path

from chat.live.consumer import ChatConsumer

# Close code of an address at which there is nothing, as 404 is for a page.
NOT_FOUND = 4404


async def refuse_unknown(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Before accepting: the handshake is answered with 403, as ASGI has it."""
    await send({"type": "websocket.close", "code": NOT_FOUND})


websocket_urlpatterns = [
    path("ws/chat/", ChatConsumer.as_asgi()),
    re_path("", refuse_unknown),
]
