"""Below `traces/`, beside the pages of the trace itself."""

from django.urls import path

from chat.trace_views.code import views

app_name = "code"
urlpatterns = [
    path(
        f"<uuid:trace_id>/rounds/<int:number>/{name}{end}", view, {"program": name}, f"{name}{kind}"
    )
    for name in views.PROGRAMS
    for end, view, kind in (("", views.page, ""), (".txt", views.plain, "_text"))
]
