from django.urls import path

from chat.own_data import views

app_name = "data"
urlpatterns = [
    path("archives/ask", views.ask_archive, name="archive_ask"),
    path("archives/<uuid:public_id>/status", views.archive_status, name="archive_status"),
    path("archives/<uuid:public_id>.zip", views.archive, name="archive"),
    path("account/delete", views.delete_account, name="delete_account"),
    path("receipts/<uuid:public_id>/", views.receipt, name="receipt"),
    path("receipts/<uuid:public_id>/status", views.receipt_status, name="receipt_status"),
]
