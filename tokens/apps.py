from django.apps import AppConfig

from languages.later import later


class TokensConfig(AppConfig):
    name = "tokens"
    verbose_name = later("API tokens")
    default_auto_field = "django.db.models.BigAutoField"
