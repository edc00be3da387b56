from django.urls import path

from config.accounts.invitations import views as invitations
from config.accounts.people import views

app_name = "people"
urlpatterns = [
    path("", views.index, name="index"),
    path("invitations/", invitations.index, name="invitations"),
    path("invitations/<uuid:public_id>/revoke", invitations.revoke, name="revoke_invitation"),
    path("<int:pk>/", views.detail, name="person"),
    path("<int:pk>/role", views.role, name="role"),
    path("<int:pk>/groups", views.groups, name="groups"),
    path("<int:pk>/activity", views.activity, name="activity"),
    path("<int:pk>/sessions/end", views.end_sessions, name="end_sessions"),
    path("<int:pk>/link", views.link, name="link"),
    path("<int:pk>/factors/remove", views.remove_factors, name="remove_factors"),
    path("<int:pk>/archive", views.ask_archive, name="ask_archive"),
    path("<int:pk>/archive.zip", views.archive, name="archive"),
    path("<int:pk>/transfer", views.transfer, name="transfer"),
    path("<int:pk>/delete", views.delete, name="delete"),
]
