from django.urls import path

from chat.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.index, name="index"),
    path("<uuid:public_id>", views.webhook, name="webhook"),
    path("<uuid:public_id>/secret", views.rotate, name="rotate"),
    path("<uuid:public_id>/test", views.test, name="test"),
    path("<uuid:public_id>/delete", views.delete, name="delete"),
    path("<uuid:public_id>/deliveries/<uuid:delivery_id>", views.send_again, name="send_again"),
]
