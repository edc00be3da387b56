from django.contrib import admin
from django.urls import include, path

from config.health import health

urlpatterns = [
    path("health", health, name="health"),
    path("accounts/", include("config.accounts.urls")),
    path("admin/", admin.site.urls),
    path("cassettes/", include("chat.replay.urls")),
    path("servers/", include("tools.urls")),
    path("traces/", include("tracing.urls")),
    path("", include("chat.urls")),
]
