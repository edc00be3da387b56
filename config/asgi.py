"""The ASGI application: compression, static files, Django for HTTP, Channels for the websocket."""

import os

import django
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from channels.auth import AuthMiddlewareStack  # noqa: E402  # only after django.setup()
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from chat.live.routing import websocket_urlpatterns  # noqa: E402
from config.body_limit import BodyLimit  # noqa: E402
from config.compression import Compression  # noqa: E402
from config.fair_requests import FairRequests  # noqa: E402
from config.request_threads import RequestThreads  # noqa: E402
from config.same_origin import SameOrigin  # noqa: E402
from config.static_files import StaticFiles  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": Compression(
            StaticFiles(FairRequests(BodyLimit(RequestThreads(get_asgi_application()))))
        ),
        "websocket": SameOrigin(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
