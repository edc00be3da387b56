from django.apps import AppConfig

from config.celery import app as celery_app

__all__ = ["RoundtripConfig", "celery_app"]


class RoundtripConfig(AppConfig):
    """Brings the Celery application along, so that every process of Django's rings its queues."""

    name = "config"
    label = "roundtrip"
