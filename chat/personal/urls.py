from django.urls import path

from chat.personal import facts, programs, views
from chat.sharing import views as sharing

app_name = "settings"
urlpatterns = [
    path("", views.index, name="index"),
    path("theme", views.theme, name="theme"),
    path("sessions", views.end_sessions, name="end_sessions"),
    path("memory", facts.switch, name="memory"),
    path("facts", facts.add, name="add_fact"),
    path("facts/erase", facts.erase_all, name="erase_facts"),
    path("facts/<uuid:public_id>", facts.edit, name="fact"),
    path("facts/<uuid:public_id>/erase", facts.erase, name="erase_fact"),
    path("tokens", views.make_token, name="make_token"),
    path("tokens/<uuid:public_id>/revoke", views.revoke_token, name="revoke_token"),
    path("links/revoke", sharing.revoke_all, name="revoke_links"),
    path("links/<uuid:public_id>/revoke", sharing.revoke, name="revoke_link"),
    path("programs/<uuid:public_id>/disconnect", programs.disconnect, name="disconnect_program"),
    path("keep/<slug:section>", views.keep, name="keep"),
]
