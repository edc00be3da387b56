from django.apps import AppConfig

from config.celery import app as celery_app

__all__ = ["RoundtripConfig", "celery_app"]


class RoundtripConfig(AppConfig):
    """Imports the Celery application, so that every Django process can send tasks."""

    name = "config"
    label = "roundtrip"
