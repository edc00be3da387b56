from django.apps import AppConfig

from languages.later import later


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = later("API")
    default_auto_field = "django.db.models.BigAutoField"
