from django.urls import path

from chat.sharing import public_views as views

app_name = "shared"
urlpatterns = [
    path("<slug:token>/", views.page, name="page"),
    path("<slug:token>/trace/<int:number>/", views.trace, name="trace"),
    path("<slug:token>/attachments/<uuid:key>", views.attachment, name="attachment"),
    path("<slug:token>/media/<uuid:key>/<int:index>", views.media, name="media"),
    path("<slug:token>/image", views.remote_image, name="image"),
    path("<slug:token>/copy", views.copy, name="copy"),
]
