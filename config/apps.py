from django.apps import AppConfig, apps
from django.contrib.admin.apps import AdminConfig
from django.core.checks import Tags, register

from config.celery import app as celery_app
from config.earlier_databases import check_migrations
from languages import names

__all__ = ["RoundtripConfig", "celery_app"]


class RoundtripConfig(AppConfig):
    """Imports the Celery application, so that every Django process can send tasks."""

    name = "config"
    label = "roundtrip"

    def ready(self) -> None:
        """Names of all own models and columns are those of whoever reads them."""
        for app in ("accounts", "audit", "chat", "tokens", "tools", "tracing"):
            names.translate(apps.get_app_config(app))
        register(check_migrations, Tags.database)


class AuditedAdminConfig(AdminConfig):
    default_site = "config.admin_site.AuditedSite"
