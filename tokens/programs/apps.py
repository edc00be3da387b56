from django.apps import AppConfig

from languages.later import later


class ProgramsConfig(AppConfig):
    name = "tokens.programs"
    label = "programs"
    verbose_name = later("Connected programs")
    default_auto_field = "django.db.models.BigAutoField"
