from django.urls import path

from tools import views

app_name = "tools"
urlpatterns = [
    path("servers/", views.servers, name="servers"),
    path("servers/new", views.register, name="register"),
    path("servers/<uuid:public_id>/", views.server, name="server"),
    path("servers/<uuid:public_id>/status", views.status, name="status"),
    path("servers/<uuid:public_id>/edit", views.edit, name="edit"),
    path("servers/<uuid:public_id>/test", views.test, name="test"),
    path("servers/<uuid:public_id>/delete", views.delete, name="delete"),
]
