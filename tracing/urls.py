from django.urls import include, path

from tracing.export import cassette_views
from tracing.page import conversation_views, views
from tracing.page.payload import views as payload_views

app_name = "tracing"

urlpatterns = [
    path("", include("tracing.list.urls")),
    path("dashboard/", include("tracing.stats.dashboard.urls")),
    path("archives/<uuid:archive_id>/", conversation_views.archive, name="archive"),
    path(
        "archives/<uuid:archive_id>/cassette",
        cassette_views.archive_cassette,
        name="archive_cassette",
    ),
    path("<uuid:trace_id>/", views.trace, name="trace"),
    path("<uuid:trace_id>.json", views.trace_json, name="trace_json"),
    path("<uuid:trace_id>/cassette", cassette_views.cassette, name="cassette"),
    path("<uuid:trace_id>/version", views.version, name="version"),
    path("<uuid:trace_id>/rounds/<int:number>", views.round_part, name="round"),
    path("<uuid:trace_id>/timelines/<int:number>", views.timeline, name="timeline"),
    path(
        "<uuid:trace_id>/payloads/<uuid:span_id>/<str:stage>", payload_views.payload, name="payload"
    ),
    path(
        "<uuid:trace_id>/payloads/<uuid:span_id>/<str:stage>/read",
        payload_views.page,
        name="reader",
    ),
    path(
        "<uuid:trace_id>/payloads/<uuid:span_id>/<str:stage>/find",
        payload_views.find,
        name="find",
    ),
    path(
        "<uuid:trace_id>/payloads/<uuid:span_id>/<str:stage>/parts/<int:number>",
        payload_views.part,
        name="part",
    ),
]
