from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path, re_path

from chat.live.consumer import ChatConsumer

NOT_FOUND = 4404


class UnknownAddress(AsyncWebsocketConsumer):
    """Refuses the handshake (403), where Channels would answer an error of the server."""

    async def connect(self) -> None:
        await self.close(NOT_FOUND)


websocket_urlpatterns = [
    path("ws/chat/", ChatConsumer.as_asgi()),
    re_path("", UnknownAddress.as_asgi()),
]
