from django.urls import include, path

from config.accounts import views

urlpatterns = [
    path("link/", views.link, name="account_link"),
    path("", include("allauth.account.urls")),
]
