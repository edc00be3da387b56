"""The ASGI application: compression, static files, Django for HTTP, Channels for the websocket."""

import os

import django
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter

from api.gateway.application import gateway
from chat.live.routing import websocket_urlpatterns
from config.body_limit import BodyLimit
from config.compression import Compression
from config.entrances import SocketEntrances
from config.fair_requests import FairRequests
from config.request_threads import RequestThreads
from config.same_origin import SameOrigin
from config.static_files import StaticFiles

application = ProtocolTypeRouter(
    {
        "http": gateway(
            Compression(
                StaticFiles(FairRequests(BodyLimit(RequestThreads(get_asgi_application()))))
            )
        ),
        "websocket": SameOrigin(
            SocketEntrances(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
        ),
    }
)
