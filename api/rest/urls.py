from django.urls import path, re_path

from api.rest.documentation import documentation, openapi
from api.rest.entry import serve

app_name = "rest"
urlpatterns = [
    path("openapi.json", openapi, name="openapi"),
    path("docs", documentation, name="documentation"),
    re_path(r"^(?P<path>.*)$", serve, name="operation"),
]
