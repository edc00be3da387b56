"""Below `servers/`."""

from django.urls import path

from tools.accounts import views as oauth_views
from tools.catalogue import views as built_in_views
from tools.results import views as result_views
from tools.servers import import_views, tool_views, views

app_name = "tools"
urlpatterns = [
    path("results/<uuid:span_id>/<int:index>", result_views.result_media, name="result_media"),
    path("", views.servers, name="servers"),
    path("new", views.register, name="register"),
    path("import", import_views.import_servers, name="import"),
    path("export", views.export, name="export_all"),
    path("built-in/", built_in_views.tools, name="built_in"),
    path("built-in/change", built_in_views.change, name="change_built_in"),
    path("try", views.try_connection, name="try_connection"),
    path("trials/<uuid:public_id>", views.trial, name="trial"),
    path("trials/<uuid:public_id>/media/<int:position>", views.trial_media, name="trial_media"),
    path("<uuid:public_id>/", views.server, name="server"),
    path("<uuid:public_id>/status", views.status, name="status"),
    path("<uuid:public_id>/edit", views.edit, name="edit"),
    path("<uuid:public_id>/test", views.test, name="test"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/export", views.export, name="export"),
    path("account/<slug:name>", oauth_views.account_of, name="account_of"),
    path("<uuid:public_id>/account", oauth_views.account, name="account"),
    path("<uuid:public_id>/connect", oauth_views.connect, name="connect"),
    path("<uuid:public_id>/connect/cancel", oauth_views.cancel, name="cancel_connect"),
    path("<uuid:public_id>/disconnect", oauth_views.disconnect, name="disconnect"),
    path("<uuid:public_id>/tools", tool_views.change, name="change_tools"),
    path("<uuid:public_id>/approve", tool_views.approve, name="approve"),
    path("<uuid:public_id>/tool", tool_views.tool, name="tool"),
    path("<uuid:public_id>/try", tool_views.try_tool, name="try_tool"),
]
