"""The ASGI application: compression, static files, Django for HTTP, Channels for the websocket."""

import os

import django
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter

from api.gateway.application import Gateway
from api.gateway.recorder import Recorder
from api.gateway.writing.loops import end_idle
from api.gateway.writing.writer import write
from api.mcp_server.application import McpServer
from chat.live.routing import websocket_urlpatterns
from config.body_limit import BodyLimit
from config.compression import Compression
from config.entrances import SocketEntrances, address_of_scope
from config.fair_requests import FairRequests, address
from config.probes import Probes
from config.program_requests import BareHandler, ProgramRequests
from config.request_ids import RequestIds
from config.request_threads import RequestThreads
from config.same_origin import SameOrigin, is_own
from config.static_files import StaticFiles

# Requests to `/mcp` are counted by token, and may last for minutes.
_requests = McpServer(
    FairRequests(BodyLimit(RequestThreads(get_asgi_application()))),
    address=address,
    audited_address=address_of_scope,
    is_own_origin=is_own,
)
# Of the gateway's calls. The web process starts it (`config.web`), else the first call does.
recorder = Recorder(write, end_idle)

application = ProtocolTypeRouter(
    {
        "http": Probes(
            RequestIds(
                ProgramRequests(
                    programs=BodyLimit(BareHandler()),
                    people=Gateway(Compression(StaticFiles(_requests)), recorder),
                )
            )
        ),
        "websocket": RequestIds(
            SameOrigin(SocketEntrances(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))))
        ),
    }
)
