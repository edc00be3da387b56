from django.apps import AppConfig

from languages.later import later


class AuditConfig(AppConfig):
    name = "audit"
    verbose_name = later("Audit log")
    default_auto_field = "django.db.models.BigAutoField"
