from django.urls import re_path

from api.rest.entry import serve

app_name = "rest"
urlpatterns = [
    re_path(r"^(?P<path>.*)$", serve, name="operation"),
]
