from django.apps import AppConfig

from languages.later import later


class TracingConfig(AppConfig):
    name = "tracing"
    verbose_name = later("Traces")
    default_auto_field = "django.db.models.BigAutoField"
