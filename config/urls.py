from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("traces/", include("tracing.urls")),
    path("admin/", admin.site.urls),
]
