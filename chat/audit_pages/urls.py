from django.urls import path

from chat.audit_pages import views

app_name = "audit"
urlpatterns = [
    path("", views.index, name="index"),
    path("export.<slug:kind>", views.export, name="export"),
]
