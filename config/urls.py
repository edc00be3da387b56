from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config.health import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("health", health, name="health"),
    path("accounts/", include("config.accounts.urls")),
    path("admin/", admin.site.urls),
]
# While the apps are being built.
for prefix, module in (("traces/", "tracing.urls"), ("servers/", "tools.urls"), ("", "chat.urls")):
    if find_spec(module) is not None:
        urlpatterns.append(path(prefix, include(module)))
