from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("chat.urls")),
    path("cassettes/", include("chat.replay.urls")),
    path("traces/", include("tracing.urls")),
    path("admin/", admin.site.urls),
]
